#!/usr/bin/env python3
"""What tools/validate_kernels compares, on made-up numbers, and runs of it with stand-ins for nvcc, ncu, nvidia-smi and NVML: no GPU."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("validate_kernels", str(ROOT / "tools/validate_kernels"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
sys.modules[LOADER.name] = tool
LOADER.exec_module(tool)

MIB = 1 << 20
GPU = {"gpu": "Made Up", "cc": "9.0", "l2_bytes": 50 * MIB, "free_bytes": 80_000 * MIB, "cublas": True}
KERNELS = {kernel.name: kernel for kernel in tool.KERNELS}


def verdicts(rows):
    return {row.quantity: row.verdict for row in rows}


def judged(name, flops=None, dram_bytes=None, n=1 << 30, gpu=GPU, precision=None, flop32=None):
    given = {"throughput": {"flops": flops, "dram_bytes": dram_bytes}, "roofline": {"precision": precision}, "gpu_compute": {"flop32_ops": flop32}}
    profile = {section: {key: value for key, value in fields.items() if value is not None} for section, fields in given.items()}
    return verdicts(tool.judge_kernel(KERNELS[name], n, profile, gpu))


class Kernels(unittest.TestCase):
    def test_two_percent_of_operations_and_bytes(self):
        n = 1 << 30
        self.assertEqual(judged("triad", 2.03 * n, 11.8 * n), {"operations": "holds", "DRAM bytes": "holds"})
        self.assertEqual(judged("triad", 2.05 * n, 12.3 * n), {"operations": "DIFFERS", "DRAM bytes": "DIFFERS"})
        self.assertEqual(judged("sum", 1.01 * n, 4 * n), {"operations": "holds", "DRAM bytes": "holds"})

    def test_a_copy_has_counted_no_operations(self):
        n = 1 << 30
        self.assertEqual(judged("copy", dram_bytes=8 * n, flop32=0)["operations"], "holds")
        self.assertEqual(judged("copy", dram_bytes=8 * n, flop32=n)["operations"], "DIFFERS")
        self.assertEqual(judged("copy", dram_bytes=8 * n)["operations"], "DIFFERS")  # nothing was counted

    def test_what_was_not_measured_does_not_hold(self):
        self.assertEqual(judged("triad"), {"operations": "DIFFERS", "DRAM bytes": "DIFFERS"})

    def test_bytes_of_products_have_bounds(self):
        n, flops = 2048, 2.0 * 2048**3
        for dram_bytes, verdict in ((7.9 * n * n, "holds"), (7 * n * n, "DIFFERS"), (0.25 * n**3, "holds"), (0.3 * n**3, "DIFFERS")):
            self.assertEqual(judged("tiled_product", flops, dram_bytes, n, precision="fp32")["DRAM bytes"], verdict, dram_bytes)
        self.assertEqual(judged("product", flops, 7.9 * n**3, n, precision="fp32")["DRAM bytes"], "holds")
        self.assertEqual(judged("cublas_fp32", flops, 9e12, n, precision="fp32")["DRAM bytes"], "holds")
        self.assertEqual(judged("cublas_fp16", flops, 3 * n * n, n, precision="fp16_tensor")["DRAM bytes"], "DIFFERS")

    def test_another_precision_differs(self):
        n = 4096
        self.assertEqual(judged("cublas_tf32", 2.0 * n**3, 9e9, n, precision="fp32")["precision"], "DIFFERS")

    def test_a_gpu_that_cannot_count_tensor_operations(self):
        n = 4096
        old = {**GPU, "cc": "8.9"}
        self.assertEqual(judged("cublas_fp16", None, 9e9, n, old)["operations"], "not measured")
        self.assertEqual(judged("cublas_fp16", None, 9e9, n)["operations"], "DIFFERS")
        self.assertEqual(judged("cublas_fp32", None, 9e9, n, old)["operations"], "DIFFERS")

    def test_sizes_leave_l2_behind_and_room_for_ncu(self):
        triad = KERNELS["triad"]
        self.assertGreaterEqual(triad.bytes(triad.size(200 * MIB, 80_000 * MIB))[0], 99 * 200 * MIB)
        small = triad.size(50 * MIB, 2000 * MIB)
        self.assertLessEqual(triad.bytes(small)[0], 1000 * MIB)
        self.assertEqual(judged("triad", 2.0 * small, 9.0 * small, small)["DRAM bytes"], "not measured")


class Source(unittest.TestCase):
    def test_has_the_constants_that_are_computed_with(self):
        text = tool.SOURCE.read_text()
        self.assertIn(f"constexpr int threads = {tool.THREADS}, blocks = {tool.BLOCKS}, warp = {tool.WARP};", text)
        self.assertIn(f"constexpr int tile = {tool.TILE};", text)
        for kernel in tool.KERNELS:
            self.assertIn(kernel.name if kernel.is_cublas else f"void {kernel.launched}(", text)

    def test_compiles(self):
        nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        if not nvcc:
            self.skipTest("no nvcc")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([nvcc, "-std=c++17", "-arch=sm_80", "-ptx", "-o", f"{folder}/known.ptx", tool.SOURCE], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


def measured(source, joules, seconds=12.0, watts=300.0):
    return {"notes": [], "gpus": [{"energy": {"joules": joules, "seconds": seconds, "source": source}, "power_watts": {"mean": watts}, "notes": []}]}


class Energy(unittest.TestCase):
    SAMPLES = measured("sampled power", 3600)

    def judged(self, counter, samples=SAMPLES):
        return [row.verdict for row in tool.judge_energy(counter, samples)]

    def test_ten_percent(self):
        self.assertEqual(self.judged(measured("NVML energy counter", 3900)), ["holds", "holds"])
        self.assertEqual(self.judged(measured("NVML energy counter", 4320)), ["DIFFERS", "DIFFERS"])

    def test_the_run_and_another_one(self):
        self.assertEqual(self.judged(measured("NVML energy counter", 4320, watts=360)), ["holds", "DIFFERS"])
        self.assertEqual(self.judged(measured("NVML energy counter", 3600, watts=200)), ["DIFFERS", "holds"])

    def test_ten_seconds_at_least(self):
        self.assertEqual(self.judged(measured("NVML energy counter", 2700, seconds=9)), ["DIFFERS"])

    def test_the_other_way_is_no_second_opinion(self):
        self.assertEqual(self.judged(measured("sampled power", 3600)), ["DIFFERS"])

    def test_without_a_counter_or_a_gpu(self):
        without = measured("", 0)
        without["gpus"][0].update(energy=None, notes=["the GPU or its driver has no energy counter; there is no energy"])
        self.assertEqual(self.judged(without), ["not measured"])
        self.assertEqual(self.judged({"gpus": [], "notes": ["no GPU metrics"]}), ["not measured"])


# Stand-ins. "nvcc" writes a program that says what its GPU is, gives ncu the counters of the kernel, and takes the time that it is told to.
NVCC = """#!/bin/sh
case "$1" in --version) echo "Cuda compilation tools, release 99.0, made up"; exit ;; esac
while [ "$1" != -o ]; do shift; done
cp {program} "$2" && chmod +x "$2"
"""
PROGRAM = """#!/bin/sh
if [ "$1" = describe ]; then echo '{description}'; exit; fi
cp {counters}/"$1".csv "$0.csv"
[ -z "$3" ] || sleep "$3"
echo '{{"launches": 1}}'
"""
SMI = """#!/bin/sh
case "$*" in *compute_cap*) echo 9.0 ;; *) echo made up ;; esac
"""
COUNTERS = ["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
            "sm__ops_path_tensor_src_tf32_dst_fp32.sum", "sm__ops_path_tensor_src_fp16.sum", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum",
            "gpu__time_duration.sum"]
UNITS = ["inst", "inst", "inst", "", "", "%", "byte", "ns"]
NAMES = {"cublas_fp32": "ampere_sgemm_128x64_nn", "cublas_tf32": "sm90_xmma_gemm_f32f32_tf32f32_f32", "cublas_fp16": "nvjet_hsh_128x256"}


def counters_of(kernel, operations_off=1.0):
    """What ncu would print."""
    n = kernel.size(GPU["l2_bytes"], GPU["free_bytes"])
    operations = operations_off * kernel.operations(n)
    add, multiply_add = (operations, 0) if kernel.name == "sum" else (0, operations / 2)
    tf32, fp16 = (operations if kernel.precision == name else 0 for name in ("tf32_tensor", "fp16_tensor"))
    on_tensor_cores = tf32 or fp16
    values = [add, 0, 0 if on_tensor_cores else multiply_add, tf32, fp16, 80 if on_tensor_cores else 0, kernel.bytes(n)[0], 5e6]
    name = NAMES.get(kernel.name, f"known_{kernel.name}(float const *, float *)")
    lines = [["ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC", *COUNTERS], ["", "", "", "", "", "", *UNITS],
             ["0", name, "(256, 1, 1)", "(1024, 1, 1)", "0", "9.0", *(f"{value:.0f}" for value in values)]]
    return "".join(",".join(f'"{word}"' for word in line) + "\n" for line in lines)


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.write("page.md", f"before\n{tool.BEGIN}\nnothing\n{tool.END}\nafter\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def validate(self, *arguments, operations_off=1.0, counter_watts="345.67", tools=("nvcc", "nvidia-smi")):
        for kernel in tool.KERNELS:
            self.write(f"counters/{kernel.name}.csv", counters_of(kernel, operations_off if kernel.name == "triad" else 1))
        program = self.write("program", PROGRAM.format(description=json.dumps(GPU), counters=self.folder / "counters"))
        for name, text in (("nvcc", NVCC.format(program=program)), ("nvidia-smi", SMI)):
            if name in tools:
                self.write(f"bin/{name}", text)
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{ROOT}/tests/support/fake_ncu:/usr/bin:/bin", "FRX_NVML_LIBRARY": os.environ["FRX_FAKE_NVML"],
                       "FAKE_NVML_GPUS": "1", "FAKE_NVML_COUNTER": counter_watts}
        words = ["x", "--frx", os.environ["FRX"], "--out", str(self.folder / "out"), *arguments]
        script = f"import sys, pathlib; sys.argv = {words!r}\nsys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\nfrom validate_kernels_test import tool\n" \
                 f"tool.PAGE = pathlib.Path({str(self.page)!r})\ntool.ENERGY_SECONDS, tool.LEAST_ENERGY_SECONDS = 2.0, 1.0\nsys.exit(tool.main())"
        return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)

    def test_right_numbers_hold_and_are_recorded(self):
        done = self.validate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("23 hold, 0 differ, 0 were not measured", done.stdout)
        self.assertIn("| copy | operations | 0 | 0 | - | holds |", done.stdout)
        self.assertIn("| cublas_fp16 | precision | fp16_tensor | fp16_tensor | - | holds |", done.stdout)
        self.assertTrue(self.page.read_text().startswith(f"before\n{tool.BEGIN}\nOn made up, driver made up, Cuda compilation tools, release 99.0, made up, Nsight Compute Version 2099.1.0.0"))
        self.assertTrue(self.page.read_text().endswith(f"{tool.END}\nafter\n"))
        kept = json.loads((self.folder / "out/results.json").read_text())
        self.assertEqual((kept["versions"]["gpu"], kept["gpu"]["l2_bytes"], len(kept["rows"])), ("made up", GPU["l2_bytes"], 23))
        self.assertIn("| triad | DRAM bytes |", (self.folder / "out/results.md").read_text())
        self.assertEqual(json.loads((self.folder / "out/triad.json").read_text())["result"]["profile"]["kernel"]["name"], "known_triad")

    def test_operations_that_are_five_percent_off(self):
        done = self.validate("--only", "copy,triad", operations_off=1.05)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\| triad \| operations \| .* \| \+5.00 % \| DIFFERS \|")
        self.assertIn("3 hold, 1 differ", done.stdout)
        self.assertIn("nothing", self.page.read_text())  # of a part there is no page

    def test_energy_that_is_twenty_percent_off(self):
        done = self.validate("--only", "energy", counter_watts=str(1.2 * 345.67))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("0 hold, 2 differ", done.stdout)

    def test_without_nvcc_nothing_is_measured(self):
        if os.path.exists("/usr/bin/nvcc"):
            self.skipTest("nvcc is where all programs are")
        done = self.validate(tools=("nvidia-smi",))
        self.assertEqual((done.returncode, done.stdout), (77, "skipped: nvcc is not on the PATH\n"), done.stderr)
        self.assertIn("nothing", self.page.read_text())


if __name__ == "__main__":
    unittest.main()
