#!/usr/bin/env python3
"""What frx says of the time in a trace, against a slow script that shares nothing with it, and against the truth where the
trace was made from it.

    trace_breakdown_test.py --frx FRX made      traces with known truth
    trace_breakdown_test.py --frx FRX corpus    real traces; 77 without them
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/support"))
import trace_breakdown  # noqa: E402
from made_trace import MadeTrace  # noqa: E402

FRX = "frx"
PARTS = {"span": "span_ns", "computing": "compute_ns", "exposed communication": "exposed_communication_ns",
         "exposed copies": "exposed_copy_ns", "idle": "idle_ns", "communication": "communication_ns"}
REAL = ["kineto_resnet50_b32_num_workers_0.run1.pt.trace.json.gz", "gaoteng_bert_fp16_ddp.rank0.pt.trace.json.gz",
        "hta_trace_diff_control_A100.json.gz", "tracelens_mi300_bert_small.json.gz",
        "gaoteng_bert_fp16_DataParallel_2gpu.pt.trace.json.gz"]


def by_frx(path):
    done = subprocess.run([FRX, "analyze", str(path), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"frx analyze {path}: {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)["result"]
    devices = {}
    for gpu in result["gpus"]:
        devices[gpu["device"]] = {part: gpu["time"][key] for part, key in PARTS.items()}
        devices[gpu["device"]]["overlap"] = gpu["time"]["communication_overlap"]
    return {
        "marked": result["trace"]["step_source"] == "profiler",
        "steps": [{"number": step["step_id"], "time": step["step_wall_time_ns"]} for step in result["run"]["per_step"]],
        "devices": devices,
        "kernels": {row["name"]: {"count": row["count"], "total": row["gpu_ns"], "min": row["min_ns"], "max": row["max_ns"]}
                    for row in result["top_kernels"]},
        "occupancy": (result["gpu_use"] or {"kernels": {"occupancy_pct": None}})["kernels"]["occupancy_pct"],
        "copies": {row["name"]: {"count": row["count"], "bytes": row["bytes"], "time": row["gpu_ns"]}
                   for row in (result["gpu_use"] or {"copies": []})["copies"] if row["count"] > 0},
        "queues": {row["device"]: row["median_length"] for row in (result["gpu_use"] or {"launch_queues": []})["launch_queues"]},
        "cpu": result["cpu"] and {row["name"]: {"calls": row["calls"], "self": row["self_ns"], "total": row["total_ns"]}
                                  for row in result["cpu"]["operators"]},
    }


class Comparing(unittest.TestCase):
    maxDiff = None

    def agree(self, mine, script):
        """To the nanosecond; only the overlap is a rounded ratio."""
        for device, time in script["devices"].items():
            self.assertEqual(time["span"], time["computing"] + time["exposed communication"] + time["exposed copies"] + time["idle"])
            theirs, ours = time.pop("overlap"), mine["devices"][device].pop("overlap")
            self.assertEqual(theirs is None, ours is None)
            if theirs is not None:
                self.assertAlmostEqual(ours, theirs, delta=0.000051)
        self.assertEqual(mine["devices"], script["devices"])
        self.assertEqual(mine["steps"], script["steps"])
        self.assertEqual(mine["kernels"], script["kernels"])
        self.assertEqual(mine["marked"], script["marked"])
        self.assertEqual(mine["cpu"], script["cpu"])
        self.assertEqual(mine["copies"], script["copies"])
        self.assertEqual(mine["queues"], {device: length for device, length in script["queues"].items() if length is not None})
        self.assertEqual(mine["occupancy"] is None, script["occupancy"] is None)
        if script["occupancy"] is not None:
            self.assertAlmostEqual(mine["occupancy"], script["occupancy"], delta=0.0001)


class Made(Comparing):
    def check(self, **shape):
        for seed in range(4):
            with self.subTest(seed=seed, **shape), tempfile.TemporaryDirectory() as folder:
                trace = MadeTrace(seed, **shape)
                path = pathlib.Path(folder) / "trace.json"
                path.write_text(trace.text(), encoding="utf-8")
                script = trace_breakdown.analyse(path)
                self.agree(by_frx(path), script)
                self.assertEqual(script["devices"], trace.truth.devices)
                self.assertEqual([step["time"] for step in script["steps"]], trace.truth.steps)
                self.assertEqual(script["kernels"], trace.truth.kernels)

    def test_one_gpu_with_several_streams(self):
        self.check()

    def test_two_gpus_are_counted_apart(self):
        self.check(devices=(0, 1))

    def test_whole_microseconds(self):
        self.check(tick=1000)

    def test_without_steps_the_program_is_the_frame(self):
        self.check(marked=False, steps=1)

    def test_one_step(self):
        self.check(steps=1)

    def test_many_steps_on_eight_gpus(self):
        self.check(steps=12, devices=range(8))

    def one(self, events):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(events, encoding="utf-8")
            script = trace_breakdown.analyse(path)
            self.agree(by_frx(path), script)
            return script

    def test_work_outside_of_the_steps_is_a_kernel_but_no_time_of_a_step(self):
        found = self.one("""{"traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 100.5, "dur": 10},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 98.25, "dur": 9, "args": {"device": 0}},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 200, "dur": 1.001, "args": {"device": 0}}]}""")
        self.assertEqual(found["devices"][0]["computing"], 6750)
        self.assertEqual(found["kernels"]["k"], {"count": 2, "total": 10001, "min": 1001, "max": 9000})

    def test_steps_take_until_the_gpu_has_done_them(self):
        """Three steps of 10 us, each launching 40 us of work."""
        events = []
        for i in range(3):
            launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10 * i + 1, "dur": 2}
            kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5 + 40 * i, "dur": 40}
            step = {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 10}
            events += [{**launch, "args": {"correlation": i + 1}}, {**kernel, "args": {"device": 0, "correlation": i + 1}}, step]
        found = self.one(json.dumps({"traceEvents": events}))
        self.assertEqual([step["time"] for step in found["steps"]], [45000, 40000, 40000])
        self.assertEqual(found["devices"][0]["idle"], 5000)

    def test_steps_without_the_work_of_the_gpu_are_none(self):
        """No launch tells whose the work is, and most of it runs after the last step."""
        found = self.one("""{"traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 100, "dur": 10},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 105, "dur": 50, "args": {"device": 0}}]}""")
        self.assertEqual([step["time"] for step in found["steps"]], [55000])
        self.assertFalse(found["marked"])

    def test_self_times_of_a_recording_of_the_cpu(self):
        """Two threads; calls within calls, of the same operator too, and one that outlives the call around it."""
        for seed in range(6):
            dice, events = random.Random(seed), []

            def call(thread, begin, end, depth):
                name = f"aten::{dice.choice('abcde')}"
                late = dice.choice([0, 0, 0, 7]) if depth else 0
                events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread, "ts": begin / 1000,
                               "dur": (end + late - begin) / 1000})
                at = begin
                while depth < 4 and end - at > 40 and dice.random() < 0.8:
                    length = dice.randint(10, (end - at) // 2)
                    call(thread, at, at + length, depth + 1)
                    at += length + dice.randint(0, 20)

            for thread in (1, 2):
                for i in range(5):
                    call(thread, 10_000 * i, 10_000 * i + dice.randint(100, 9_000), 0)
            dice.shuffle(events)
            with self.subTest(seed=seed):
                found = self.one(json.dumps({"traceEvents": events}))
                self.assertGreater(len(found["cpu"]), 2)

    def test_more_decimals_than_nanoseconds_are_rounded(self):
        """A tool that subtracted in floating point writes 12.300999999999998 for 12.301."""
        found = self.one("""[{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 12.300999999999998,
            "dur": 2.0009999999999999, "args": {"device": 0}}]""")
        self.assertEqual(found["kernels"]["k"]["total"], 2001)


class Corpus(Comparing):
    def test_real_traces(self):
        compared = 0
        for name in REAL:
            path = corpus() / "torch" / name
            if not path.exists():
                continue
            with self.subTest(name):
                self.agree(by_frx(path), trace_breakdown.analyse(path))
                compared += 1
        self.assertGreaterEqual(compared, 3)


def corpus():
    return pathlib.Path(os.environ.get("FRX_CORPUS") or ROOT.parent / "shared/corpus")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    parser.add_argument("part", choices=["made", "corpus"])
    options = parser.parse_args()
    FRX = options.frx
    if options.part == "corpus" and not (corpus() / "torch").is_dir():
        print("no corpus of real profiles: set FRX_CORPUS to its folder")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "Made" if options.part == "made" else "Corpus"])
