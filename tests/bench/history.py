"""How long frx history takes with many records: fills a store with made-up answers, then times the questions that people ask.

    history.py --frx build/release/frx [--records 1000000] [--series 20] [--store FILE]
"""

import argparse
import json
import math
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

LABELS = ["input_bound", "launch_bound", "sync_bound", "copy_bound", "underutilized_gpu"]


def answer(number: int, rng: random.Random) -> dict:
    ns = int(2e7 * math.exp(rng.gauss(0, 0.01)))
    labels = [{"label": one, "score": round(rng.random(), 3)} for one in rng.sample(LABELS, 2)]
    return {
        "schema": "trace_analysis_v1", "filename": f"run-{number}.pt.trace.json", "trace": {"devices": [{"name": "NVIDIA A100-SXM4-80GB"}]},
        "run": {"diagnosis": {"user_facing_bottleneck": labels[0]["label"]}, "bottlenecks": labels,
                "facts": {"gpu_busy_fraction": rng.random(), "host_fraction": rng.random(), "copy_fraction": rng.random()},
                "per_step": [{"step_wall_time_ns": ns + rng.randrange(1000)} for _ in range(5)]},
        "top_kernels": [{"name": f"kernel_{k}(float*)", "count": 10, "gpu_ns": rng.randrange(10**6)} for k in range(3)],
    }


def fill(frx: str, store: Path, records: int, series: int) -> float:
    rng = random.Random(1)
    begin = time.monotonic()
    importing = subprocess.Popen([frx, "history", "import", "-", "--store", store], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for n in range(records):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_600_000_000 + 150 * n))
        line = {"schema": "history_line_v1", "kind": "record", "series": f"trace/model-{n % series}", "at": at, "commit": f"{n // 50:040x}",
                "program": "0.1.0", "document": answer(n, rng)}
        importing.stdin.write(json.dumps(line, separators=(",", ":")) + "\n")
    importing.stdin.close()
    assert importing.wait() == 0
    return time.monotonic() - begin


def best_of_three(run):
    """Seconds of the fastest call, and what the last one gave."""
    times, result = [], None
    for _ in range(3):
        begin = time.monotonic()
        result = run()
        times.append(time.monotonic() - begin)
    return min(times), result


def timed(frx: str, store: Path, *arguments: str) -> None:
    best, done = best_of_three(lambda: subprocess.run([frx, "history", *arguments, "--store", store], capture_output=True, text=True))
    assert done.returncode == 0, done.stderr
    print(f"| `frx history {' '.join(arguments)}` | {1000 * best:.0f} ms | {done.stdout.count(chr(10))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--series", type=int, default=20)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    frx = str(Path(options.frx).resolve())
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "h.db"
        if not store.exists():
            seconds = fill(frx, store, options.records, options.series)
            print(f"{options.records} records imported in {seconds:.0f} s; {os.path.getsize(store) / 1e6:.0f} MB\n", flush=True)
        print("| Command | Best of 3 | Lines |\n|---|---|---|")
        timed(frx, store, "list")
        timed(frx, store, "list", "--series", "trace/model-3")
        timed(frx, store, "list", "--label", "copy_bound", "--since", "2021-01-01")
        timed(frx, store, "list", "--series", "trace/model-3", "--label", "copy_bound")
        timed(frx, store, "list", "--commit", f"{options.records // 100:040x}"[:39])
        timed(frx, store, "list", "--limit", "1000")
        timed(frx, store, "list", "--by-series")
        timed(frx, store, "trend", "trace/model-3")
        timed(frx, store, "trend", "trace/model-3", "--metric", "gpu_busy_fraction", "--json")
        timed(frx, store, "baseline", "list")


if __name__ == "__main__":
    main()
