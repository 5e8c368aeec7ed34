#!/usr/bin/env python3
"""What a summary costs beside the analysis of the same trace: summarise.py FRX [TRACE] [--rounds N]

Runs `frx analyze TRACE` and `frx summarise TRACE` in turns, in the order A B B A, so that a machine that becomes slower or faster affects both
alike, and prints the ratio of each pair of times: their median, and between which ratios nine tenths of them lie. Without TRACE one of
100 MB is made by gen_trace.py. Code 1 where the median is above 1.2.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def seconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("frx")
    arguments.add_argument("trace", nargs="?")
    arguments.add_argument("--rounds", type=int, default=20)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = options.trace
        if not trace:
            trace = f"{folder}/trace.rank0.json"
            subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("gen_trace.py")), "100M", trace], check=True)
        analyze = [options.frx, "analyze", trace]
        summarise = [options.frx, "summarise", trace, "-o", f"{folder}/rank.frxsum"]
        seconds(analyze), seconds(summarise)  # the file is then in memory
        ratios, times = [], ([], [])
        for _ in range(options.rounds):
            first, second = seconds(analyze), seconds(summarise)
            fourth, third = seconds(summarise), seconds(analyze)
            times[0].append((first + third) / 2)
            times[1].append((second + fourth) / 2)
            ratios.append((second + fourth) / (first + third))
        ratios.sort()
        middle = statistics.median(ratios)
        edge = len(ratios) // 20
        size, small = pathlib.Path(trace).stat().st_size, pathlib.Path(f"{folder}/rank.frxsum").stat().st_size
        print(f"{size / 1e6:.1f} MB: analyze {statistics.median(times[0]):.3f} s, summarise {statistics.median(times[1]):.3f} s, "
              f"ratio {middle:.3f} ({ratios[edge]:.3f} to {ratios[-1 - edge]:.3f}); the summary has {small / 1e3:.1f} kB")
    return 1 if middle > 1.2 else 0


if __name__ == "__main__":
    sys.exit(main())
