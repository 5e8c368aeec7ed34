"""Exports of Nsight Systems whose answer is known: is the attribution exact, and how long does frx take beside SQLite alone?

  python3 tests/bench/nsys.py --build build/release [--kernels 100000,1000000] [--keep FOLDER]

For each size it writes an export with as many kernels, calls and ranges, checks GPU time and launches of each operator in the answer of frx, and times
frx and limit_sqlite (SQLite stepping through the same columns) in turns, the best of three each. Memory is the largest that frx held.
"""

import argparse
import collections
import json
import pathlib
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

OPERATORS = ["aten::mm", "aten::add", "aten::relu", "aten::copy_", "MmBackward0", "aten::sum", "aten::_softmax", "aten::bmm"]
PROCESSES = (41, 42)


def thread_id(pid: int, tid: int) -> int:
    return (1 << 48) | (pid << 24) | tid


def tables() -> str:
    return """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, greenContextId INT, streamId INT, correlationId INT, globalPid INT,
  demangledName INT, shortName INT, mangledName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, graphNodeId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT, callchainId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, rangeId INT, category INT, color INT, text TEXT, globalTid INT, endGlobalTid INT, textId INT,
  domainId INT);
"""


def make(path: pathlib.Path, kernels: int) -> dict[str, list[int]]:
    """Writes the export; gives nanoseconds and launches of each operator."""
    chance = random.Random(kernels)
    database = sqlite3.connect(path)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + tables())
    names = ["cudaLaunchKernel_v7000"] + [f"void kernel_{i}<(int)4>(float *, int)" for i in range(40)]
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
    truth: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    gpu, calls, ranges = [], [], []
    for number, pid in enumerate(PROCESSES):
        busy = {10: 0, 11: 500}  # threads, and until when each is busy
        gpu_free, op_id = 0, 0
        for correlation in range(1, kernels // len(PROCESSES) + 1):
            tid = 10 if chance.random() < 0.7 else 11
            now = busy[tid] + chance.randrange(1, 400)
            operator = chance.choice(OPERATORS)
            op_id += 1
            begin, end = now, now + 2000
            # The launch lies in an operator in an operator, as addmm in linear, or in none.
            kind = chance.randrange(10)
            if kind > 0:
                ranges.append((begin, end, 59, f"aten::outer, op_id = {op_id}", thread_id(pid, tid)))
                ranges.append((begin + 100, end - 100, 59, f"{operator}, seq = {op_id}, op_id = {op_id + 1}", thread_id(pid, tid)))
                op_id += 1
            # At times the launch is at the very end of the inner operator: then it belongs to the outer one.
            launch = end - 100 if kind == 1 else begin + 300
            name = None if kind == 0 else "aten::outer" if kind == 1 else operator
            calls.append((launch, launch + 50, 0, thread_id(pid, tid), correlation, 0))
            start = max(launch + 60, gpu_free)
            duration = chance.randrange(1, 3000)
            gpu.append((start, start + duration, number, 1, 7, correlation, thread_id(pid, 0), 1 + chance.randrange(40)))
            gpu_free = start + duration
            busy[tid] = end
            if name:
                truth[name][0] += duration
                truth[name][1] += 1
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName) "
                         "VALUES (?, ?, ?, ?, ?, ?, ?, ?)", gpu)
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId) VALUES (?, ?, ?, ?, ?, ?)", calls)
    chance.shuffle(ranges)  # ranges are stored as they end, in the order of threads
    database.executemany("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (?, ?, ?, ?, ?, 0)", ranges)
    database.commit()
    database.close()
    return truth


def best_of(command: list[str], times: int = 3) -> tuple[float, str]:
    best, printed = float("inf"), ""
    for _ in range(times):
        before = time.perf_counter()
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        best = min(best, time.perf_counter() - before)
    return best, printed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--kernels", default="100000,1000000")
    parser.add_argument("--keep", type=pathlib.Path)
    asked = parser.parse_args()
    limit = next((path for path in asked.build.rglob("limit_sqlite") if path.is_file()), None)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for kernels in map(int, asked.kernels.split(",")):
            path = (asked.keep or pathlib.Path(folder)) / f"kernels_{kernels}.sqlite"
            path.unlink(missing_ok=True)
            truth = make(path, kernels)
            seconds, printed = best_of([str(asked.build / "frx"), "analyze", str(path), "--json"])
            told = {one["name"]: [one["gpu_ns"], one["count"]] for one in json.loads(printed)["result"]["top_operators"]}
            exact = told == dict(truth)
            wrong += not exact
            line = f"{kernels:,} kernels, {path.stat().st_size / 1e6:,.0f} MB: attribution {'exact' if exact else 'WRONG'}, frx {seconds:.2f} s"
            if limit:
                least, _ = best_of([str(limit), str(path)])
                line += f", SQLite alone {least:.2f} s, ratio {seconds / least:.2f}"
            print(line + f", largest memory so far {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:,.0f} MB", flush=True)
            if not exact:
                print(f"  truth {dict(truth)}\n  frx   {told}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
