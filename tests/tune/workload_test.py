#!/usr/bin/env python3
"""tests/tune/workload.py does what it says: its times, and each of its faults. What frx concludes from them is tested elsewhere."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

WORKLOAD = pathlib.Path(__file__).resolve().parent / "workload.py"


class WorkloadTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="frx-workload-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *options, **variables):
        own = {name: value for name, value in os.environ.items() if not name.startswith("FRX_")}
        env = {**own, "FRX_AUTO_PERSIST": "1", "FRX_OUTPUT_DIR": str(self.folder), "FRX_RAW_TRACE_PATH": str(self.folder / "trace.jsonl"),
               "FRX_TUNE_MAX_STEPS": "6", **variables}
        return subprocess.Popen([sys.executable, "-B", WORKLOAD, *options], env=env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ran(self, *options, code=0, **variables):
        """The events of a run that ends with `code`; the trace is taken away for the next one."""
        process = self.start(*options, **variables)
        self.out, self.err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, self.err)
        path = self.folder / "trace.jsonl"
        events = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        if events:
            path.unlink()
        return events

    def steps(self, events):
        return [event for event in events if event["event_type"] == "step_end"]

    def losses(self, *options, **variables):
        return [event["payload"].get("loss") for event in self.steps(self.ran(*options, **variables))]

    def step_ms(self, **variables):
        """From the end of a step to that of the next one, as frx measures; the shortest, for a busy machine only adds to it."""
        ends = [event["timestamp_ns"] for event in self.steps(self.ran(**variables))]
        return min(b - a for a, b in zip(ends, ends[1:])) / 1e6

    def test_a_step_takes_as_long_as_its_settings_say(self):
        # Loading 8 * 2 ms, copying 1 ms, computing 8 * 0.5 ms; pinned memory halves the copy.
        cases = (({}, 21), ({"FRX_PIN_MEMORY": "true"}, 20.5), ({"FRX_NUM_WORKERS": "2"}, 8), ({"FRX_NUM_WORKERS": "4"}, 5), ({"FRX_NUM_WORKERS": "16"}, 5),
                 ({"FRX_BATCH_SIZE": "16"}, 41), ({"FRX_AMP_DTYPE": "bfloat16"}, 19), ({"FRX_TORCH_COMPILE": "1"}, 20.6))
        for variables, expected in cases:
            found = self.step_ms(**variables)
            self.assertGreaterEqual(found, expected - 0.1, variables)
            self.assertLess(found, 1.2 * expected + 3, variables)

    def test_it_ends_where_the_trial_ends(self):
        self.assertEqual(len(self.steps(self.ran())), 6)
        self.assertEqual(len(self.steps(self.ran("--fault", "endless", "--steps", "9"))), 9)
        self.assertEqual(len(self.steps(self.ran("--steps", "4", FRX_TUNE_MAX_STEPS=""))), 4)

    def test_steps_have_samples_and_a_falling_loss(self):
        events = self.ran(FRX_BATCH_SIZE="12")
        self.assertEqual({event["payload"]["batch_size"] for event in events if event["event_type"] == "shape_snapshot"}, {12})
        self.assertEqual([event["payload"]["loss"] for event in self.steps(events)], [0.99**step for step in range(6)])

    def test_losses_go_wrong(self):
        self.assertEqual(self.losses("--fault", "nan_loss")[2:], [0.99**2, "nan", "nan", "nan"])
        self.assertEqual(self.losses("--fault", "inf_loss@5")[4:], [0.99**4, "inf"])
        self.assertEqual(self.losses("--fault", "worse_loss")[0], 1.2)
        self.assertEqual(self.losses("--fault", "diverging_loss")[-1], 1.1**5)
        self.assertEqual(self.losses("--fault", "no_loss"), [None] * 6)

    def test_a_fault_may_belong_to_one_setting(self):
        for workers, expected in (("2", 0.99**5), ("4", "nan")):
            self.assertEqual(self.losses("--fault", "nan_loss:FRX_NUM_WORKERS=4", FRX_NUM_WORKERS=workers)[-1], expected)

    def test_programs_end_as_they_should(self):
        self.assertEqual(len(self.steps(self.ran("--fault", "exit_3", code=3))), 6)
        self.assertEqual(len(self.steps(self.ran("--fault", "raise@2", code=1))), 3)
        self.assertIn("RuntimeError: the program fails at step 2", self.err)
        self.ran("--fault", "out_of_memory", code=1)
        self.assertIn("CUDA out of memory", self.err)
        self.assertEqual(len(self.steps(self.ran("--fault", "kill@4", code=-signal.SIGKILL))), 4)
        self.ran("--fault", "segfault", code=-signal.SIGSEGV)
        self.assertEqual(self.ran("--fault", "no_trace"), [])
        self.assertEqual(self.out, "6 steps of 8 samples\n")
        self.ran("--fault", "flood")
        self.assertEqual(len(self.out), (64 << 20) + len("6 steps of 8 samples\n"))

    def test_a_hang_is_one(self):
        for fault, ends in (("hang@0", True), ("hang_hard@0", False)):
            process = self.start("--fault", fault)
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(1.5)
            process.terminate()
            if ends:
                self.assertEqual(process.wait(10), -signal.SIGTERM)
            else:
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(0.5)

    def test_a_process_stays(self):
        self.ran("--fault", "leaves_process")
        left = int(self.out.split()[1])
        os.kill(left, signal.SIGKILL)  # ProcessLookupError if it had ended

    def test_memory_and_quality_are_reported(self):
        for fault, ratio, loss in (("slow", 0.4, 0.5), ("memory", 0.95, 0.5), ("validation", 0.4, 2.0)):
            samples = [event["payload"] for event in self.ran("--fault", fault) if event["event_type"] == "gpu_sample"]
            self.assertEqual({round(one["memory_used_bytes"] / one["memory_total_bytes"], 6) for one in samples}, {ratio})
            self.assertEqual(json.loads((self.folder / "quality.json").read_text()), {"validation_loss": loss})

    def test_an_output_drifts_from_that_of_the_baseline(self):
        self.ran(FRX_OUTPUT_DIR=str(self.folder / "base"))
        self.ran("--fault", "output_drift", FRX_OUTPUT_DIR=str(self.folder / "trial"), FRX_TUNE_BASELINE_DIR=str(self.folder / "base"))
        self.assertAlmostEqual(json.loads((self.folder / "trial/quality.json").read_text())["max_output_abs_diff"], 0.01)

    def test_an_unknown_fault_is_refused(self):
        self.ran("--fault", "explode", code=2)
        self.assertIn("no fault is called explode", self.err)


if __name__ == "__main__":
    unittest.main()
