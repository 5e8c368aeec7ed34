"""Is the answer about a file the same to the byte, however many threads read it?

  python3 tests/corpus/same_with_threads.py --frx build/release/frx tests/fuzz/corpus ../shared/corpus
  python3 tests/corpus/same_with_threads.py --frx build/release/frx --threads 1,16 FOLDER FILE...

Each file is analysed by a process of its own for each number of threads; what it prints, its errors and its exit code have to be those of one thread.
The last line says how many files there were and how many of them had an answer. Exit code 1 where any differs, with the command that shows it.
"""

import argparse
import collections
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SECONDS = 300
INDIFFERENT = {"FRX_THREADS", "FRX_CONFIG"}
SOURCES = {".cu", ".cuh", ".h", ".hpp", ".inl"}  # not compiled: how long a compiler takes is part of some answers


def files_of(places: list[Path]) -> list[Path]:
    found = []
    for place in places:
        found += sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
    return found


def answer(frx: str, threads: int, path: Path) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of one analysis; the exit code of timeout(1) where it does not end."""
    options = ["--with-ptx=no"] if path.suffix in SOURCES else []
    environment = {name: value for name, value in os.environ.items() if name not in INDIFFERENT}
    command = [frx, "--threads", str(threads), "analyze", *options, "--format", "json", str(path)]
    try:
        ran = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 124, b"", f"no end within {SECONDS} s with {threads} threads".encode()
    return ran.returncode, ran.stdout, ran.stderr


def differing(frx: str, counts: list[int], path: Path) -> tuple[int, list[int]]:
    """The exit code with one thread, and the numbers of threads with which anything else was said."""
    one = answer(frx, 1, path)
    return one[0], [threads for threads in counts if threads != 1 and answer(frx, threads, path) != one]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frx", required=True)
    parser.add_argument("--threads", default="2,3,4,8,16", help="numbers of threads that are compared with one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("places", nargs="+", type=Path, metavar="PLACE")
    asked = parser.parse_args()
    counts = [int(count) for count in asked.threads.split(",")]
    paths = files_of(asked.places)
    codes: collections.Counter[int] = collections.Counter()
    wrong = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for path, (code, others) in zip(paths, pool.map(lambda path: differing(asked.frx, counts, path), paths)):
            codes[code] += 1
            for threads in others:
                wrong += 1
                print(f"another answer than with one thread: {asked.frx} --threads {threads} analyze --format json {path}", flush=True)
    print(f"{len(paths)} files, {codes[0]} with an answer; with 1, {', '.join(map(str, counts))} threads {wrong} answers differ")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
