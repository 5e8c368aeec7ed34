"""The same run, written as a trace of the PyTorch profiler and as an export of Nsight Systems, has the same answer.

Runs of random programs: two threads, operators in operators, kernels on two streams, copies, waits for the GPU, a loader, steps. Each is written in both
formats, and frx has to divide the time of the GPU in the same way (within 0.5 points), to attribute the same time to operators, and to find the same
steps.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FRX = os.environ.get("FRX", str(Path(__file__).resolve().parents[2] / "build/dev/frx"))
PROGRAMS = 12
PID = 77
OPERATORS = ["aten::mm", "aten::add", "aten::relu", "aten::linear", "aten::softmax"]
KERNELS = ["sgemm_128x64", "elementwise_kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "softmax_warp_forward"]


class Program:
    """Events of one run: (kind, name, begin, end, thread or stream, correlation, bytes), in nanoseconds."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.events: list[tuple[str, str, int, int, int, int, int]] = []
        self.correlation = 0
        now, gpu_free = 1_000_000, {7: 0, 13: 0}
        for step in range(1, 5):
            begin = now
            if chance.random() < 0.6:
                wait = chance.randrange(10_000, 2_000_000)
                self.events.append(("range", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", now, now + wait, 10, 0, 0))
                now += wait
            for _ in range(chance.randrange(5, 60)):
                now = self.operator(chance, now, gpu_free)
            if chance.random() < 0.7:
                end = max([now + 5_000, *gpu_free.values()]) + 2_000
                self.correlation += 1
                self.events.append(("call", "cudaDeviceSynchronize", now, end, 10, self.correlation, 0))
                now = end
            self.events.append(("range", f"ProfilerStep#{step}", begin, now, 10, 0, 0))
            now += chance.randrange(1_000, 50_000)

    def operator(self, chance: random.Random, now: int, gpu_free: dict[int, int]) -> int:
        begin, inner = now, now + chance.randrange(1_000, 5_000)
        name = chance.choice(OPERATORS)
        stream = 13 if chance.random() < 0.2 else 7
        for _ in range(chance.randrange(0, 3)):
            self.correlation += 1
            launch = inner + chance.randrange(500, 3_000)
            is_copy = chance.random() < 0.2
            call = "cudaMemcpyAsync" if is_copy else "cudaLaunchKernel"
            self.events.append(("call", call, launch, launch + 4_000, 10, self.correlation, 0))
            start = max(launch + chance.randrange(4_500, 9_000), gpu_free[stream])
            end = start + chance.randrange(1_000, 400_000)
            if is_copy:
                self.events.append(("copy", "Memcpy HtoD (Pinned -> Device)", start, end, stream, self.correlation, 1 << 20))
            else:
                self.events.append(("kernel", chance.choice(KERNELS), start, end, stream, self.correlation, 0))
            gpu_free[stream] = end
            inner = launch + 4_000
        self.events.append(("operator", name, begin + 300, inner + 300, 10, 0, 0))
        self.events.append(("operator", "aten::outer", begin, inner + 800, 10, 0, 0))
        return inner + 1_000


def as_trace(program: Program, path: Path) -> None:
    categories = {"range": "user_annotation", "operator": "cpu_op", "call": "cuda_runtime", "copy": "gpu_memcpy", "kernel": "kernel"}
    events = []
    for kind, name, begin, end, place, correlation, size in program.events:
        on_gpu = kind in ("copy", "kernel")
        arguments = {"correlation": correlation} if correlation else {}
        if on_gpu:
            arguments |= {"device": 0, "stream": place}
        if size:
            arguments["bytes"] = size
        events.append({"ph": "X", "cat": categories[kind], "name": name, "pid": 0 if on_gpu else PID, "tid": place, "ts": f"{begin // 1000}.{begin % 1000:03}",
                       "dur": f"{(end - begin) // 1000}.{(end - begin) % 1000:03}", "args": arguments})
    text = json.dumps({"schemaVersion": 1, "traceEvents": events})
    # Times are numbers with three decimals, which floating point would round.
    for key in ("ts", "dur"):
        text = text.replace(f'"{key}": "', f'"{key}": ').replace('", "dur"', ', "dur"').replace('", "args"', ', "args"')
    path.write_text(text)


def as_export(program: Program, path: Path) -> None:
    process = (1 << 48) | (PID << 24)
    database = sqlite3.connect(path)
    database.executescript("""
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, bytes INT,
  copyKind INT, srcKind INT, dstKind INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT, domainId INT);""")
    names: dict[str, int] = {}
    for number, (kind, name, begin, end, place, correlation, size) in enumerate(program.events):
        text = names.setdefault(name, len(names))
        if kind == "kernel":
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, ?, ?, ?, ?)", (begin, end, place, correlation, process, text))
        elif kind == "copy":
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, ?, ?, ?, ?, 1, 1, 2)", (begin, end, place, correlation, process, size))
        elif kind == "call":
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?)", (begin, end, process | place, correlation, text))
        else:
            words = f"{name}, op_id = {number}" if kind == "operator" else name
            database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, NULL, ?, 0)", (begin, end, words, process | place))
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, name) for name, number in names.items()])
    database.commit()
    database.close()


def answer(path: Path) -> dict:
    ended = subprocess.run([FRX, "analyze", str(path), "--json"], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise AssertionError(ended.stderr)
    return json.loads(ended.stdout)["result"]


class Pairs(unittest.TestCase):
    def test_both_formats_have_one_answer(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(PROGRAMS):
                program = Program(seed)
                trace, export = Path(folder) / "run.json", Path(folder) / "run.sqlite"
                as_trace(program, trace)
                export.unlink(missing_ok=True)
                as_export(program, export)
                one, other = answer(trace), answer(export)
                with self.subTest(seed):
                    self.same_division(one, other)
                    for counted in ("kernels", "kernels_with_launch", "kernels_with_operator", "copies", "runtime_calls", "operator_calls"):
                        self.assertEqual(one["trace"][counted], other["trace"][counted], counted)
                    self.assertEqual(one["top_operators"], other["top_operators"])
                    self.assertEqual([step["step_id"] for step in one["run"]["per_step"]], [step["step_id"] for step in other["run"]["per_step"]])
                    self.assertEqual(one["run"]["diagnosis"]["primary_bottleneck"], other["run"]["diagnosis"]["primary_bottleneck"])

    def same_division(self, one: dict, other: dict) -> None:
        self.assertEqual(len(one["gpus"]), 1)
        self.assertEqual(len(other["gpus"]), 1)
        first, second = one["gpus"][0]["time"], other["gpus"][0]["time"]
        for part, time in first.items():
            if isinstance(time, int):
                points = 100 * abs(time / first["span_ns"] - second[part] / second["span_ns"])
                self.assertLess(points, 0.5, part)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)
