"""Whole processes, run in turn, and what they cost."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "build" / "bench"
BUILD = REPOSITORY / "build" / "release"
TOOLS = BUILD / "tests" / "bench"


class Failed(Exception):
    """A command that was to be measured ended with another exit code than 0."""


class Cost:
    """Of several runs of one command: medians of wall clock and CPU time in seconds, the largest peak memory in bytes."""

    def __init__(self, runs):
        self.wall = statistics.median(run[0] for run in runs) / 1e9
        self.cpu = statistics.median(run[1] for run in runs) / 1e6
        self.peak = max(run[2] for run in runs) * 1024


def run_once(command, threads=None):
    """Nanoseconds by the clock, microseconds of CPU time and KiB of peak memory of one run."""
    environment = os.environ | ({"FRX_THREADS": str(threads)} if threads else {})
    done = subprocess.run([TOOLS / "run_once", *map(str, command)], capture_output=True, text=True, check=True, env=environment)
    *cost, status = map(int, done.stdout.split())
    if status != 0:
        raise Failed(f"exit code {status} from: {' '.join(map(str, command))}")
    return cost


def measure(runs, commands):
    """The costs of each command, which is a list of words and the number of threads (None: as many as it wants). The first round only warms the
    caches."""
    results = [[] for _ in commands]
    for round_number in range(runs + 1):
        for (command, threads), costs in zip(commands, results):
            cost = run_once(command, threads)
            if round_number > 0:
                costs.append(cost)
    return [Cost(costs) for costs in results]


def instructions(command):
    """How many instructions of the program itself a run on one thread takes, the least of three, counted by the processor. None where perf or its
    counters are missing, as on most virtual machines."""
    perf = shutil.which("perf")
    if not perf:
        return None
    counts = []
    for _ in range(3):
        done = subprocess.run([perf, "stat", "-x", ",", "-e", "instructions:u", "--", *map(str, command)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False, env=os.environ | {"FRX_THREADS": "1"})
        counted = re.search(r"^(\d+),[^,]*,instructions", done.stderr, re.MULTILINE)
        if done.returncode != 0 or not counted:
            return None
        counts.append(int(counted[1]))
    return min(counts)


def flame_graph(command, page):
    """Samples the stacks of one run with perf and writes an interactive page of them. It needs linux-perf and npm (for d3-flame-graph)."""
    if not shutil.which("perf"):
        sys.exit("bench: a flame graph needs perf (Debian: linux-perf)")
    template = DATA / "npm/node_modules/d3-flame-graph/dist/templates/d3-flamegraph-base.html"
    if not template.exists():
        subprocess.run(["npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", DATA / "npm", "d3-flame-graph@4.1.3"], check=True)
    samples = page.with_suffix(".perf")
    record = ["perf", "record", "--freq", "499", "--call-graph", "dwarf,16384", "-o", samples, "--", *command]
    programs = subprocess.run(["perf", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    draw = ["perf", "script", "-i", samples, "-s", f"{programs}/scripts/python/flamegraph.py", "--", "--template", template, "-o", page]
    try:
        for step in (record, draw):
            done = subprocess.run([str(word) for word in step], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if done.returncode != 0:
                sys.exit("bench: perf: " + done.stderr.decode(errors="replace").strip().splitlines()[-1])
    finally:
        samples.unlink(missing_ok=True)
