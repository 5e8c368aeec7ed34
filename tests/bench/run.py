#!/usr/bin/env python3
"""Measures frx beside programs that do the least work possible, and says which target is met.

    tests/bench/run.py [--size 200M | --full] [--runs N] [--frx PATH] [--only ROWS]
    tests/bench/run.py --check [COMMIT | PATH]     is a row worse than in the version before? Code 1 where one is
    tests/bench/run.py --flame [--only ROWS]       a page for each row that shows where its time goes
    tests/bench/run.py --micro [BENCHMARK OPTIONS] microbenchmarks of the parts instead

Whole processes, run in turn (A B A B ...), medians. Times move from machine to machine and with whatever else it does; the ratio to the limit
program of the same row is what counts. "one core" is the ratio with FRX_THREADS=1, of both where frx is the limit; the other limit programs have
one thread. Files are made once, in build/bench.
"""
import argparse
import os
import pathlib
import subprocess
import sys

import check
import gen_ncu_csv
import rows
from measuring import BUILD, DATA, REPOSITORY, TOOLS, Failed, flame_graph, instructions, measure
from rows import MB


def build(*targets):
    quiet = {"stdout": subprocess.DEVNULL, "cwd": REPOSITORY, "check": True}
    subprocess.run(["cmake", "--preset", "release", "-DFRX_BUILD_BENCH=ON"], **quiet)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", *targets], cwd=REPOSITORY, check=True)


class Table:
    FORMAT = "{:<40} {:>11} {:>11} {:>8} {:>9} {:>9} {:>11} {:>7}"

    def __init__(self):
        print(self.FORMAT.format("work", "frx", "limit", "ratio", "cpu ratio", "one core", "target", ""))
        self.missed = 0

    def line(self, work, *columns, met=None):
        self.missed += met is False
        verdict = {None: "", True: "met", False: "MISSED"}[met]
        print(self.FORMAT.format(work, *columns, *[""] * (6 - len(columns)), verdict), flush=True)

    def times(self, work, frx, limit, one_core, target):
        """Milliseconds, and ratios of the clock, of CPU time, and (`one_core`) of the clock on one core."""
        ratio = frx.wall / limit.wall
        self.line(work, f"{frx.wall * 1e3:.1f} ms", f"{limit.wall * 1e3:.1f} ms", f"{ratio:.2f}x", f"{frx.cpu / limit.cpu:.2f}x" if limit.cpu else "",
                  f"{one_core:.2f}x", f"<= {target}x" if target else "", met=ratio <= target if target else None)

    def growth(self, whole, half):
        ratio, cpu = whole.wall / half.wall, whole.cpu / half.cpu
        self.line("  beside half of it", f"{whole.wall * 1e3:.1f} ms", f"{half.wall * 1e3:.1f} ms", f"{ratio:.2f}x", f"{cpu:.2f}x", "", "<= 2.2x",
                  met=min(ratio, cpu) <= 2.2)

    def memory(self, peak, budget):
        self.line("  peak memory", f"{peak / MB:.1f} MB", "", "", "", "", f"< {budget / MB:.0f} MB" if budget else "", met=peak < budget if budget else None)

    def speed(self, row, frx, limit):
        speed = row.size / frx.wall / MB
        least = row.least_speed
        self.line("  speed", f"{speed:.0f} MB/s", f"{row.size / limit.wall / MB:.0f} MB/s", "", "", "", f">= {least} MB/s" if least else "",
                  met=speed >= least if least else None)

    def row(self, row, frx_program, runs):
        def ours(command):
            return [frx_program if word == rows.FRX else word for word in command]

        commands = {"frx": (ours(row.command), None), "limit": (ours(row.limit), None), "frx on one": (ours(row.command), 1)}
        if row.limit[0] == rows.FRX:
            commands["limit on one"] = (ours(row.limit), 1)
        if row.half:
            commands["half"] = (ours(row.half), None)
        costs = dict(zip(commands, measure(runs * row.rounds, commands.values())))
        frx, limit = costs["frx"], costs["limit"]
        self.times(row.work, frx, limit, costs["frx on one"].wall / costs.get("limit on one", limit).wall, row.target)
        if row.half:
            self.growth(frx, costs["half"])
        self.memory(frx.peak, row.budget)
        if row.size:
            self.speed(row, frx, limit)
        if row.events:
            self.line(f"  memory of each of {row.events} events", f"{frx.peak / row.events:.1f} bytes")
        if counted := instructions(ours(row.command)):
            self.line("  instructions", f"{counted / MB:.1f} million")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=gen_ncu_csv.byte_count, default=200_000_000, help="of the large files (default 200M)")
    parser.add_argument("--full", action="store_true", help="the sizes the targets speak of: 1G")
    parser.add_argument("--runs", type=int, help="of each program (default 5; of --check, rounds of two runs of each, 15)")
    parser.add_argument("--frx", type=pathlib.Path, help="measure this program instead of build/release/frx")
    parser.add_argument("--only", choices=list(rows.GROUPS), help="only these rows")
    parser.add_argument("--check", nargs="?", const="HEAD~1", metavar="COMMIT|PATH", help="run beside that version (default HEAD~1), in turn")
    parser.add_argument("--flame", action="store_true", help="write a flame graph of each row to build/bench instead; needs perf and npm")
    parser.add_argument("--micro", nargs=argparse.REMAINDER, help="microbenchmarks; what follows goes to Google Benchmark")
    options = parser.parse_args()
    if options.check and options.runs and options.runs < check.FEWEST_ROUNDS:
        parser.error(f"--check needs {check.FEWEST_ROUNDS} rounds or more: fewer do not rule out chance")
    if options.micro is not None:
        build("frx_bench")
        os.execv(TOOLS / "frx_bench", ["frx_bench", *options.micro])
    build("run_once", "limit_empty", "limit_csv", "limit_ncurep", "limit_ptx", "limit_cuda", "limit_trace", "gen_ncu_report",
          *([] if options.frx else ["frx"]))
    frx = options.frx.resolve() if options.frx else BUILD / "frx"
    DATA.mkdir(parents=True, exist_ok=True)
    chosen = rows.rows(1_000_000_000 if options.full else options.size, options.only)
    if options.check:
        worse = check.check(chosen, options.check, frx, options.runs or 15)
        print("no row is worse by more than its noise" if worse == 0 else f"worse: {worse}")
        return 1 if worse else 0
    if options.flame:
        for number, row in enumerate(chosen):
            page = DATA / f"flame-{row.group}-{number}.html"
            flame_graph([frx, *row.command[1:]], page)
            print(f"{row.work}: {page.relative_to(REPOSITORY)}", flush=True)
        return 0
    table = Table()
    for row in chosen:
        table.row(row, frx, options.runs or 5)
    print("every target met" if table.missed == 0 else f"{table.missed} missed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"bench: {failure}")
