#!/usr/bin/env python3
"""`frx tune` on a real PyTorch program with a slow loader, end to end: pytorch_test.py --frx PROGRAM. 77: there is no PyTorch.

The winner has to have workers, and its speed-up to be what the program measures when it is started by hand with the variables of the report.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent / "support"), str(ROOT / "python"), str(ROOT / "python/tests")]
import tune_reruns
from support import violations

PROGRAM = HERE / "slow_loader.py"
# Two workers deliver in pairs, one step of 1 ms after one of 25: a dozen steps are too few for an interval that excludes 0 on a busy machine.
WARMUP, MEASURE = 2, 48
asked = argparse.Namespace(frx="frx")


def tune(folder, *options):
    """The exit code, what was said, and the report with its folder."""
    command = [asked.frx, "tune", "--out", folder, "--max-trials", "6", "--warmup-steps", WARMUP, "--measure-steps", MEASURE, "--race-warmup-steps", "1",
               "--race-measure-steps", "5", "--race-promote-count", "2", *options, "--", sys.executable, "-B", PROGRAM]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("FRX_")}
    done = subprocess.run([str(word) for word in command], env={**ours, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True, timeout=280, check=False)
    reports = list(pathlib.Path(folder).glob("tune-*/autopilot_report.json"))
    if len(reports) != 1:
        raise AssertionError(f"{len(reports)} reports; exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done, json.loads(reports[0].read_text()), reports[0].parent


def measured_again(test, folder, variables):
    """The speed-up by `variables`, by hand; a machine on which nothing can be measured skips the test."""
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    try:
        return tune_reruns.rerun([sys.executable, "-B", PROGRAM], folder, variables, WARMUP, MEASURE, own_batch=8)
    except tune_reruns.TooNoisy as why:
        test.skipTest(str(why))


class Tuning(unittest.TestCase):
    """One tuning, looked at from several sides."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="frx-tune-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = pathlib.Path(cls.folder.name) / "runs"
        cls.done, cls.report, cls.tuning = tune(cls.out)

    def test_it_finds_an_improvement(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertIs(self.report["improved"], True)

    def test_the_report_follows_its_schema(self):
        schema = json.loads((ROOT / f"data/schemas/{self.report['schema']}.json").read_text())
        self.assertEqual(violations(self.report, schema), [])
        self.assertTrue((self.tuning / "report.md").read_text().strip())

    def test_the_budget_is_kept(self):
        names = {trial["config_id"] for trial in self.report["trials"]}
        self.assertLessEqual(len(names), 6)
        self.assertLessEqual(self.report["promoted_count"], len(names))

    def test_the_baseline_has_its_loader_as_its_bottleneck(self):
        self.assertEqual(self.report["baseline"]["exit_code"], 0)
        self.assertEqual(self.report["baseline"]["dominant_stall"], "input_bound")
        # 8 samples of 3 ms.
        self.assertGreaterEqual(self.report["baseline"]["avg_step_time_ms"], 24)

    def test_the_winner_has_workers_and_is_a_full_trial(self):
        winner = self.report["winner"]
        self.assertGreater(int(winner["env_vars"]["FRX_NUM_WORKERS"]), 0)
        self.assertEqual((winner["benchmark_stage"], winner["passed_guards"], winner["exit_code"]), ("full", True, 0))
        self.assertIn(winner["config_id"], [trial["config_id"] for trial in self.report["trials"] if trial["benchmark_stage"] == "full"])

    def test_the_results_were_judged(self):
        quality = self.report["winner"]["quality_metrics"]
        self.assertEqual(quality["max_output_abs_diff"], 0)
        self.assertGreater(quality["validation_loss"], 0)
        self.assertEqual(self.report["winner"]["quality_metrics"]["final_loss"], self.report["baseline"]["quality_metrics"]["final_loss"],
                         "the same data in the same order give the same loss")

    def test_the_artifacts_are_there(self):
        for name in ("config.yaml", "benchmark_window.json", "metrics.json", "stdout.log", "stderr.log"):
            self.assertTrue((self.tuning / "baseline" / name).is_file(), name)
            self.assertTrue((self.tuning / self.report["winner"]["config_id"] / name).is_file(), name)
        window = json.loads((self.tuning / "baseline/benchmark_window.json").read_text())
        self.assertEqual((window["warmup_steps"], window["measurement_steps"], window["repeat_count"]), (WARMUP, MEASURE, 1))

    def test_no_worker_survives(self):
        deadline = time.monotonic() + 5
        while running() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(running(), [])

    def test_the_program_measures_the_speed_up_that_was_reported(self):
        winner = self.report["winner"]
        reported = winner["speedup"]
        self.assertLessEqual(reported["low"], reported["value"])
        self.assertLessEqual(reported["value"], reported["high"])
        self.assertGreater(reported["low"], 0)
        measured = measured_again(self, self.out, winner["env_vars"])
        self.assertTrue(tune_reruns.agree(reported, measured), f"reported {reported}, measured {measured}")


def running():
    """Processes of the program that are still there."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if str(PROGRAM).encode() in words:
                found.append(int(entry.name))
    return found


class Reruns(unittest.TestCase):
    """The second opinion itself, on made-up numbers."""

    def test_time_per_sample(self):
        # Steps end at 10, 20, 24, 28 ms: after 2 steps of warm-up two steps of 4 ms.
        self.assertEqual(tune_reruns.ms_per_sample([10, 20, 24, 28], 2, None), 4)
        self.assertEqual(tune_reruns.ms_per_sample([10, 20, 24, 28], 2, 8), 0.5)
        with self.assertRaises(tune_reruns.RerunFailed):
            tune_reruns.ms_per_sample([10, 20, 24], 2, None)

    def test_a_speed_up_has_the_interval_of_its_pairs(self):
        exact = tune_reruns.speedup([10.0, 20.0], [5.0, 10.0])
        self.assertAlmostEqual(exact.value, 1.0)
        self.assertAlmostEqual(exact.low, exact.high)
        # Ratios 2 and 2 * e^0.2: the mean of their logarithms is ln 2 + 0.1, their standard error 0.1, t with one degree of freedom 12.706.
        spread = tune_reruns.speedup([2.0, 2.0 * 2.718281828459045**0.2], [1.0, 1.0])
        self.assertAlmostEqual(spread.value, 2 * 2.718281828459045**0.1 - 1)
        self.assertAlmostEqual(spread.low, 2 * 2.718281828459045 ** (0.1 - 1.2706) - 1)

    def test_what_would_agree_with_everything_is_not_precise(self):
        for low, high, expected in ((0.5, 1.0, True), (0.5, 1.01, False), (-0.247, 2.385, False)):
            self.assertEqual(tune_reruns.Measured(0.6, low, high, 3).is_precise, expected)

    def test_intervals_agree_where_they_meet(self):
        reported = {"value": 0.5, "low": 0.4, "high": 0.6}
        for low, high, expected in ((0.55, 0.7, True), (0.61, 0.7, False), (0.2, 0.41, True), (0.2, 0.39, False), (0.3, 0.9, True)):
            self.assertEqual(tune_reruns.agree(reported, tune_reruns.Measured(0.5, low, high, 3)), expected)

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed")
    def test_workers_make_the_program_faster(self):
        # 8 samples of 3 ms are 24 ms a step; two workers share them.
        with tempfile.TemporaryDirectory() as folder:
            measured = measured_again(self, pathlib.Path(folder), {"FRX_NUM_WORKERS": "2"})
        self.assertGreater(measured.value, 0.4)
        self.assertLess(measured.value, 1.3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    asked, rest = parser.parse_known_args()
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed: apt-get install python3-torch")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
