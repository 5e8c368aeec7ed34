"""Windows of torch.profiler: steps keep their numbers in the trace, and a program that cannot be profiled runs all the same."""

import json
import unittest
from pathlib import Path

import fournex
from fournex import sampled_profiler, torch_window
from support import SdkTest, clean_environment, collected, events_in, needs_torch, of_type, run

def names_in(path):
    """Names of the events of a Chrome trace; PyTorch built without Kineto writes a bare array."""
    trace = json.loads(Path(path).read_text())
    return {event.get("name") for event in (trace if isinstance(trace, list) else trace["traceEvents"])}


STEPS = """
    import torch
    import fournex as frx
    SET_UP
    for step in range(COUNT):
        with frx.step_context(step):
            torch.ones(8) + 1
"""


def steps(count, set_up="pass"):
    return STEPS.replace("COUNT", str(count)).replace("SET_UP", set_up)


class Configuration(SdkTest):
    def test_the_environment_asks_and_the_workload_may_refuse(self):
        for variables, expected in (
            ({}, None),
            ({"FRX_PROFILER_ENABLED": "1"}, (10, 2, 3, 0)),
            ({"FRX_PROFILER_ENABLED": "1", "FRX_PROFILER": "0"}, None),
            ({"FRX_PROFILER_ENABLED": "1", "FRX_PROFILER_WAIT": "5", "FRX_PROFILER_RECORD": "x", "FRX_PROFILER_REPEAT": "2"}, (5, 2, 3, 2)),
        ):
            fournex.configure_sampled_profiler(enabled=False)
            sampled_profiler.configure_from_environment(variables)
            one = fournex.get_profiler_controller()
            self.assertEqual(one and (one.wait, one.warmup, one.record, one.repeat), expected)

    def test_what_the_program_configured_outlives_init_unless_it_is_forbidden(self):
        fournex.configure_sampled_profiler(wait=7)
        self.start()
        self.assertEqual(fournex.get_profiler_controller().wait, 7)
        sampled_profiler.configure_from_environment({"FRX_PROFILER": "0"})
        self.assertIsNone(fournex.get_profiler_controller())

    def test_counts_that_make_no_sense_are_an_error(self):
        for wrong in ({"record": 0}, {"wait": -1}):
            with self.assertRaises(ValueError):
                fournex.configure_sampled_profiler(**wrong)

    def test_without_pytorch_it_says_so_once(self):
        program = """
            import fournex as frx
            frx.configure_sampled_profiler(wait=0, warmup=0, record=1)
            for step in range(5):
                with frx.step_context(step):
                    pass
        """
        run(program, collected(self.trace), self.folder)
        (warning,) = of_type(events_in(self.trace), "warning_annotation")
        self.assertEqual(warning["payload"]["code"], "torch_profiler_unavailable")


class KernelFacts(unittest.TestCase):
    def test_are_per_step(self):
        facts = torch_window.kernel_facts([4.0, 6.0, 20.0, 8.0, 5.0, 100.0], 2)
        self.assertEqual(
            facts,
            {
                "kernel_count": 3.0,
                "kernel_count_per_step": 3.0,
                "median_cuda_kernel_duration_us": 7.0,
                "small_kernel_fraction": 0.6667,
            },
        )

    def test_no_kernel_seen_is_not_zero_kernels(self):
        self.assertEqual(torch_window.kernel_facts([], 2), {})


@needs_torch
class WithTorch(SdkTest):
    def test_a_cycle_is_scheduled_started_completed_and_exported(self):
        env = collected(
            self.trace,
            FRX_PROFILER_ENABLED="1",
            FRX_PROFILER_WAIT="2",
            FRX_PROFILER_WARMUP="1",
            FRX_PROFILER_RECORD="2",
            FRX_PROFILER_REPEAT="1",
        )
        run(steps(12), env, self.folder)
        windows = of_type(events_in(self.trace), "profiler_window")
        self.assertEqual([one["payload"]["window_state"] for one in windows], ["scheduled", "started", "completed", "exported"])
        self.assertEqual({(one["payload"]["start_step"], one["payload"]["end_step"]) for one in windows}, {(3, 4)})
        self.assertEqual([one["step_id"] for one in windows], [0, 2, 4, 4])
        path = windows[-1]["payload"]["trace_path"]
        self.assertEqual(path, str(self.folder / "profiler" / "profiler_window_0001.json"))
        self.assertEqual(names_in(path) & {f"ProfilerStep#{n}" for n in range(12)}, {"ProfilerStep#3", "ProfilerStep#4"})
        # There is no GPU in this test, or nothing ran on it: nothing is said about kernels.
        self.assertNotIn("kernel_count", windows[-1]["payload"])

    def test_the_next_window_waits_until_writing_is_a_small_share(self):
        env = collected(self.trace)
        run(steps(30, "frx.configure_sampled_profiler(wait=0, warmup=0, record=1)"), env, self.folder)
        exported = of_type(events_in(self.trace), "profiler_window", window_state="exported")
        started = of_type(events_in(self.trace), "profiler_window", window_state="started")
        for one, following in zip(exported, started[1:]):
            self.assertGreaterEqual(following["timestamp_ns"] - one["timestamp_ns"], one["duration_ns"] / sampled_profiler.BUDGET * 0.99)
        self.assertGreaterEqual(len(exported), 1)

    def test_a_run_that_ends_in_the_middle_of_a_window_ends_well(self):
        run(steps(3, "frx.configure_sampled_profiler(wait=0, warmup=0, record=100)"), collected(self.trace), self.folder)
        self.assertEqual(of_type(events_in(self.trace), "profiler_window", window_state="exported"), [])

    def test_profile_kernels_writes_the_trace_that_collect_looks_for(self):
        program = """
            import os, torch
            from fournex.profiler import profile_kernels
            with profile_kernels(output_dir="frx-job-run", steps=2) as profile:
                for step in range(2):
                    torch.ones(64, 64) @ torch.ones(64, 64)
                    profile.step()
        """
        run(program, collected(self.trace), self.folder)
        trace = self.folder / "frx-job-run" / "profiler_trace.json"
        self.assertIn("aten::mm", names_in(trace))
        states = [one["payload"]["window_state"] for one in of_type(events_in(self.trace), "profiler_window")]
        self.assertEqual(states, ["started", "completed", "exported"])

    def test_profile_kernels_inside_of_another_profiler_warns_and_runs_the_block(self):
        program = """
            import torch
            from fournex.profiler import profile_kernels
            with profile_kernels(output_dir="a"), profile_kernels(output_dir="b"):
                print("ran")
        """
        result = run(program, clean_environment(), self.folder)
        self.assertEqual(result.stdout, "ran\n")
        self.assertIn("nothing is profiled", result.stderr)
        self.assertTrue((self.folder / "a" / "profiler_trace.json").exists())


class WithoutTorch(SdkTest):
    def test_profile_kernels_warns_and_runs_the_block(self):
        program = """
            import sys
            sys.modules["torch"] = None  # importing it fails now
            from fournex.profiler import profile_kernels
            with profile_kernels(output_dir="a"):
                print("ran")
        """
        result = run(program, collected(self.trace), self.folder)
        self.assertEqual(result.stdout, "ran\n")
        self.assertIn("nothing is profiled", result.stderr)


if __name__ == "__main__":
    unittest.main()
