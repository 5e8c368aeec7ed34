"""Every Python name that the documentation of Fournex has is there, takes the arguments that it is documented with, and answers.

Each is called with a small real input, and what it returns is held against the schema that describes it.
"""

import importlib
import inspect
import json
import os
import re
import unittest
from pathlib import Path

import fournex
from fournex import analysis, explain, ncu
from support import PACKAGE_ROOT, REPOSITORY, SdkTest, environment, events_in, of_type, violations
from test_native import LIBRARY, PTX

CSV = REPOSITORY / "demos/ncu/strided_copy.csv"
SOURCE = REPOSITORY / "demos/ncu/strided_copy.cu"
ZOO = REPOSITORY / "demos/cuda_zoo/01_uncoalesced"

# The name as it is imported, and the arguments that the documentation calls it with, by name or by place.
DOCUMENTED = {
    "fournex.init": ["job_name"],
    "fournex.step_context": ["step", "batch", "model"],
    "fournex.profiler.profile_kernels": ["output_dir", "steps"],
    "fournex.analysis.summarize_run_with_steady_state": ["events"],
    "fournex.ptx.analyze_ptx_text": ["text"],
    "fournex.AutopilotSession.from_env": [],
    "fournex.AutopilotSession.step": ["step_id", "step_kind"],
    "fournex.AutopilotSession.dataloader_span": [],
    "fournex.AutopilotSession.forward_span": [],
    "fournex.AutopilotSession.backward_span": [],
    "fournex.AutopilotSession.optimizer_span": [],
    "fournex.AutopilotSession.flush": [],
    "fournex.what_evidence_is_missing": ["static", "ptx", "ncu"],
    "fournex.reconciliation.what_evidence_is_missing": ["static", "ptx", "ncu"],
    "fournex.reconciliation.reconcile_evidence": ["static", "ptx", "ncu", "profiler"],
    "fournex.explain.build_explain_result": ["ncu_result", "static_result"],
    "fournex.bench.bench_compare": ["before_src", "after_src"],
    "fournex.bench.compile_kernel": ["src"],
    "fournex.bench.time_binary": ["command"],
    "fournex.bench.profile_with_ncu": ["command"],
    "fournex.compare.diff_ncu_runs": ["baseline", "optimized"],
    "fournex.compare.compare_implementations": ["a", "b"],
    "fournex.ncu_analysis.analyze_ncu_csv": ["path"],
    "fournex.ncu_analysis.analyze_ncu_csv_text": ["text", "environment"],
    "fournex.ncu_analysis.validate_ncu_csv_text": ["text", "preset"],
    "fournex.kernel_inspector.inspect_cuda_source": ["text"],
    "fournex.ptx_analysis.analyze_ptx_text": ["text"],
    "fournex.gpus.detect_gpu_model": ["name"],
    "fournex.gpus.estimate_occupancy": ["gpu_model", "threads_per_block", "registers_per_thread"],
    "fournex.gpus.device_limits_for_gpu": ["gpu_model"],
    "fournex.gpus.get_arch_profile": ["gpu_model"],
    "fournex.gpus.resolve_sm_version": ["gpu_model"],
    "fournex.persistence.persist_run_with_steady_state_summary": ["path", "events"],
    "fournex.persistence.persist_run_artifacts": ["events"],
}


