"""Analysis from Python: the real frx where one was built, stand-ins for what only the program's absence or failure can show."""

import json
import os
import unittest
from unittest import mock

import fournex
from fournex import _native, analysis, cuda_source, ncu, ptx, ptx_analysis
from support import SdkTest, environment

PROGRAM = os.environ.get("FRX_PROGRAM")
needs_frx = unittest.skipIf(not PROGRAM, "FRX_PROGRAM does not name a frx to test with")

LIBRARY = os.environ.get("FRX_TEST_LIBRARY")

PTX = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry square(.param .u64 data)
{
  .reg .f64 %fd<3>; .reg .b32 %r<2>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 256;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f64 %fd1, [%rd4];
  mul.f64 %fd2, %fd1, %fd1;
  st.global.f64 [%rd4], %fd2;
  ret;
}
"""

NCU_CSV = """"Kernel Name","Metric Name","Metric Unit","Metric Value"
"copy","gpu__time_duration.sum","us","12.5"
"copy","dram__throughput.avg.pct_of_peak_sustained_elapsed","%","92"
"""

CUDA = """
__global__ void smooth(float* a, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x < 100) __syncthreads();
  a[threadIdx.x] = s[255 - threadIdx.x];
}
"""


class TheAnswers:
    """What must come out, whichever way frx is called."""

    def test_ptx(self):
        result = ptx.analyze_ptx_text(PTX)
        self.assertEqual(result["schema"], "ptx_analysis_v1")
        self.assertEqual([kernel["kernel_name"] for kernel in result["kernels"]], ["square"])
        self.assertIn("uncoalesced_global_access", {finding["code"] for finding in result["findings"]})
        self.assertEqual(result["filename"], "kernel.ptx")  # not the folder that it was analysed in
        self.assertEqual(ptx_analysis.analyze_ptx_text(PTX), result)
        self.assertEqual(ptx.classify_ptx_bottlenecks(PTX), result["bottlenecks"])

    def test_profiles_of_nsight_compute(self):
        result = ncu.analyze_ncu_csv_text(NCU_CSV)
        self.assertEqual(result["primary_bottleneck"], "memory_bandwidth_bound")
        path = self.folder / "report.csv"
        path.write_text(NCU_CSV)
        self.assertEqual(ncu.analyze_ncu_csv(path)["bottlenecks"], result["bottlenecks"])
        self.assertEqual(ncu.classify_ncu_bottlenecks(NCU_CSV), result["bottlenecks"])

    def test_cuda_source(self):
        self.assertEqual(cuda_source.inspect_cuda_source(CUDA)["findings"][0]["code"], "conditional_syncthreads")
        path = self.folder / "kernel.cu"
        path.write_text(CUDA)
        self.assertEqual(cuda_source.inspect_cuda_files([path])["kernel_count"], 1)

    def test_the_command_for_ncu(self):
        command = ncu.build_ncu_command("memory", ["./app", "--size", "8"])
        self.assertEqual((command[0], command[-3:]), ("ncu", ["./app", "--size", "8"]))

    def test_what_frx_refuses_is_an_error_with_its_words(self):
        with self.assertRaisesRegex(ptx.FrxError, "expected PTX") as caught:
            ptx.analyze_ptx_text("int main() {}")
        self.assertEqual(caught.exception.exit_code, 1)
        self.assertNotIn("/tmp", str(caught.exception))
        with self.assertRaises(ncu.FrxError):
            ncu.analyze_ncu_csv("no-such-file.csv")
        with self.assertRaises(ncu.FrxError):
            ncu.build_ncu_command("nonsense")


@needs_frx
class ThroughTheProgram(TheAnswers, SdkTest):
    pass


@unittest.skipIf(not LIBRARY, "FRX_TEST_LIBRARY does not name a libfrx.so to test with")
class ThroughTheLibrary(TheAnswers, SdkTest):
    def setUp(self):
        super().setUp()
        change = environment(FRX_LIBRARY=LIBRARY, FRX_PROGRAM=None, PATH="")
        change.__enter__()
        self.addCleanup(change.__exit__, None, None, None)


class Finding(SdkTest):
    def stand_in(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def test_without_frx_the_error_names_both_ways(self):
        with environment(FRX_PROGRAM=None, FRX_LIBRARY=None, PATH=str(self.folder)):
            with mock.patch("ctypes.util.find_library", return_value=None):
                with self.assertRaisesRegex(_native.FrxUnavailable, "(?s)FRX_LIBRARY.*FRX_PROGRAM"):
                    ptx.analyze_ptx_text(PTX)

    def test_what_the_environment_names_must_be_there(self):
        with environment(FRX_PROGRAM=str(self.folder / "gone"), FRX_LIBRARY=None):
            with self.assertRaisesRegex(_native.FrxUnavailable, "gone"):
                ptx.analyze_ptx_text(PTX)
        with environment(FRX_LIBRARY=self.stand_in("libfrx.so", "no library")):
            with self.assertRaisesRegex(_native.FrxUnavailable, "libfrx.so"):
                ptx.analyze_ptx_text(PTX)

    def test_the_program_in_the_path_is_found(self):
        self.stand_in("frx", "#!/bin/sh\necho '{\"mode\": \"ptx\", \"result\": {\"bottlenecks\": [7]}}'\n")
        with environment(FRX_PROGRAM=None, FRX_LIBRARY=None, PATH=f"{self.folder}:/usr/bin:/bin"):
            with mock.patch("ctypes.util.find_library", return_value=None):
                self.assertEqual(ptx.classify_ptx_bottlenecks(PTX), [7])

    @needs_frx
    def test_the_program_reads_no_file_of_settings(self):
        (self.folder / ".frx.yaml").write_text("no_such_key: 1\n")
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        with environment(FRX_PROGRAM=PROGRAM, FRX_LIBRARY=None):
            self.assertEqual(ptx.analyze_ptx_text(PTX)["schema"], "ptx_analysis_v1")

    def test_a_program_that_says_nothing_is_an_error(self):
        with environment(FRX_PROGRAM=self.stand_in("silent", "#!/bin/sh\nexit 3\n"), FRX_LIBRARY=None):
            with self.assertRaisesRegex(_native.FrxError, "exit code 3"):
                ptx.analyze_ptx_text(PTX)


class Runs(SdkTest):
    """Events reach frx as a run bundle. The stand-in answers with what it was given."""

    def test_events_are_given_as_the_trace_of_a_bundle(self):
        echo = self.folder / "echo"
        echo.write_text(
            """#!/bin/sh
            [ "$1" = analyze ] && [ "$3" = --json ] || exit 2
            count=$(wc -l < "$2/raw/trace.jsonl")
            echo '{"mode":"run_bundle","result":{"run":{"per_step":['$count'],"diagnosis":{"primary_bottleneck":"input_bound"}},'
            echo '"steady_state":{"scope":{"step_ids":[2]}}}}'
            """
        )
        echo.chmod(0o755)
        self.start(stream_trace=False)
        for step in range(3):
            with fournex.step_context(step):
                pass
        events = fournex.get_local_events()
        with environment(FRX_PROGRAM=str(echo), FRX_LIBRARY=None):
            self.assertEqual(analysis.derive_step_metrics(events), [7])
            self.assertEqual(analysis.build_diagnosis_result(events)["primary_bottleneck"], "input_bound")
            self.assertEqual(analysis.select_steady_state_step_ids(iter(events)), [2])
            self.assertIsNone(analysis.compute_framework_abstraction_tax(events))
            written = fournex.persist_run_artifacts()
        self.assertEqual(json.loads(open(written["derived_summary"]).read())["steady_state"]["scope"]["step_ids"], [2])
        self.assertEqual(len(fournex.load_run_record(written["raw_trace"])), 7)

    @needs_frx
    def test_a_run_that_waits_for_its_data_is_input_bound(self):
        def event(kind, step, at_ms, payload, ms=None):
            at = (step * 180 + at_ms) * 1_000_000
            return fournex.build_runtime_event(
                kind, payload, step_id=step, timestamp_ns=at, duration_ns=None if ms is None else ms * 1_000_000
            )

        events = []
        for step in range(8):
            events.append(event("dataloader_span", step, 80, {"stage": "next"}, 80))
            events.append(event("step_start", step, 80, {"step_kind": "train"}))
            events.append(event("phase_span", step, 170, {"phase_name": "forward"}, 80))
            events.append(event("step_end", step, 180, {"step_kind": "train", "status": "ok"}, 100))
        try:
            summary = analysis.summarize_run_with_steady_state(events)
        except analysis.FrxError as error:
            if "no file of code" not in str(error):
                raise
            self.skipTest("this frx does not read run bundles yet")
        self.assertEqual(summary["steady_state"]["diagnosis"]["user_facing_bottleneck"], "input_bound")


if __name__ == "__main__":
    unittest.main()
