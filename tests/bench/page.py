"""How fast a report and the page of `frx serve` are there, and how fluid the timeline of a million events is, in a real Chromium.

  python3 tests/bench/page.py --build build/release [--events 1000000] [--modules FOLDER]

Prints the size of the report, the time until something is painted and until the timeline is, and the times of frames while the timeline is dragged and zoomed.
FOLDER holds node_modules with playwright-core; by default the one that the tests fetched (build/dev/npm-judges).
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def write_trace(path: Path, events: int) -> None:
    """Steps of operators that launch kernels, a stream of collectives beside them, and a wait for the loader in each third step."""
    count = correlation = step = 0
    now = gpu = 0.0
    with path.open("w") as out:
        out.write('{"schemaVersion": 1, "traceEvents": [\n')

        def event(category: str, name: str, thread: str, begin: float, length: float, arguments: str = "") -> None:
            out.write(f'{{"ph": "X", "cat": "{category}", "name": "{name}", {thread}, "ts": {begin:.3f}, "dur": {length:.3f}, "args": {{{arguments}}}}},\n')

        while count < events:
            step += 1
            begin = now
            now += 3000.0 if step % 3 == 0 else 0.0
            for i in range(2000):
                correlation += 1
                length = 8 + i * 37 % 60 / 10
                of_gpu = f'"correlation": {correlation}, "device": 0, "stream": {20 if i % 10 == 0 else 7}'
                event("cpu_op", f"aten::op_{i % 150}", '"pid": 1, "tid": 1', now, length)
                event("cpu_op", f"aten::inner_{i % 150}", '"pid": 1, "tid": 1', now + 1, length - 2)
                event("cuda_runtime", "cudaLaunchKernel", '"pid": 1, "tid": 1', now + 2, 3, f'"correlation": {correlation}')
                gpu = max(gpu, now + 5)
                work = 4 + i * 53 % 140 / 10
                name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL" if i % 10 == 0 else f"void at::native::kernel_{i % 400}<float>(int, float*)"
                event("kernel", name, f'"pid": 0, "tid": {20 if i % 10 == 0 else 7}', gpu, work, of_gpu)
                gpu += work + i % 3
                now += length + i % 4
                count += 4
            event("user_annotation", f"ProfilerStep#{step}", '"pid": 1, "tid": 1', begin, now - begin - 1)
            count += 1
        out.write('{"ph": "M"}]}\n')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build/release")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--modules", type=Path, default=REPOSITORY / "build/dev/npm-judges")
    asked = parser.parse_args()
    frx, node = asked.build / "frx", shutil.which("node")
    if not node or not (asked.modules / "node_modules/playwright-core").exists():
        parser.error("node or playwright-core is missing; the test serve/page fetches it")
    with tempfile.TemporaryDirectory() as folder:
        trace, report, small = Path(folder) / "trace.json", Path(folder) / "report.html", Path(folder) / "small.html"
        write_trace(trace, asked.events)
        with report.open("wb") as out:
            subprocess.run([frx, "analyze", trace, "--format", "html"], stdout=out, check=True)
        with small.open("wb") as out:
            subprocess.run([frx, "analyze", REPOSITORY / "tests/fuzz/corpus/fuzz_ncu_csv/wide_raw_page.csv", "--format", "html"], stdout=out, check=True)
        print(f"trace of {asked.events:,} events: {trace.stat().st_size / 1e6:.0f} MB; its report: {report.stat().st_size / 1e6:.1f} MB; "
              f"a report without a timeline: {small.stat().st_size / 1e3:.0f} KB")
        server = subprocess.Popen([frx, "serve", "-p", "0"], stdout=subprocess.PIPE, text=True)
        port = re.search(r"(\d+)/?\n$", server.stdout.readline()).group(1)
        try:
            ended = subprocess.run([node, Path(__file__).parent / "page.mjs", asked.modules, report, small, f"http://127.0.0.1:{port}/"],
                                   capture_output=True, text=True, check=False, timeout=300)
        finally:
            server.terminate()
            server.wait()
        if ended.returncode != 0:
            sys.exit(ended.stderr[-2000:])
        for name, values in json.loads(ended.stdout).items():
            print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
