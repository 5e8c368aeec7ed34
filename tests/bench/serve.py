"""How fast `frx serve` answers, beside servers of the same library that do nothing, in one run. Needs wrk (Debian).

  python3 tests/bench/serve.py --build build/release [--rounds 12]

Prints requests per second at 8 clients, and the times within which half and 99 of 100 were answered at 1, 8 and 64 clients. The servers that do nothing
answer as many bytes as frx does. They take turns of a second, so that what else the machine does falls on all of them. The ratio is that of all turns
together; behind it stands how far the ratios of single turns lie apart.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
INPUTS = {"/ptx/analyze": REPOSITORY / "tests/data/ptx/triton_style.ptx", "/ncu/analyze": REPOSITORY / "tests/fuzz/corpus/fuzz_ncu_csv/wide_raw_page.csv"}


def milliseconds(text: str) -> float:
    value, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def measure(port: int, path: str, body: Path, clients: int, seconds: int) -> tuple[float, float, float]:
    """Requests per second, median and 99th percentile in ms. All have to be answered with 200."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f'local f = io.open("{body}", "rb")\nwrk.method = "POST"\nwrk.body = f:read("*all")\nf:close()\n')
        script.flush()
        out = subprocess.run(["wrk", "-t", "1", "-c", str(clients), "-d", f"{seconds}s", "--latency", "-s", script.name, f"http://127.0.0.1:{port}{path}"],
                             capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(f"not all were answered:\n{out}")
    times = dict(re.findall(r"(50|99)%\s+([\d.]+(?:us|ms|s))", out))
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), milliseconds(times["50"]), milliseconds(times["99"])


def started(command: list[str]) -> tuple[subprocess.Popen, int]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process, int(re.search(r"(\d+)/?\n$", process.stdout.readline()).group(1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build/release")
    parser.add_argument("--rounds", type=int, default=12)
    asked = parser.parse_args()
    if not shutil.which("wrk"):
        parser.error("wrk is missing: apt-get install wrk")
    limit = next(asked.build.rglob("limit_http"))
    for path, body in INPUTS.items():
        frx, port = started([str(asked.build / "frx"), "serve", "-p", "0"])
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", body.read_bytes())) as response:  # noqa: S310
            size = len(response.read())
        print(f"{path}: {body.stat().st_size:,} bytes in, {size:,} bytes out")
        others = {name: started([str(limit), name, str(size)]) for name in ("own", "beast")}
        servers = {"frx serve": port, "its server, nothing done": others["own"][1], "Boost.Beast, nothing done": others["beast"][1]}
        turns = [{name: measure(there, path, body, 8, 1)[0] for name, there in servers.items()} for _ in range(asked.rounds)]
        for name in servers:
            ratios = sorted(turn["frx serve"] / turn[name] for turn in turns)
            answered, frx_answered = sum(turn[name] for turn in turns), sum(turn["frx serve"] for turn in turns)
            print(f"  {name:28} {answered / len(turns):9,.0f} requests/s   {frx_answered / answered:5.2f}   {ratios[0]:.2f} to {ratios[-1]:.2f}")
        for clients in (1, 8, 64):
            _, half, most = measure(port, path, body, clients, 3)
            print(f"  {clients:2} clients: half within {half:.2f} ms, 99 of 100 within {most:.2f} ms")
        for process in (frx, *(process for process, _ in others.values())):
            process.kill()
            process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