def named(path):
    """The object of a dotted name: a module as far as there are modules, then its members."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AssertionError(path)


class Names(unittest.TestCase):
    def test_each_is_there_with_its_arguments_types_and_words(self):
        for path, arguments in DOCUMENTED.items():
            with self.subTest(path):
                function = named(path)
                parameters = inspect.signature(function).parameters
                accepts_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
                for argument in arguments:
                    self.assertTrue(accepts_any or argument in parameters, f"{argument}, there are {list(parameters)}")
                self.assertTrue(inspect.getdoc(function), "no docstring")
                if not inspect.isclass(function):
                    self.assertIn("return", inspect.unwrap(function).__annotations__, "no type is returned")

    def test_what_is_exported_is_there_and_documented(self):
        for module in sorted((PACKAGE_ROOT / "fournex").glob("*.py")):
            if module.stem.startswith("_") and module.stem != "__init__":
                continue
            found = importlib.import_module("fournex" if module.stem == "__init__" else f"fournex.{module.stem}")
            for name in getattr(found, "__all__", []):
                with self.subTest(f"{found.__name__}.{name}"):
                    member = getattr(found, name)
                    if inspect.isfunction(member) or inspect.isclass(member):
                        self.assertTrue(inspect.getdoc(member), "no docstring")

    def test_the_package_asks_for_nothing_before_it_is_asked(self):
        program = "import sys, fournex; sys.exit(any(name in sys.modules for name in ('fournex._native', 'ctypes', 'pandas', 'torch')))"
        self.assertEqual(os.spawnve(os.P_WAIT, os.sys.executable, ["python", "-c", program], {"PYTHONPATH": str(PACKAGE_ROOT)}), 0)
        with self.assertRaises(AttributeError):
            fournex.no_such_name


@unittest.skipIf(not LIBRARY, "FRX_TEST_LIBRARY does not name a libfrx.so to test with")
class Answers(SdkTest):
    """What the names return, from the library in this process."""

    def setUp(self):
        super().setUp()
        change = environment(FRX_LIBRARY=LIBRARY, FRX_PROGRAM=None)
        change.__enter__()
        self.addCleanup(change.__exit__, None, None, None)

    def follows(self, schema, result):
        text = (REPOSITORY / f"data/schemas/{schema}.json").read_text()
        self.assertEqual(violations(json.loads(json.dumps(result)), json.loads(text)), [])

    def test_evidence_is_reconciled_and_what_is_missing_is_named(self):
        static = fournex.inspect_cuda_source(SOURCE.read_text(), pedantic=True)
        self.follows("cuda_static_v1", static)
        alone = fournex.reconcile_evidence(static=static)
        self.follows("reconciliation_v1", alone)
        self.assertEqual(alone["layers_available"], ["source"])
        missing = {one["label"]: one["missing_evidence"] for one in fournex.what_evidence_is_missing(static=static)}
        self.assertIn("inefficient_global_memory_access", missing)
        for one in missing.values():
            self.assertTrue(one["metrics"])
            self.assertRegex(one["ncu_command"], "^ncu .*--metrics " + one["metrics"][0]["metric"])
            self.assertTrue(one["confidence_if_confirmed"])
        both = fournex.reconcile_evidence(static=static, ncu=fournex.analyze_ncu_csv(str(CSV)))
        self.assertEqual(both["diagnoses"][0]["layers_confirming"], ["source", "ncu"])
        still = {one["label"] for one in fournex.what_evidence_is_missing(static=static, ncu=fournex.analyze_ncu_csv(str(CSV)))}
        self.assertNotIn("inefficient_global_memory_access", still)
        self.assertEqual(fournex.what_evidence_is_missing(), [])
        printed = {"mode": "ptx", "result": dict(fournex.analyze_ptx_text(PTX))}  # as the command line prints it
        self.assertEqual([one["layers_confirming"] for one in fournex.what_evidence_is_missing(ptx=printed)], [["ptx"]])
        with self.assertRaisesRegex(fournex.FrxError, "static: expected the result"):
            fournex.reconcile_evidence(static=[])

    def test_the_explain_result_is_what_frx_explain_writes(self):
        samples = [*sorted((REPOSITORY / "tests/fuzz/corpus/fuzz_ncu_csv").glob("*.csv")), CSV]
        compared = 0
        for sample in samples:
            try:
                result = fournex.analyze_ncu_csv(str(sample))
            except fournex.FrxError:
                continue
            with self.subTest(sample.name):
                self.same_explanation(explain.build_explain_result(result), str(sample), None)
                compared += 1
        self.assertGreaterEqual(compared, 4)
        static = fournex.inspect_cuda_files([str(SOURCE)], pedantic=True)  # the profile settles what the source alone does not
        made = explain.build_explain_result(fournex.analyze_ncu_csv(str(CSV)), static)
        self.same_explanation(made, str(CSV), str(SOURCE))
        self.assertEqual(made["primary_diagnosis"]["reconciled_as"], "inefficient_global_memory_access")

    def same_explanation(self, made, profile, source):
        self.follows("frx_explain_v0", made)
        files = explain.write_explain_files(profile, str(self.folder / "out"), source)
        written = json.loads(Path(files["evidence"]).read_text())
        # The result has two decimals of an average where the brief has four.
        for name, value in written["key_metrics"].items():
            if isinstance(value, float):
                self.assertAlmostEqual(made["key_metrics"].pop(name), value, delta=0.0051)
            else:
                self.assertEqual(made["key_metrics"].pop(name), value)
        self.assertEqual(made.pop("key_metrics"), {})
        del written["key_metrics"]
        self.assertEqual(list(made), [name for name in written])
        agreed = [result.pop("reconciliation") for result in (made, written)]
        if source is not None:
            of_both = [{one["label"]: (one["confidence"], one["layers_confirming"]) for one in each["diagnoses"]} for each in agreed]
            self.assertEqual(*of_both)
        for name, value in written.items():
            self.assertEqual(made[name], value, name)
        self.assertIn(written["primary_diagnosis"]["display_name"], explain.build_explain_prompt(profile, source))

    def test_implementations_are_compared(self):
        a, b = ((ZOO / name).read_text() for name in ("bad.cu", "good.cu"))
        result = fournex.compare_implementations({"label": "bad", "cuda_source": a}, {"label": "good", "cuda_source": b, "ptx_text": PTX})
        self.follows("comparison_v1", result)
        self.assertEqual((result["label_a"], result["label_b"]), ("bad", "good"))
        self.assertFalse(result["data_availability"]["a"]["ptx"])
        with self.assertRaisesRegex(ValueError, "cuda_src"):
            fournex.compare_implementations({"cuda_src": a}, {"cuda_source": b})
        with self.assertRaisesRegex(fournex.FrxError, "b: nothing is given"):
            fournex.compare_implementations({"cuda_source": a}, {"label": "b"})

    def test_profiles_are_compared(self):
        faster = re.sub(r'"gpu__time_duration.sum","(\w+)","[^"]+"', r'"gpu__time_duration.sum","\1","1"', CSV.read_text())
        result = fournex.diff_ncu_runs(str(CSV), faster)
        self.follows("ncu_comparison_v1", result)
        self.assertEqual((result["label_baseline"], result["label_optimized"]), ("baseline", "optimized"))
        self.assertTrue(result["verdict"]["outcome"])
        with self.assertRaisesRegex(fournex.FrxError, "no-such.csv"):
            fournex.diff_ncu_runs(CSV, "no-such.csv")

    def test_a_profile_is_validated(self):
        text = CSV.read_text()
        self.assertTrue(fournex.validate_ncu_csv_text(text)["valid"])
        memory = fournex.validate_ncu_csv_text(text, preset="memory")
        self.assertEqual((memory["valid"], memory["preset"], memory["errors"]), (True, "memory", []))
        tensor = fournex.validate_ncu_csv_text(text, preset="tensor")
        self.assertFalse(tensor["valid"])
        self.assertIn("tensor_core_utilization_pct", tensor["errors"][0])
        broken = fournex.validate_ncu_csv_text("no,profile\n1,2\n")
        self.assertEqual(broken["valid"], False)
        self.assertTrue(broken["errors"][0])
        self.assertEqual(set(broken), set(tensor))
        with self.assertRaisesRegex(ValueError, "memory"):
            fournex.validate_ncu_csv_text(text, preset="speed")

    def test_parts_of_a_profile_and_its_presets(self):
        text = CSV.read_text()
        self.assertEqual(len(ncu.summarize_kernel_launches(text)), 2)
        self.assertEqual(ncu.derive_ncu_run_summary(text)["kernel_count"], 2)
        counters = {"copy": {"gpu__time_duration.sum": 12500, "dram__throughput.avg.pct_of_peak_sustained_elapsed": 92}}
        self.assertEqual(fournex.analyze_ncu_profile_dict(counters)["primary_bottleneck"], "memory_bandwidth_bound")
        self.assertEqual(fournex.analyze_ncu_profile_dict({"metrics": counters})["kernel_count"], 1)
        self.assertEqual(set(ncu.NCU_METRIC_PRESETS), {"memory", "tensor", "occupancy", "stalls", "full"})
        self.assertIn("gpu__time_duration.sum", ncu.get_ncu_preset("memory")["metrics"])
        self.assertEqual(ncu.format_shell_command(["ncu", "a b"]), "ncu 'a b'")
        with self.assertRaises(KeyError):
            ncu.get_ncu_preset("speed")

    def test_parts_of_code(self):
        source = SOURCE.read_text()
        self.assertEqual([one["name"] for one in analysis.parse_cuda_kernels(source)], ["strided_copy", "block_sum_interleaved"])
        self.assertEqual(len(analysis.parse_cuda_launches(source)), source.count("<<<"))
        self.assertEqual(analysis.build_static_cuda_report(source)["launch_count"], source.count("<<<"))
        self.assertEqual([one["kernel_name"] for one in analysis.parse_ptx_text(PTX)], ["square"])

    def test_gpus_are_recognised_by_their_names(self):
        documented = {"NVIDIA RTX 5060": "rtx5060", "NVIDIA H100 80GB HBM3": "h100-sxm5-80gb", "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb"}
        for name, model in documented.items():
            self.assertEqual(fournex.detect_gpu_model(name), model)
        self.assertEqual(fournex.detect_gpu_model("H100"), "h100")
        self.assertEqual(fournex.detect_gpu_model("sm_86"), "sm_86")
        self.assertIsNone(fournex.detect_gpu_model("AMD Instinct MI300X"))
        for asked, version in {"T4": "sm_75", "A100": "sm_80", "L4": "sm_89", "H100": "sm_90", "RTX5060": "sm_120"}.items():
            self.assertEqual(fournex.resolve_sm_version(asked), version)
        self.follows("gpu_v1", fournex.get_arch_profile("L4"))
        with self.assertRaises(fournex.FrxError):
            fournex.get_arch_profile("no such GPU")

    def test_the_gpu_of_this_machine_is_recognised(self):
        tool = self.folder / "nvidia-smi"  # a stand-in: it looks at no GPU
        tool.write_text(
            "#!/bin/sh\n"
            'echo "0, GPU-a, Tesla T4, 7.5, 15360, 550.54.15, 00000000:17:00.0, 70.00, 1590, 5001, [N/A]"\n'
            'echo "1, GPU-b, NVIDIA H100 PCIe, 9.0, 81559, 550.54.15, 00000000:65:00.0, 350.00, 1755, 1593, Disabled"\n'
        )
        tool.chmod(0o755)
        nowhere = str(self.folder / "no-library")
        here = {"PATH": f"{self.folder}:/usr/bin:/bin", "FRX_NVML_LIBRARY": nowhere, "FRX_CUDA_LIBRARY": nowhere}
        with environment(**here, CUDA_VISIBLE_DEVICES=None):
            self.assertEqual(fournex.detect_gpu_model(), "t4")
        with environment(**here, CUDA_VISIBLE_DEVICES="GPU-b"):
            self.assertEqual(fournex.detect_gpu_model(), "h100-pcie-80gb")
        tool.unlink()
        with environment(**here, CUDA_VISIBLE_DEVICES=None):
            self.assertIsNone(fournex.detect_gpu_model())

    def test_occupancy_is_computed(self):
        result = fournex.estimate_occupancy("A100", threads_per_block=256, registers_per_thread=72)
        self.follows("gpu_occupancy_v1", result)
        self.assertEqual((result["occupancy_pct"], result["limiting_factors"]), (37.5, ["registers"]))
        self.assertEqual(fournex.device_limits_for_gpu("sm_80")["warps_per_sm"], 64)
        refused = fournex.estimate_occupancy("A100", threads_per_block=2048, registers_per_thread=32)
        self.assertIsNone(refused["occupancy_pct"])
        self.assertIn("2048", refused["launch_fails"])
        with self.assertRaises(fournex.FrxError):
            fournex.estimate_occupancy("A100", threads_per_block=-1, registers_per_thread=32)

    def test_a_run_is_recorded_summarised_and_persisted(self):
        self.start(stream_trace=False, job_name="a-job", derived_summary_path=str(self.folder / "summary.json"))
        session = fournex.AutopilotSession.from_env()
        for number in range(6):
            with session.step(step_id=number, step_kind="train"):
                for span in (session.dataloader_span, session.forward_span, session.backward_span, session.optimizer_span):
                    with span():
                        pass
        session.flush()
        events = fournex.get_local_events()
        summary = fournex.summarize_run_with_steady_state(events)
        self.follows("run_analysis_v1", summary)
        self.assertIn("user_facing_bottleneck", summary["steady_state"]["diagnosis"])
        self.assertEqual((summary["step_count"], summary["event_count"]), (6, len(events)))
        path = fournex.persist_run_with_steady_state_summary(events=events)
        self.follows("run_analysis_v1", json.loads(Path(path).read_text()))
        written = fournex.persist_run_artifacts()
        self.assertEqual(len(of_type(events_in(written["raw_trace"]), "step_end")), 6)


if __name__ == "__main__":
    unittest.main()
