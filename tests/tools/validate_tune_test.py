#!/usr/bin/env python3
"""What tools/validate_tune checks, on made-up reports; its program on the CPU, where PyTorch is there; and that it skips without a GPU."""

import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("validate_tune", str(ROOT / "tools/validate_tune"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = tool
LOADER.exec_module(tool)
HAS_TORCH = importlib.util.find_spec("torch") is not None


def trial(config="dl_nw4_pin1", **members):
    return {"config_id": config, "label": "dl:nw=4,pin=T", "benchmark_stage": "full", "passed_guards": True, "exit_code": 0, "peak_memory_ratio": 0.4,
            "env_vars": {"FRX_NUM_WORKERS": "4"}, "speedup": {"value": 0.5, "low": 0.4, "high": 0.6},
            "quality_metrics": {"final_loss": 2.3, "max_output_abs_diff": 0.01}, **members}


def report(winner="same", **members):
    won = trial() if winner == "same" else winner
    return {"baseline": trial("baseline", env_vars={}), "winner": won, "trials": [trial(benchmark_stage="race"), trial()], **members}


class Comparison(unittest.TestCase):
    def test_a_winner_ran_in_full_and_passed_its_guards(self):
        self.assertEqual(tool.judge_winner(report()).verdict, "PASS")
        self.assertEqual(tool.judge_winner(report()).found, "dl:nw=4,pin=T: +50.0 %, +40.0 % to +60.0 %; FRX_NUM_WORKERS=4")
        for wrong in (None, trial(benchmark_stage="race"), trial(passed_guards=False), trial(exit_code=1)):
            self.assertEqual(tool.judge_winner(report(wrong)).verdict, "FAIL")

    def test_races_and_full_trials_of_one_configuration_are_one(self):
        self.assertEqual(tool.judge_budget(report(), 12).found, "1 of 12 configurations")
        many = [trial(f"c{number}") for number in range(13)]
        self.assertEqual([tool.judge_budget(report(trials=many[:count]), 12).verdict for count in (0, 12, 13)], ["FAIL", "PASS", "FAIL"])

    def test_memory_that_was_not_measured_fails(self):
        self.assertEqual(tool.judge_memory(report()).verdict, "PASS")
        for ratio in (None, 0, 1.5):
            self.assertEqual(tool.judge_memory(report(trial(peak_memory_ratio=ratio))).verdict, "FAIL")

    def test_losses_are_finite_and_outputs_were_compared(self):
        self.assertEqual(tool.judge_quality(report()).verdict, "PASS")
        for quality in ({}, {"final_loss": None, "max_output_abs_diff": 0}, {"final_loss": math.nan, "max_output_abs_diff": 0}, {"final_loss": 2.3}):
            self.assertEqual(tool.judge_quality(report(trial(quality_metrics=quality))).verdict, "FAIL")

    def test_reruns_and_report_have_to_meet(self):
        reported = {"value": 0.5, "low": 0.4, "high": 0.6}
        measured = tool.tune_reruns.Measured
        self.assertEqual(tool.judge_rerun(reported, measured(0.62, 0.58, 0.66, 3)).verdict, "PASS")
        self.assertEqual(tool.judge_rerun(reported, measured(0.62, 0.61, 0.63, 3)).verdict, "FAIL")

    def test_a_report_without_a_known_schema_fails(self):
        self.assertEqual(tool.schema_violations({"schema": "no_such.v1"}), ["there is no no_such.v1.json"])
        self.assertEqual(tool.judge_report({}, ["/winner: is missing"]).verdict, "FAIL")
        self.assertEqual(tool.judge_report({}, []).verdict, "PASS")


class Program(unittest.TestCase):
    def train(self, folder, **variables):
        own = {name: value for name, value in os.environ.items() if not name.startswith("FRX_")}
        env = {**own, "PYTHONPATH": str(ROOT / "python"), "FRX_AUTO_PERSIST": "1", "FRX_OUTPUT_DIR": str(folder), "FRX_RAW_TRACE_PATH": str(folder / "trace.jsonl"),
               "FRX_TUNE_MAX_STEPS": "4", **variables}
        command = [sys.executable, "-B", ROOT / "tools/tune_model.py", "--device", "cpu", "--times", folder / "times.json"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        ends = [event for event in map(json.loads, (folder / "trace.jsonl").read_text().splitlines()) if event["event_type"] == "step_end"]
        self.assertEqual(len(json.loads((folder / "times.json").read_text())), len(ends))
        return [end["payload"]["loss"] for end in ends]

    @unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
    def test_workers_change_neither_losses_nor_outputs_and_bfloat16_changes_them_little(self):
        with tempfile.TemporaryDirectory() as temporary:
            base, workers, bfloat16 = (pathlib.Path(temporary) / name for name in ("base", "workers", "bfloat16"))
            for folder in (base, workers, bfloat16):
                folder.mkdir()
            losses = self.train(base)
            self.assertEqual(len(losses), 4)
            self.assertEqual(self.train(workers, FRX_NUM_WORKERS="2", FRX_PIN_MEMORY="true", FRX_TUNE_BASELINE_DIR=str(base)), losses)
            self.assertEqual(json.loads((workers / "quality.json").read_text()), {"max_output_abs_diff": 0.0, "max_output_rel_diff": 0.0})
            self.train(bfloat16, FRX_AMP_DTYPE="bfloat16", FRX_TUNE_BASELINE_DIR=str(base))
            drift = json.loads((bfloat16 / "quality.json").read_text())
            self.assertGreater(drift["max_output_abs_diff"], 0)
            self.assertLess(drift["max_output_abs_diff"], 0.05)

    def test_skips_without_a_gpu(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools/validate_tune", "--frx", "frx"], capture_output=True, text=True, check=False,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual((done.returncode, done.stdout.split(":")[0]), (77, "skipped"))


if __name__ == "__main__":
    unittest.main()
