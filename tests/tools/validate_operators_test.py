#!/usr/bin/env python3
"""What tools/validate_operators checks, on made-up profiles, and a run of it with stand-ins for the Python that has PyTorch, and for ncu: no GPU."""

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
LOADER = SourceFileLoader("validate_operators", str(ROOT / "tools/validate_operators"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = tool
LOADER.exec_module(tool)


def traced(durations_us):
    return {"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": one} for one in durations_us] + [{"ph": "X", "cat": "cpu_op", "dur": 9}]}


def kernel(ns, measured_ns=None, **more):
    raw = {} if measured_ns is None else {"gpu__time_duration.sum": measured_ns}
    return {"duration_ns": ns, "match_quality": "exact" if raw else None, "metrics": {"raw": raw}, **more}


def profile(*kernels):
    return {"operators": [{"kernels": list(kernels)}], "unattributed_kernels": [], "init_kernels": [], "warnings": ["1 kernel without counters"]}


def report(*operators, total=1000):
    return {"kernel_ns": total, "operators": [{"name": name, "gpu_ns": ns, "diagnosis": diagnosis} for name, ns, diagnosis in operators]}


BOUND = {"primary_bottleneck": "compute_bound", "display_name": "Compute Bound"}


def failures(durations_us, made, about):
    return [text.split(":")[0] for text in tool.judge("net", traced(durations_us), made, about).failures]


class Judge(unittest.TestCase):
    def test_what_holds(self):
        outcome = tool.judge("net", traced([0.3, 0.6, 0.1]), profile(kernel(300, 310), kernel(600, 640), kernel(100, 95)), report(("aten::mm", 1000, BOUND)))
        self.assertEqual(outcome.failures, [])
        self.assertEqual((outcome.kernels, outcome.covered_pct, outcome.in_order, outcome.leading), (3, 100, 1, "aten::mm: Compute Bound"))

    def test_totals(self):
        made, about = profile(kernel(300, 310)), report(("aten::mm", 300, BOUND), total=300)
        self.assertEqual(failures([0.3, 0.1], made, about), ["totals"])
        self.assertEqual(failures([0.31], made, about), ["totals"])

    def test_coverage(self):
        self.assertEqual(failures([0.9, 0.1], profile(kernel(900, 900), kernel(100)), report(("aten::mm", 1000, BOUND))), ["coverage"])
        self.assertEqual(failures([0.96, 0.04], profile(kernel(960, 900), kernel(40)), report(("aten::mm", 1000, BOUND))), [])

    def test_order(self):
        made = profile(*(kernel(ns, 1000 - ns) for ns in (100, 200, 700)))
        self.assertEqual(failures([0.1, 0.2, 0.7], made, report(("aten::mm", 1000, BOUND))), ["order"])

    def test_inferred_counters_do_not_count_for_the_order(self):
        made = profile(*(kernel(ns, 1000 - ns, inferred=True) for ns in (100, 200, 700)))
        self.assertEqual(failures([0.1, 0.2, 0.7], made, report(("aten::mm", 1000, BOUND))), [])

    def test_diagnosis_of_what_takes_a_percent(self):
        made = profile(kernel(1000, 1000))
        self.assertEqual(failures([1], made, report(("aten::mm", 991, BOUND), ("aten::t", 9, None))), [])
        self.assertEqual(failures([1], made, report(("aten::mm", 990, None), ("aten::t", 10, {"primary_bottleneck": "insufficient_ncu_data"}))), ["diagnosis", "diagnosis"])


class Order(unittest.TestCase):
    def test_is_that_of_kernels_whose_times_differ_clearly(self):
        self.assertEqual(tool.share_in_order([(100, 50), (120, 40), (200, 90)]), 1)  # 100 and 120 have none
        self.assertEqual(tool.share_in_order([(100, 50), (200, 40), (400, 90)]), 2 / 3)

    def test_needs_kernels_whose_times_differ(self):
        self.assertIsNone(tool.share_in_order([(100, 1), (110, 9)]))
        self.assertIsNone(tool.share_in_order([]))


# Stand-ins. "python3" and "python" answer the questions of the tool, write a trace that was made up, and run the checks of fournex for real.
PYTHON = """#!/bin/sh
case "$*" in
  *is_available*) echo True ;;
  *__version__*) echo 2.11.0 ;;
  *check_profile*) exec {python} "$@" ;;
  -c*frx::measure*) for last; do :; done; cp {trace} "$last" ;;
  *) exit 0 ;;
esac
"""
NCU = """#!/bin/sh
case "$1" in
  --version) echo "Version 2025.3.1.0" ;;
  --query-metrics) echo "gpu__time_duration Counter" ;;
  *) while [ "$1" != --export ]; do shift; done; cp {counters} "$2" ;;
esac
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text, executable=False):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if executable else 0o644)
        return path

    def test_a_workload_from_trace_to_profile(self):
        events = []
        for number in range(3):
            at = 1000 * number
            events += [
                {"ph": "X", "cat": "user_annotation", "name": f"frx::measure#{number}", "pid": 1, "tid": 1, "ts": at, "dur": 500},
                {"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, "tid": 1, "ts": at + 10, "dur": 100},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 20, "dur": 5, "args": {"correlation": number + 1}},
                {"ph": "X", "cat": "kernel", "name": "conv_kernel", "pid": 0, "tid": 7, "ts": at + 100, "dur": 100 + number, "args": {"correlation": number + 1, "device": 0, "stream": 7}},
            ]
        trace = self.write("trace.json", json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": events}))
        rows = "".join(f'"{n}","conv_kernel","(128, 1, 1)","(64, 1, 1)","0","9.0","{100 + n}","20","90","40"\n' for n in range(3))
        counters = self.write("counters.csv", '"ID","Kernel Name","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","dram__throughput.avg.pct_of_peak_sustained_elapsed",'
                              '"sm__throughput.avg.pct_of_peak_sustained_elapsed","sm__warps_active.avg.pct_of_peak_sustained_active"\n"","","","","","","us","%","%","%"\n' + rows)
        for name in ("python3", "python"):
            self.write(f"bin/{name}", PYTHON.format(python=sys.executable, trace=trace), executable=True)
        self.write("bin/ncu", NCU.format(counters=counters), executable=True)
        self.write("bin/nvidia-smi", "#!/bin/sh\necho made up\n", executable=True)
        page = self.write("page.md", f"before\n{tool.BEGIN}\nnothing\n{tool.END}\nafter\n")
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        program = f"import sys; sys.argv = ['x', '--frx', {os.environ['FRX']!r}, '--only', 'conv_block', '--out', {str(self.folder / 'out')!r}]\n" \
                  f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\nfrom validate_operators_test import tool\nimport pathlib\n" \
                  f"tool.PAGE = pathlib.Path({str(page)!r})\nsys.exit(tool.main())"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("| conv_block | 3 | 0.303 | 100.0 % | 100.0 % | - | aten::conv2d: Compute Bound | holds |", done.stdout)
        self.assertIn("1 of 1 workloads hold", done.stdout)
        self.assertIn("PyTorch 2.11.0, Nsight Compute Version 2025.3.1.0", page.read_text())
        self.assertTrue(page.read_text().startswith("before\n") and page.read_text().endswith("after\n"))
        self.assertEqual(json.loads((self.folder / "out/versions.json").read_text())["gpu"], "made up")
        self.assertEqual(len(json.loads((self.folder / "out/conv_block.profile.json").read_text())["operators"]), 3)


if __name__ == "__main__":
    unittest.main()
