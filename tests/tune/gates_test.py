#!/usr/bin/env python3
"""What `frx tune` makes of programs that go wrong in one setting, or in all of them: gates_test.py --frx PROGRAM.

The program is tests/tune/workload.py. By its times two workers are 2.6 times as fast as none, so that they win unless a guard or a gate rejects them.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WORKLOAD = pathlib.Path(__file__).resolve().parent / "workload.py"
# The first three documented candidates on any machine with two processors: none, and two workers with and without pinned memory.
OPTIONS = ["--search", "grid", "--no-race", "--max-trials", "3", "--warmup-steps", "1", "--measure-steps", "24", "--sample-interval-ms", "100"]
IN_WORKERS = ":FRX_NUM_WORKERS=2"
# Writes a line for each start of the program.
COUNTED = ["/bin/sh", "-c", 'echo started >> "$0"; exec "$@"']
asked = argparse.Namespace(frx="frx")


@unittest.skipIf((os.cpu_count() or 1) < 2, "with one processor no workers are tried")
class GatesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="frx-gates-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out, self.starts = self.folder / "runs", self.folder / "starts"

    def start(self, *options):
        ours = {name: value for name, value in os.environ.items() if not name.startswith("FRX_")}
        command = [asked.frx, "tune", *map(str, options)]
        process = subprocess.Popen(command, env=ours, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        return process

    def finished(self, process, code):
        """The report of a tuning that ends with `code`, and the folder that it is in."""
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, out + err)
        (path,) = self.out.glob("tune-*/autopilot_report.json")
        self.tuning = path.parent
        return json.loads(path.read_text())

    def tuned(self, *faults, options=(), program=(), code):
        words = [word for fault in faults for word in ("--fault", fault)]
        return self.finished(self.start("--out", self.out, *OPTIONS, *options, "--", sys.executable, "-B", WORKLOAD, *program, *words), code)

    def full(self, report, config):
        (trial,) = [one for one in report["trials"] if one["config_id"] == config and one["benchmark_stage"] == "full"]
        return trial

    def started(self):
        return len(self.starts.read_text().splitlines()) if self.starts.exists() else 0


class Gates(GatesTest):
    def test_workers_win_where_nothing_is_wrong(self):
        report = self.tuned(code=0)
        self.assertIn(report["winner"]["config_id"], ("dl_nw2_pin1", "dl_nw2_pin0"))
        # 21 ms against 8 ms.
        self.assertGreater(report["winner"]["speedup"]["value"], 1)
        self.assertLess(report["winner"]["speedup"]["low"], 21 / 8 - 1 + 0.1)

    def rejected(self, fault, exit_code, expected, *options):
        report = self.tuned(fault + IN_WORKERS, options=options, code=1)
        self.assertIsNone(report["winner"])
        trial = self.full(report, "dl_nw2_pin1")
        self.assertFalse(trial["passed_guards"], trial)
        self.assertEqual(trial["exit_code"], exit_code)
        self.assertRegex("; ".join(trial["guard_failures"]), expected)
        self.assertTrue(self.full(report, "dl_nw0_pin1")["passed_guards"], "the fault is that of the workers alone")
        return trial

    def test_losses_that_are_no_numbers_are_rejected(self):
        self.rejected("nan_loss", 0, "quality regression: .*NaN")

    def test_infinite_losses_are_rejected(self):
        self.rejected("inf_loss", 0, "quality regression: .*infinite")

    def test_a_worse_loss_is_rejected(self):
        self.rejected("worse_loss", 0, "quality regression: final loss [0-9.]+ exceeds baseline [0-9.]+ by more than 5%")

    def test_a_loss_that_grows_is_rejected(self):
        self.rejected("diverging_loss", 0, "quality regression: final loss [0-9.]+ exceeds the first loss")

    def test_outputs_that_drift_are_rejected(self):
        self.rejected("output_drift", 0, "quality regression: .*output")

    def test_memory_that_is_nearly_full_is_rejected(self):
        self.assertEqual(self.rejected("memory", 0, "peak memory ratio 0.95 exceeds 0.90")["peak_memory_ratio"], 0.95)

    def test_programs_that_fail_are_rejected(self):
        for fault, code, expected in (("exit_3", 3, "exit code 3"), ("raise@2", 1, "exit code 1"), ("segfault@2", 139, "exit code 139|signal 11"),
                                      ("out_of_memory@2", 1, "CUDA out of memory")):
            with self.subTest(fault):
                self.setUp()
                self.rejected(fault, code, expected)

    def test_programs_without_steps_are_rejected(self):
        self.rejected("no_trace", 0, "no trace data")

    def test_programs_that_do_not_end_are_rejected_in_time(self):
        begun = time.monotonic()
        self.rejected("hang_hard@2", -1, "timed out", "--time-budget-s", "3")
        self.assertLess(time.monotonic() - begun, 60)
        self.assertEqual(left_running(), [])

    def test_slower_settings_are_not_recommended(self):
        # 5 ms against twice as long; pinned memory gains nothing where nothing is copied.
        report = self.tuned("slow" + IN_WORKERS, program=["--load", "0.1", "--copy", "0"], code=1)
        self.assertIsNone(report["winner"])

    def test_a_loss_may_be_allowed_to_be_no_number(self):
        report = self.tuned("nan_loss" + IN_WORKERS, options=["--allow-nonfinite-loss"], code=0)
        self.assertGreater(report["winner"]["quality_metrics"]["nan_count"], 0)

    def test_a_baseline_that_fails_is_the_end(self):
        for fault in ("raise@0", "no_trace", "exit_3"):
            with self.subTest(fault):
                self.setUp()
                process = self.start("--out", self.out, *OPTIONS, "--", *COUNTED, self.starts, sys.executable, "-B", WORKLOAD, "--fault", fault)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 1, out + err)
                self.assertEqual(self.started(), 1)


class Programs(GatesTest):
    def test_more_samples_a_second_win_though_a_step_takes_longer(self):
        # Of 8 samples 11.2 ms, 1.4 ms each; of 16 samples 12.4 ms, 0.775 ms each.
        report = self.tuned(options=["--no-safe", "--bottleneck", "underutilized_gpu"], program=["--load", "0.05", "--compute", "0.1", "--copy", "10"], code=0)
        winner = report["winner"]
        self.assertEqual((winner["config_id"], winner["by_samples"]), ("bs_16", True))
        self.assertGreater(winner["avg_step_time_ms"], report["baseline"]["avg_step_time_ms"])
        self.assertAlmostEqual(winner["throughput_delta"], 1.4 / 0.775 - 1, delta=0.25)

    def test_a_program_that_does_not_end_by_itself_is_measured_in_its_window(self):
        report = self.tuned("endless", program=["--steps", "100"], code=0)
        self.assertGreaterEqual(report["baseline"]["avg_step_time_ms"], 20.9)
        self.assertGreater(report["winner"]["speedup"]["value"], 1)

    def test_processes_that_a_program_leaves_are_ended(self):
        self.tuned("leaves_process", code=0)
        left = [int(number) for path in self.tuning.rglob("stdout.log") for number in re.findall(r"process (\d+) stays", path.read_text())]
        self.assertGreaterEqual(len(left), 4)
        self.assertEqual([pid for pid in left if is_running(pid)], [])

    def test_a_flood_of_output_is_cut(self):
        self.tuned("flood", code=0)
        for path in self.tuning.rglob("stdout.log"):
            self.assertLess(path.stat().st_size, 17 << 20)


class Resume(GatesTest):
    def tune(self):
        return self.start("--out", self.out, *OPTIONS, "--", *COUNTED, self.starts, sys.executable, "-B", WORKLOAD)

    def test_a_finished_tuning_starts_nothing_again(self):
        first = self.finished(self.tune(), 0)
        starts = self.started()
        again = self.finished(self.start("--resume", self.tuning), 0)
        self.assertEqual(self.started(), starts)
        self.assertEqual(again["winner"]["config_id"], first["winner"]["config_id"])
        self.assertEqual(again["winner"]["throughput_delta"], first["winner"]["throughput_delta"])

    def test_an_interrupted_tuning_goes_on(self):
        process = self.tune()
        deadline = time.monotonic() + 60
        while self.started() < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertNotIn(process.returncode, (0, -signal.SIGSEGV), out + err)
        self.assertEqual(left_running(), [])
        before = self.started()
        (self.tuning,) = self.out.glob("tune-*")
        report = self.finished(self.start("--resume", self.tuning), 0)
        self.assertIsNone(report["unfinished"])
        self.assertGreater(self.started(), before)
        self.assertGreaterEqual(report["resume"]["reused_runs"], 1, "the baseline had ended")


def end(process):
    """Of a test that failed while it ran."""
    if process.poll() is None:
        process.kill()
    process.communicate()


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def left_running():
    """Processes of the workload that are still there."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and str(WORKLOAD).encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if is_running(pid)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    asked, rest = parser.parse_known_args()
    asked.frx = os.path.abspath(asked.frx)
    unittest.main(argv=[sys.argv[0], *rest])
