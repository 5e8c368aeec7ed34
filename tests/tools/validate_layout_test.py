#!/usr/bin/env python3
"""What tools/validate_layout compares, on made-up numbers; its models on the CPU, where PyTorch is there; and that it skips without a GPU."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("validate_layout", str(ROOT / "tools/validate_layout"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = tool
LOADER.exec_module(tool)
HAS_TORCH = importlib.util.find_spec("torch") is not None


def answer(copies, *savings):
    return {"totals": {"copies_per_step": copies}, "findings": [{"saving": saving and {"time_pct": saving}} for saving in savings]}


def verdicts(before, after, before_ns, after_ns):
    return {row.quantity: row.verdict for row in tool.judge_model("m", before, after, before_ns, after_ns)}


class Comparison(unittest.TestCase):
    def test_a_saving_holds_from_its_low_end_on(self):
        before, after = answer(4, None, {"low": 10, "best": 20}), answer(0)
        self.assertEqual(verdicts(before, after, 100, 91), {"found": "holds", "copies": "holds", "saving": "holds"})  # 9 %: 1 point below
        self.assertEqual(verdicts(before, after, 100, 93)["saving"], "DIFFERS")
        self.assertEqual(verdicts(before, after, 100, 60)["saving"], "holds")

    def test_what_was_not_found_and_what_is_left_differ(self):
        self.assertEqual(verdicts(answer(4), answer(0), 100, 90), {"found": "DIFFERS"})
        self.assertEqual(verdicts(answer(4, {"low": 1, "best": 5}), answer(4, {"low": 1, "best": 5}), 100, 90)["found"], "DIFFERS")
        self.assertEqual(verdicts(answer(4, {"low": 1, "best": 5}), answer(4), 100, 90)["copies"], "DIFFERS")
        self.assertEqual(verdicts(answer(None, {"low": 1, "best": 5}), answer(0), 100, 90)["copies"], "DIFFERS")

    def test_gpu_time_of_a_step_is_that_of_the_trace(self):
        step = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{n}", "ts": n, "dur": 1} for n in (3, 4)]
        work = [{"ph": "X", "cat": cat, "name": "k", "ts": 1, "dur": dur} for cat, dur in (("kernel", 10), ("gpu_memcpy", 4.5), ("cpu_op", 99))]
        self.assertEqual(tool.gpu_ns_per_step({"traceEvents": step + work}), 7250)
        with self.assertRaises(tool.Unavailable):
            tool.gpu_ns_per_step({"traceEvents": step})

    def test_a_trial_has_to_assess_kernels(self):
        gates = [{"id": "numerics", "outcome": "passed"}, {"id": "kernel_identity", "outcome": "passed"}, {"id": "throughput_memory", "outcome": "undecided"}]
        result = {"decision": "inconclusive", "reason": "", "gates": gates}
        self.assertEqual(tool.judge_trial(result).verdict, "holds")
        gates[1]["outcome"] = "not_applicable"
        self.assertEqual(tool.judge_trial(result).verdict, "DIFFERS")


class Program(unittest.TestCase):
    @unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
    def test_the_cures_compute_the_same(self):
        sys.path.insert(0, str(ROOT / "tools"))
        import layout_models
        import torch

        for make in layout_models.MODELS.values():
            results = []
            for cured in (False, True):
                torch.manual_seed(0)
                results.append(make("cpu", cured)[1]())
            torch.testing.assert_close(*results)

    def test_skips_without_a_gpu(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools/validate_layout", "--frx", "frx"], capture_output=True, text=True, check=False,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual((done.returncode, done.stdout.split(":")[0]), (77, "skipped"))

    def test_the_plan_is_one(self):
        sys.path.insert(0, str(ROOT / "python"))
        from fournex.layout import read_plan

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.json"
            path.write_text(json.dumps(tool.PLAN))
            self.assertEqual(read_plan(str(path)).changes[0].format, "channels_last")


if __name__ == "__main__":
    unittest.main()
