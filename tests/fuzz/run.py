"""Runs the fuzz targets for a time each, keeps a record of it, and makes small what they found.

  python3 tests/fuzz/run.py --seconds 3600            every target for an hour, one on each core
  python3 tests/fuzz/run.py --only ptx --seconds 60   those whose name contains "ptx"
  python3 tests/fuzz/run.py --minimise                what was found becomes seeds: the smallest inputs that cover more than the seeds do

A run of a target may take 5 s and 1 GB; one that took longer is repeated by itself, and counts where it needs 5 s of a processor. What it finds goes to build/fuzz/crashes/TARGET, its corpus to build/fuzz/corpus/TARGET. The record is the
table of docs/validation/fuzzing.md, whose numbers are added to. Build the targets first: cmake --preset fuzz && cmake --build --preset fuzz.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build/fuzz"
SEEDS = REPOSITORY / "tests/fuzz/corpus"
PAGE = REPOSITORY / "docs/validation/fuzzing.md"
SECONDS_FOR_ONE = 5
LIMITS = [f"-timeout={SECONDS_FOR_ONE}", "-rss_limit_mb=1024", "-max_len=65536"]
HEAD = "| target | changed by | minutes | inputs | edges | largest memory | findings |\n|---|---|---|---|---|---|---|\n"
# Freed blocks that AddressSanitizer keeps aside count as memory of a run.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=16"}


@dataclass
class Row:
    """What is recorded of a target: seconds of a processor and inputs in all runs; edges covered and megabytes of the last one; inputs that broke something."""

    seconds: float = 0
    inputs: int = 0
    edges: int = 0
    megabytes: int = 0
    findings: int = 0


def targets() -> dict[str, str]:
    """Names and mutators, as targets.def lists them."""
    text = (REPOSITORY / "tests/fuzz/targets.def").read_text()
    return dict(re.findall(r"^FRX_FUZZ_TARGET\((\w+), mutate_(\w+)\)", text, re.MULTILINE))


def seeds_for(target: str, folder: Path) -> None:
    """Fills a folder with the seeds of a target: its own, and those of others that targets.def names."""
    text = (REPOSITORY / "tests/fuzz/targets.def").read_text()
    paths = list((SEEDS / target).glob("*"))
    for pattern in re.findall(rf'^FRX_FUZZ_SEEDS\({target}, "(.+)"\)', text, re.MULTILINE):
        paths += (REPOSITORY / "tests").glob(pattern)
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        shutil.copy(path, folder / path.name)


def recorded() -> dict[str, Row]:
    if not PAGE.exists():
        return {}
    rows = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = Row(float(cells[2]) * 60, int(cells[3].replace(",", "")), int(cells[4].replace(",", "")), int(cells[5].split()[0]), int(cells[6]))
    return rows


def write(rows: dict[str, Row]) -> None:
    """Only the table is written anew; what stands around it stays."""
    table = HEAD
    for target, mutator in targets().items():
        row = rows.get(target, Row())
        table += f"| `{target}` | {mutator} | {row.seconds / 60:.0f} | {row.inputs:,} | {row.edges:,} | {row.megabytes} MB | {row.findings} |\n"
    page = PAGE.read_text() if PAGE.exists() else "# Fuzzing\n\n" + HEAD
    before, _, after = page.partition(HEAD.splitlines()[0])
    rest = after.split("\n\n", 1)
    PAGE.write_text(before + table + ("\n" + rest[1] if len(rest) > 1 else ""))


def number(pattern: str, text: str) -> int:
    """The last number that the pattern finds; 0 without one."""
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def used_seconds(program: subprocess.Popen) -> float:
    """Waits for a program. Seconds of a processor that it took: the clock would count what else the machine does."""
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def is_done_in_time(command: list) -> bool:
    """Does a program end well, and with less of a processor than one input may take?"""
    program = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return used_seconds(program) < SECONDS_FOR_ONE and program.returncode == 0


def drop_slow_machine(target: str, new: set[Path]) -> set[Path]:
    """What is left of new inputs without those that only took long because the machine did other work."""
    late = {path for path in new if path.name.startswith("timeout-") and is_done_in_time([BUILD / target, "-timeout=120", "-rss_limit_mb=1024", path])}
    for path in late:
        path.unlink()
    return new - late


def fuzz(target: str, seconds: int) -> Row:
    """One target for a time. It ends with its first finding and is then started again, for each finding is kept in a file of its own."""
    found, crashes = BUILD / "corpus" / target, BUILD / "crashes" / target
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = BUILD / "seeds" / target
    seeds_for(target, seeds)
    dictionary = REPOSITORY / f"tests/fuzz/{target}.dict"
    row = Row()
    end = time.monotonic() + seconds
    while (left := int(end - time.monotonic())) > 0 and row.findings < 20:
        before = set(crashes.iterdir())
        command = [BUILD / target, *LIMITS, f"-max_total_time={left}", "-print_final_stats=1", f"-artifact_prefix={crashes}/", found, seeds]
        if dictionary.exists():
            command.insert(1, f"-dict={dictionary}")
        log = BUILD / f"{target}.log"
        with log.open("wb") as output:
            program = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            row.seconds += used_seconds(program)
        said = log.read_text(errors="replace")
        row.inputs += number(r"stat::number_of_executed_units: *(\d+)", said) or number(r"#(\d+)\t", said)
        row.edges = number(r"cov: (\d+)", said) or row.edges
        row.megabytes = max(row.megabytes, number(r"stat::peak_rss_mb: *(\d+)", said))
        new = set(crashes.iterdir()) - before
        row.findings += len(drop_slow_machine(target, new)) if new else program.returncode != 0
    print(f"{target}: {row.seconds / 60:.0f} min, {row.inputs:,} inputs, {row.edges:,} edges, {row.megabytes} MB, {row.findings} findings", flush=True)
    return row


def minimise(target: str, most: int, largest: int) -> None:
    """Adds to the seeds what covers more than they do, smallest inputs first."""
    with tempfile.TemporaryDirectory() as scratch:
        own = Path(scratch) / "own"
        seeds_for(target, own)
        before = {path.name for path in own.iterdir()}
        subprocess.run([BUILD / target, *LIMITS, "-merge=1", own, BUILD / "corpus" / target], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        new = sorted((path for path in own.iterdir() if path.name not in before and path.stat().st_size <= largest), key=lambda path: path.stat().st_size)
        (SEEDS / target).mkdir(exist_ok=True)
        for path in new[:most]:
            shutil.copy(path, SEEDS / target / f"found_{path.name[:10]}")
        print(f"{target}: {len(before)} seeds, {min(len(new), most)} of {len(new)} new ones kept", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="targets whose name contains this; several, with commas between them")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at a time")
    parser.add_argument("--gather", metavar="TARGET", help="fuzz nothing; put the seeds of a target into build/fuzz/seeds/TARGET")
    parser.add_argument("--minimise", action="store_true", help="fuzz nothing; make seeds of what was found")
    parser.add_argument("--most", type=int, default=60, help="new seeds of a target that --minimise keeps")
    parser.add_argument("--largest", type=int, default=4096, help="bytes of such a seed")
    asked = parser.parse_args()
    if asked.gather:
        seeds_for(asked.gather, BUILD / "seeds" / asked.gather)
        return 0
    chosen = [target for target in targets() if any(part in target for part in asked.only.split(","))]
    missing = [target for target in chosen if not (BUILD / target).exists()]
    if missing:
        parser.error(f"build/fuzz/{missing[0]} is missing: cmake --preset fuzz && cmake --build --preset fuzz")
    failed = False
    with ThreadPoolExecutor(asked.jobs) as pool:
        if asked.minimise:
            list(pool.map(lambda target: minimise(target, asked.most, asked.largest), chosen))
            return 0
        for target, ran in zip(chosen, pool.map(lambda target: fuzz(target, asked.seconds), chosen)):
            rows = recorded()
            row = rows.setdefault(target, Row())
            rows[target] = Row(row.seconds + ran.seconds, row.inputs + ran.inputs, ran.edges or row.edges, max(row.megabytes, ran.megabytes), row.findings + ran.findings)
            write(rows)
            failed |= ran.findings > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
