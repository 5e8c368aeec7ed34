#!/usr/bin/env python3
"""What `./dev bench --check` calls worse. Nothing is timed here: the costs are made up, or those of a stand-in."""
import os
import pathlib
import random
import stat
import subprocess
import tempfile
import unittest

import check
import measuring


def rounds_of(factor, noise, generator, count=15):
    """Costs of before, after, after, before where the true ratio is `factor`, noise has heavy tails, and the machine becomes slower by a tenth."""

    def cost(scale, moment):
        spread = 1 + noise * abs(generator.gauss(0, 1)) + (0.5 if generator.random() < 0.03 else 0)
        drift = 1 + 0.1 * moment / (4 * count)
        return [scale * spread * drift * 1e8, scale * spread * drift * 1e5, 50_000]

    rounds = []
    for index in range(count):
        costs = [cost(factor if place in (1, 2) else 1, 4 * index + place) for place in range(4)]
        rounds.append(((costs[0], costs[3]), (costs[1], costs[2])))
    return rounds


class Bounds(unittest.TestCase):
    def test_the_least_of_eight_ratios_lies_below_the_median_all_but_once_in_256_times(self):
        self.assertEqual(check.lower_bound([3, 1, 2, 8, 7, 6, 5, 4]), 1)

    def test_seven_ratios_say_nothing(self):
        self.assertIsNone(check.lower_bound([2] * 7))
        self.assertFalse(check.is_worse([2] * 7))

    def test_of_more_ratios_the_bound_is_further_inside(self):
        # P(at most 1 of 12 below) = 13/4096 = 0.3 %, P(at most 2) = 1.9 %
        self.assertEqual(check.lower_bound(range(1, 13)), 2)


class Verdicts(unittest.TestCase):
    def test_of_a_thousand_rows_that_did_not_change_at_most_ten_are_called_worse(self):
        generator = random.Random(24)
        worse = sum("clock" in check.Ratios(rounds_of(1, 0.03, generator)).worse() for _ in range(1000))
        self.assertLessEqual(worse, 10)

    def test_a_row_that_takes_a_tenth_longer_is_found_on_a_machine_with_noise_of_two_percent(self):
        generator = random.Random(25)
        found = sum("clock" in check.Ratios(rounds_of(1.1, 0.02, generator)).worse() for _ in range(200))
        self.assertGreaterEqual(found, 190)

    def test_a_row_that_became_faster_is_not_worse(self):
        self.assertEqual(check.Ratios(rounds_of(0.8, 0.02, random.Random(26))).worse(), [])

    def test_memory_is_compared_by_its_peak(self):
        rounds = rounds_of(1, 0, random.Random(27))
        rounds[3][1][0][2] = 60_000
        self.assertIn("memory", check.Ratios(rounds).worse())


class Instructions(unittest.TestCase):
    """With a stand-in for perf that prints what perf 6.1 does."""

    def counted(self, printed, code=0):
        with tempfile.TemporaryDirectory() as folder:
            perf = pathlib.Path(folder) / "perf"
            perf.write_text(f"#!/bin/sh\necho '{printed}' >&2\nexit {code}\n")
            perf.chmod(perf.stat().st_mode | stat.S_IXUSR)
            path = os.environ["PATH"]
            os.environ["PATH"] = f"{folder}:{path}"
            try:
                return measuring.instructions(["true"])
            finally:
                os.environ["PATH"] = path

    def test_are_those_that_the_processor_counted(self):
        self.assertEqual(self.counted("11200345,,instructions:u,5123456,100.00,,"), 11200345)

    def test_are_unknown_where_it_has_no_counters(self):
        self.assertIsNone(self.counted("<not supported>,,instructions:u,0,100.00,,"))
        self.assertIsNone(self.counted("perf_event_open: Permission denied", 255))


class Versions(unittest.TestCase):
    def test_what_is_no_commit_is_said_in_one_line(self):
        with self.assertRaises(SystemExit) as refused:
            check.program_of("no-such-version")
        self.assertIn("neither a program nor a commit", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
