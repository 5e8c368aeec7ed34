#!/usr/bin/env python3
"""What `./dev bench --check` calls worse. Nothing is timed here: the costs are made up, or those of a stand-in."""
import os
import pathlib
import random
import stat
import tempfile
import unittest
import unittest.mock

import check
import measuring


class Machine:
    """Stands in for runs of two programs, of which "after" takes `factor` times as long as "before". Noise has heavy tails, and each run takes `drift`
    times as long as the one before it, for 20 runs; then the machine recovers as slowly."""

    def __init__(self, factor, noise, seed, drift=1.002):
        self.factor, self.noise, self.drift, self.generator, self.runs = factor, noise, drift, random.Random(seed), 0

    def run_once(self, command):
        steps = self.runs % 40
        self.runs += 1
        slowness = self.drift ** min(steps, 40 - steps)
        spread = 1 + self.noise * abs(self.generator.gauss(0, 1)) + (0.5 if self.generator.random() < 0.03 else 0)
        time = (self.factor if command == "after" else 1) * spread * slowness
        return [time * 1e8, time * 1e5, 50_000]


def ratios_on(machine, rounds=15):
    with unittest.mock.patch.object(check, "run_once", machine.run_once):
        return check.ratios_of(["before", "after"], rounds)


class Bounds(unittest.TestCase):
    def test_the_least_of_ten_ratios_lies_below_the_median_all_but_once_in_1024_times(self):
        self.assertEqual(check.lower_bound([3, 1, 2, 8, 7, 6, 5, 4, 10, 9]), 1)

    def test_nine_ratios_say_nothing(self):
        self.assertEqual(check.FEWEST_ROUNDS, 10)
        self.assertIsNone(check.lower_bound([2] * 9))
        self.assertFalse(check.is_worse([2] * 9))

    def test_of_more_ratios_the_bound_is_further_inside(self):
        # P(at most 1 of 15 below) = 16/32768 = 0.05 %, P(at most 2) = 0.4 %
        self.assertEqual(check.lower_bound(range(1, 16)), 2)


class Verdicts(unittest.TestCase):
    def test_of_a_thousand_rows_that_did_not_change_at_most_ten_are_called_worse(self):
        worse = sum("clock" in ratios_on(Machine(1, 0.03, seed)).worse() for seed in range(1000))
        self.assertLessEqual(worse, 5)

    def test_nor_are_rows_on_a_machine_that_becomes_slower_and_faster_by_two_percent_each_run(self):
        worse = sum(bool(ratios_on(Machine(1, 0.003, seed, drift=1.02)).worse()) for seed in range(300))
        self.assertLessEqual(worse, 2)

    def test_a_row_that_takes_a_tenth_longer_is_found_on_a_machine_with_noise_of_two_percent(self):
        found = sum("clock" in ratios_on(Machine(1.1, 0.02, seed)).worse() for seed in range(200))
        self.assertGreaterEqual(found, 190)

    def test_a_row_that_became_faster_is_not_worse(self):
        self.assertEqual(ratios_on(Machine(0.8, 0.02, 26)).worse(), [])

    def test_one_run_that_takes_more_memory_is_noise_and_all_of_them_are_not(self):
        rounds = [([[1, 1, 50_000]] * 2, [[1, 1, 50_000]] * 2) for _ in range(15)]
        rounds[3] = (rounds[3][0], [[1, 1, 90_000]] * 2)
        self.assertEqual(check.Ratios(rounds).worse(), [])
        self.assertEqual(check.Ratios([(before, [[1, 1, 60_000]] * 2) for before, _ in rounds]).worse(), ["memory"])


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
