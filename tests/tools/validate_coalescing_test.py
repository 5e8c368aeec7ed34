#!/usr/bin/env python3
"""The comparison in tools/validate_coalescing, on made-up counters: no GPU, no ncu. The numbers of ncu below are synthetic,
in the layout that `ncu --csv` prints."""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("validate_coalescing", str(ROOT / "tools/validate_coalescing"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = tool
LOADER.exec_module(tool)

SYNTHETIC = """==PROF== Connected to process 4711 (/tmp/05_bank_conflict-bad.run)
==PROF== Profiling "transpose" - 0: 0%....50%....100% - 3 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
{rows}"""


def counters(values):
    rows = [f'"0","4711","run","127.0.0.1","transpose(float *, const float *, int)","1","7","(32, 32, 1)","(32, 32, 1)","0","9.0",'
            f'"Command line profiler metrics","{name}","","{value}"' for name, value in values.items()]
    return tool.read_counters(SYNTHETIC.format(rows="\n".join(rows)))


def access(space, kind, typical, least=None, most=None, depth=0):
    cost = {"ideal": 1, "best": least or typical, "typical": typical, "worst": most or typical, "exact": True}
    return json.dumps({"space": space, "type": kind, "loop_depth": depth, "cost": cost if typical else None})


def verdicts(lines, values):
    return {(row.space, row.kind): row.verdict for row in tool.compare("k", tool.predict(lines), counters(values))}


LOADS, STORES = tool.SECTORS.format("ld"), tool.SECTORS.format("st")


class Counters(unittest.TestCase):
    def test_are_read_among_other_lines(self):
        self.assertEqual(counters({LOADS: "4", STORES: "1,024.50"}), {LOADS: 4, STORES: 1024.5})

    def test_what_ncu_could_not_count_is_absent(self):
        self.assertEqual(counters({LOADS: "n/a", STORES: ""}), {})
        self.assertEqual(tool.read_counters("==ERROR== ERR_NVGPUCTRPERM\n"), {})

    def test_requests_of_warps_without_an_active_lane_are_not_compared(self):
        found = counters({tool.WAVEFRONTS.format("ld"): "200", tool.REQUESTS.format("ld"): "1,000"})
        self.assertIsNone(tool.measured(found, "shared", "load"))

    def test_wavefronts_are_per_request(self):
        found = counters({tool.WAVEFRONTS.format("ld"): "32,768", tool.REQUESTS.format("ld"): "1,024", tool.CONFLICTS.format("ld"): "31744"})
        self.assertEqual(tool.measured(found, "shared", "load"), 32)
        self.assertEqual(tool.conflicts(found, "shared", "load"), 31)
        self.assertIsNone(tool.measured(found, "shared", "store"))


class Comparison(unittest.TestCase):
    def test_equal_numbers_agree(self):
        self.assertEqual(verdicts([access("global", "load", 4), access("global", "store", 32)], {LOADS: "4", STORES: "32"}),
                         {("global", "load"): "equal", ("global", "store"): "equal"})

    def test_other_numbers_differ(self):
        self.assertEqual(verdicts([access("global", "load", 4)], {LOADS: "8"}), {("global", "load"): "DIFFERS"})
        self.assertEqual(verdicts([access("global", "load", 4)], {LOADS: "2"}), {("global", "load"): "DIFFERS"})

    def test_a_mean_within_the_range_is_no_contradiction(self):
        lines = [access("global", "load", 1), access("global", "load", 32)]
        self.assertEqual(verdicts(lines, {LOADS: "20"}), {("global", "load"): "within the range"})
        self.assertEqual(verdicts(lines, {LOADS: "16.5"}), {("global", "load"): "equal"})

    def test_the_deepest_loop_counts(self):
        lines = [access("global", "load", 4), access("global", "load", 32, depth=1)]
        self.assertEqual(verdicts(lines, {LOADS: "32"}), {("global", "load"): "equal"})

    def test_other_traffic_of_l1_takes_a_tenth_of_a_wavefront_at_most(self):
        def verdict(wavefronts):
            return verdicts([access("shared", "load", 2)], {tool.REQUESTS.format("ld"): "1,000", tool.WAVEFRONTS.format("ld"): wavefronts})["shared", "load"]

        self.assertEqual([verdict(each) for each in ("2,000", "2,090", "2,110", "1,900")], ["equal", "equal but for other traffic", "DIFFERS", "DIFFERS"])

    def test_what_is_missing_is_said(self):
        self.assertEqual(verdicts([access("global", "load", 4)], {}), {("global", "load"): "not measured"})
        self.assertEqual(verdicts([access("global", "load", 4), access("global", "load", None)], {LOADS: "4"}),
                         {("global", "load"): "not predicted"})
        self.assertEqual(verdicts([], {STORES: "4"}), {("global", "store"): "not predicted"})
        self.assertEqual(verdicts([], {STORES: "0"}), {})


class Page(unittest.TestCase):
    def test_says_that_nothing_was_run_or_shows_a_table(self):
        page = tool.PAGE.read_text()
        text = page.split(tool.BEGIN)[1].split(tool.END)[0]
        self.assertTrue("has not been run yet" in text or "| kernel | accesses |" in text)

    def test_gets_the_table_between_its_marks(self):
        page = f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n"
        rows = tool.compare("k", tool.predict([access("global", "load", 4)]), counters({LOADS: "4"}))
        new = tool.with_measured(page, tool.report(rows, "a GPU"))
        self.assertTrue(new.startswith("before\n") and new.endswith(f"\n{tool.END}\nafter\n"))
        self.assertIn("| k | global loads | 4 | 4 to 4 | 4 | - | equal |", new)
        self.assertIn("on a GPU: 1 equal.", new)
        self.assertNotIn("old", new)


class Zoo(unittest.TestCase):
    def test_every_kernel_has_a_launch(self):
        self.assertGreaterEqual(len(tool.kernels()), 24)
        for name in tool.kernels():
            self.assertIn(f" {tool.launch_of(name).kernel}(", (tool.ZOO / f"{name}.cu").read_text())

    def test_launches_compile(self):
        if not shutil.which("nvcc"):
            self.skipTest("no nvcc in the path")
        # All in one program, each in a namespace of its own: one run of nvcc.
        text = "#include <cuda_fp16.h>\n#include <mma.h>\n" + tool.ZEROS
        for i, name in enumerate(tool.kernels()):
            text += f"namespace zoo_{i} {{\n{tool.launcher(name)}}}\n"
        text += "using zoo_0::launch;\n" + tool.MAIN
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "launch.cu"
            source.write_text(text)
            command = ["nvcc", "-arch=sm_80", "-cuda", "-o", f"{folder}/launch.ii", source]  # that the arguments fit is what is asked
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_without_a_gpu_the_page_stays(self):
        if shutil.which("ncu") and shutil.which("nvidia-smi"):
            self.skipTest("this machine has a profiler")
        before = tool.PAGE.read_text()
        done = subprocess.run([sys.executable, ROOT / "tools/validate_coalescing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, tool.SKIPPED)
        self.assertIn("nothing was measured:", done.stdout)
        self.assertEqual(tool.PAGE.read_text(), before)


if __name__ == "__main__":
    unittest.main()
