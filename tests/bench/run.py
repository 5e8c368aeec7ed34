#!/usr/bin/env python3
"""Measures frx beside programs that do the least work possible, and says which target is met.

    tests/bench/run.py [--size 200M | --full] [--runs N] [--frx PATH] [--only ROWS] [--micro [BENCHMARK OPTIONS]]

Whole processes, run in turn (A B A B ...), medians. Times move from machine to machine and with whatever
else it does; the ratio to the limit program of the same row is what counts. Files are made once, in
build/bench. --micro runs the microbenchmarks of the parts instead.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

import gen_cuda
import gen_layout_trace
import gen_ncu_csv
import gen_ptx
import gen_trace

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "build" / "bench"
BUILD = REPOSITORY / "build" / "release"
TOOLS = BUILD / "tests" / "bench"

MB = 1e6
KERNELS = 240
# What a group of equal launches may keep for one metric, and how many shapes of a kernel are kept apart.
BYTES_PER_SPREAD, SHAPES = 72, 12
# The same of report_sample.h.
REPORT_KERNELS, REPORT_SHAPES, REPORT_METRICS = 240, 4, 600


def build(*targets):
    quiet = {"stdout": subprocess.DEVNULL, "cwd": REPOSITORY, "check": True}
    subprocess.run(["cmake", "--preset", "release", "-DFRX_BUILD_BENCH=ON"], **quiet)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", *targets], cwd=REPOSITORY, check=True)


class Cost:
    def __init__(self, runs):
        self.wall = statistics.median(run[0] for run in runs) / 1e9
        self.cpu = statistics.median(run[1] for run in runs) / 1e6
        self.peak = max(run[2] for run in runs) * 1024


def run_once(command):
    done = subprocess.run([TOOLS / "run_once", *map(str, command)], capture_output=True, text=True, check=True)
    *cost, status = map(int, done.stdout.split())
    if status != 0:
        sys.exit(f"bench: exit code {status} from: {' '.join(map(str, command))}")
    return cost


def measure(runs, *commands):
    """The cost of each command; the first round only warms the caches."""
    results = [[] for _ in commands]
    for round_number in range(runs + 1):
        for command, costs in zip(commands, results):
            cost = run_once(command)
            if round_number > 0:
                costs.append(cost)
    return [Cost(costs) for costs in results]


class Table:
    FORMAT = "{:<34} {:>11} {:>11} {:>8} {:>9} {:>9} {:>7}"

    def __init__(self):
        print(self.FORMAT.format("work", "frx", "limit", "ratio", "cpu ratio", "target", ""))
        self.missed = 0

    def row(self, work, value, limit, ratio, cpu_ratio, target, met):
        self.missed += not met
        print(self.FORMAT.format(work, value, limit, ratio, cpu_ratio, target, "met" if met else "MISSED"), flush=True)

    def times(self, work, frx, limit, target):
        ratio, cpu = frx.wall / limit.wall, frx.cpu / limit.cpu if limit.cpu else 0
        self.row(work, f"{frx.wall * 1e3:.1f} ms", f"{limit.wall * 1e3:.1f} ms", f"{ratio:.2f}x", f"{cpu:.2f}x", f"<= {target}x", ratio <= target)

    def figure(self, work, frx, limit):
        """A ratio that no target speaks of."""
        ratio, cpu = frx.wall / limit.wall, frx.cpu / limit.cpu if limit.cpu else 0
        print(self.FORMAT.format(work, f"{frx.wall * 1e3:.1f} ms", f"{limit.wall * 1e3:.1f} ms", f"{ratio:.2f}x", f"{cpu:.2f}x", "", ""), flush=True)

    def bytes(self, work, peak, budget):
        self.row(work, f"{peak / MB:.1f} MB", "", "", "", f"< {budget / MB:.0f} MB", peak < budget)


def csv_file(layout, size):
    path = DATA / f"{layout}-{size}.csv"
    if not path.exists():
        print(f"writing {path.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = path.with_suffix(".partial")
        gen_ncu_csv.generate(layout, size, partial, KERNELS)
        partial.rename(path)
    return path


def six_rows():
    path = DATA / "six.csv"
    with open(csv_file("tall", 1000), encoding="utf-8") as tall:
        path.write_text("".join(next(tall) for _ in range(7)), encoding="utf-8")
    return path


def measure_start(table, frx, runs):
    empty = [TOOLS / "limit_empty"]
    version, six, nothing = measure(10 * runs, [frx, "--version"], [frx, "profile", "--ncu", six_rows(), "--json"], empty)
    table.times("frx --version", version, nothing, 4)
    table.times("NCU CSV of 6 rows, JSON", six, nothing, 8)
    table.bytes("  peak memory", max(version.peak, six.peak), 15 * MB)


def report_file(size):
    path = DATA / f"report-{size}.ncu-rep"
    if not path.exists():
        print(f"writing {path.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = path.with_suffix(".partial")
        subprocess.run([TOOLS / "gen_ncu_report", str(size / MB), partial], check=True)
        partial.rename(path)
    return path


def measure_csv(table, frx, runs, layout, size, target, metrics):
    whole, half = csv_file(layout, size), csv_file(layout, size // 2)
    profile = [frx, "profile", "--json", "--ncu"]
    one, limit, two = measure(runs, profile + [whole], [TOOLS / "limit_csv", whole], profile + [half])
    table.times(f"NCU CSV {layout} {size / 1e9:g} GB", one, limit, target)
    table.bytes("  peak memory", one.peak, 64 * MB + KERNELS * metrics * SHAPES * BYTES_PER_SPREAD)
    growth, cpu_growth = one.wall / two.wall, one.cpu / two.cpu
    table.row(f"  twice {size / 2e9:g} GB", f"{one.wall * 1e3:.1f} ms", f"{two.wall * 1e3:.1f} ms", f"{growth:.2f}x",
              f"{cpu_growth:.2f}x", "<= 2.2x", min(growth, cpu_growth) <= 2.2)
    print(f"  {size / one.wall / MB:.0f} MB/s, the limit {size / limit.wall / MB:.0f} MB/s")


def measure_report(table, frx, runs, size, target):
    path = report_file(size)
    one, limit = measure(runs, [frx, "profile", "--json", "--ncu", path], [TOOLS / "limit_ncurep", path])
    table.times(f"NCU report {size / 1e9:g} GB", one, limit, target)
    table.bytes("  peak memory", one.peak, 64 * MB + REPORT_KERNELS * REPORT_SHAPES * REPORT_METRICS * BYTES_PER_SPREAD)
    speed = size / one.wall / MB
    table.row("  speed", f"{speed:.0f} MB/s", f"{size / limit.wall / MB:.0f} MB/s", "", "", ">= 500 MB/s", speed >= 500)


def ptx_file(size):
    path = DATA / f"kernels-{size}.ptx"
    if not path.exists():
        print(f"writing {path.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = path.with_suffix(".partial")
        gen_ptx.write(partial, size)
        partial.rename(path)
    return path


def measure_ptx(table, frx, runs, size):
    whole, half = ptx_file(size), ptx_file(size // 2)
    one, limit, two = measure(runs, [frx, "analyze", "--json", whole], [TOOLS / "limit_ptx", whole], [frx, "analyze", "--json", half])
    table.times(f"PTX {size / MB:g} MB", one, limit, 15)
    table.bytes("  peak memory", one.peak, 3 * size)
    growth, cpu_growth = one.wall / two.wall, one.cpu / two.cpu
    table.row("  twice half of it", f"{one.wall * 1e3:.1f} ms", f"{two.wall * 1e3:.1f} ms", f"{growth:.2f}x", f"{cpu_growth:.2f}x", "<= 2.2x",
              min(growth, cpu_growth) <= 2.2)


def trace_file(size, suffix=".json"):
    path = DATA / f"trace-{size}{suffix}"
    if not path.exists():
        print(f"writing {path.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = path.with_name("partial-" + path.name)
        gen_trace.write(partial, size)
        partial.rename(path)
    return path


def measure_trace(table, frx, runs, size):
    whole, half, packed = trace_file(size), trace_file(size // 2), trace_file(size, ".json.gz")
    analyze, scan = [frx, "analyze", "--json"], [TOOLS / "limit_trace", whole]
    events = int(subprocess.run(scan, capture_output=True, text=True, check=True).stdout.split()[0])
    one, limit, two, gzip = measure(runs, analyze + [whole], scan, analyze + [half], analyze + [packed])
    table.times(f"trace {size / 1e9:g} GB", one, limit, 2.5)
    budget = 60 * events + 64 * MB
    table.bytes("  peak memory", one.peak, budget)
    print(f"  {one.peak / events:.1f} bytes for each of {events} events")
    growth, cpu_growth = one.wall / two.wall, one.cpu / two.cpu
    table.row("  twice half of it", f"{one.wall * 1e3:.1f} ms", f"{two.wall * 1e3:.1f} ms", f"{growth:.2f}x", f"{cpu_growth:.2f}x", "<= 2.2x",
              min(growth, cpu_growth) <= 2.2)
    table.times("  .gz beside plain", gzip, one, 1.5)
    table.bytes("  peak memory of .gz", gzip.peak, budget)


def measure_layout(table, frx, runs, operators):
    """The layout advisor beside the plain analysis of the same trace."""
    path = DATA / f"layout-{operators}.json"
    if not path.exists():
        print(f"writing {path.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = path.with_suffix(".partial")
        gen_layout_trace.write(partial, operators)
        partial.rename(path)
    layout, plain = measure(runs, [frx, "layout", "analyze", "--json", path], [frx, "analyze", "--json", path])
    table.times(f"layouts of {operators / 1e6:g}e6 operators beside analyze", layout, plain, 2)
    print(f"  {layout.peak / MB:.0f} MB at most, of the plain analysis {plain.peak / MB:.0f} MB")


def cuda_files(files, size):
    folder = DATA / f"cuda-{files}-{size}"
    if not folder.exists():
        print(f"writing {folder.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = folder.with_suffix(".partial")
        gen_cuda.write(partial, files, size)
        partial.rename(folder)
    return folder


def measure_cuda(table, frx, runs, size, files):
    """Many files in one folder, and one file that is as large as all of them, and half as large."""
    many, one, half = cuda_files(files, size), cuda_files(1, size), cuda_files(1, size // 2)
    analyze, lexer = [frx, "analyze", "--json"], [TOOLS / "limit_cuda"]
    costs = measure(runs, analyze + [many], lexer + sorted(many.iterdir()), analyze + [one], lexer + sorted(one.iterdir()), analyze + [half])
    table.times(f"{files} CUDA files, {size / MB:g} MB", costs[0], costs[1], 25)
    table.bytes("  peak memory", costs[0].peak, 64 * MB)
    table.figure("one CUDA file of the same size", *costs[2:4])
    print(f"  {costs[2].peak / MB:.0f} MB at most")
    growth, cpu_growth = costs[2].wall / costs[4].wall, costs[2].cpu / costs[4].cpu
    table.row("  twice half of it", f"{costs[2].wall * 1e3:.1f} ms", f"{costs[4].wall * 1e3:.1f} ms", f"{growth:.2f}x", f"{cpu_growth:.2f}x",
              "<= 2.2x", min(growth, cpu_growth) <= 2.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=gen_ncu_csv.byte_count, default=200_000_000, help="of the large files (default 200M)")
    parser.add_argument("--full", action="store_true", help="the sizes the targets speak of: 1G")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--frx", type=pathlib.Path, help="measure this program instead of build/release/frx")
    parser.add_argument("--only", choices=["start", "csv", "report", "ptx", "cuda", "trace", "layout"], help="only these rows")
    parser.add_argument("--micro", nargs=argparse.REMAINDER, help="microbenchmarks; what follows goes to Google Benchmark")
    options = parser.parse_args()
    if options.micro is not None:
        build("frx_bench")
        os.execv(TOOLS / "frx_bench", ["frx_bench", *options.micro])
    build("run_once", "limit_empty", "limit_csv", "limit_ncurep", "limit_ptx", "limit_cuda", "limit_trace", "gen_ncu_report",
          *([] if options.frx else ["frx"]))
    frx = options.frx.resolve() if options.frx else BUILD / "frx"
    size = 1_000_000_000 if options.full else options.size
    DATA.mkdir(parents=True, exist_ok=True)
    table = Table()
    # On two free cores; of small files the diagnosis is a large part.
    tall, wide, report = (0.45, 0.65, 1.8) if options.full else (1.2, 0.9, 4)
    rows = {
        "start": lambda: measure_start(table, frx, options.runs),
        "csv": lambda: (measure_csv(table, frx, options.runs, "tall", size, tall, sum(map(len, gen_ncu_csv.TALL.values()))),
                        measure_csv(table, frx, options.runs, "wide", size, wide, len(gen_ncu_csv.wide_metrics()))),
        "report": lambda: measure_report(table, frx, options.runs, size, report),
        "ptx": lambda: measure_ptx(table, frx, options.runs, min(size, 100_000_000)),
        "cuda": lambda: measure_cuda(table, frx, options.runs, min(size, 11_000_000), 1000),
        "trace": lambda: measure_trace(table, frx, options.runs, size),
        "layout": lambda: measure_layout(table, frx, options.runs, 1_000_000),
    }
    for name, measure_rows in rows.items():
        if options.only in (None, name):
            measure_rows()
    print("every target met" if table.missed == 0 else f"{table.missed} missed")


if __name__ == "__main__":
    main()
