"""frx layout trial with real PyTorch on the CPU: what each gate stops."""

import json
import unittest

from layout_trials import GAIN, TrialTest
from support import REPOSITORY, needs_torch, violations

AUDIT = json.loads((REPOSITORY / "data/schemas/layout_trial_audit.v1.json").read_text())


@needs_torch
class Trials(TrialTest):
    def test_a_real_channels_last_plan_keeps_the_results_and_its_gain_has_an_interval(self):
        result = self.tried(work="pass", options=["--windows", "20"])
        self.assertEqual(self.outcomes(result)["numerics"], "passed")
        self.assertEqual(self.outcomes(result)["kernel_identity"], "not_applicable")
        if result["decision"] != "promoted":
            self.assertEqual(result["decided_by"], "throughput_memory", result["reason"])
            # On a busy machine times drift so much that there is no interval, and the trial says so.
            interval = r"^[+-][0-9.]+ % throughput \(99 % interval [+-][0-9.]+ % to [+-][0-9.]+ %\)"
            self.assertRegex(result["reason"], interval + r"|^\d+ and \d+ windows were measured, and their times drift so much")
        self.assertEqual([one["side"][0] for one in result["runs"]], ["b", "c", "c", "b", "b", "c"])
        self.assertGreater(len(result["runs"][0]["windows_ns"]), 20)

    def test_a_change_that_keeps_results_and_gains_time_is_validated_and_logged(self):
        (self.folder / "log").mkdir()
        (self.folder / "log/audit.jsonl").write_text('{"cut": "by a cra')
        result = self.tried(options=["--audit", "log/audit.jsonl"])
        self.assertEqual((result["decision"], result["status"], result["decided_by"]), ("promoted", "validated", None), result["reason"])
        before, line = (self.folder / "log/audit.jsonl").read_text().splitlines()
        self.assertEqual(before, '{"cut": "by a cra')
        self.assertEqual(violations(json.loads(line), AUDIT), [])
        self.assertEqual(json.loads(line)["plan_sha256"], result["plan_sha256"])

    def test_other_results_are_stopped_by_the_first_gate(self):
        result = self.tried(after="y = y * (1.001 if changed else 1)")
        self.rejected(result, "numerics")
        self.assertEqual(set(self.outcomes(result).values()), {"failed", "not_reached"})

    def test_a_leak_is_stopped_by_memory(self):
        result = self.tried(work=GAIN + "\n            if changed: kept.append(torch.ones(2_000_000))")
        self.rejected(result, "throughput_memory")
        self.assertIn("the peak of memory is", result["reason"])

    def test_recompilation_in_each_window_is_stopped_by_the_compiler_gate(self):
        # PyTorch before 2.0 has no compiler: the program counts for a made-up one.
        count = "trial.counters(unique_graphs=1, graph_breaks=0, recompiles=7 if changed else 0, cudagraph_skips=0)"
        result = self.tried(after=count, mode="'stand-in compiler'")
        self.rejected(result, "compile_stability")
        self.assertEqual(result["reason"], "7 recompilations, before 0")

    def test_an_operator_of_another_library_is_skipped(self):
        setup = """
library = torch.library.Library("mylib", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x * 2, "CPU")
"""
        result = self.tried(work=GAIN + "\n            y = torch.ops.mylib.twice(y)", setup=setup)
        self.assertEqual((result["decision"], result["decided_by"]), ("skipped", "custom_ops"), result["reason"])
        self.assertIn("operators of mylib", result["reason"])


if __name__ == "__main__":
    unittest.main()
