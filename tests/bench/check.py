"""Whether a row got worse than in the version before: both programs run in turn, before, after, after, before, so that a machine that becomes slower
or faster affects both alike.

Each round gives one ratio, after / before, of the quicker run of each, since what else a machine does makes a run slower and never quicker. The
median of the ratios lies, with all but one in 200 of such measurements, above the ratio that `lower_bound` picks; where that one is above 1 by more
than the floor, the row is worse. So a noisy machine makes the check blind, and seldom red.
"""
import math
import pathlib
import statistics
import subprocess
import sys

from measuring import DATA, REPOSITORY, instructions, run_once
from rows import FRX

CHANCE = 0.005  # that a row which did not change is called worse
FLOOR = 0.01  # a difference that nobody would act on
MEMORY_FLOOR = 0.05  # where memory comes from pools and page sizes


def lower_bound(ratios):
    """The ratio above which the median lies: all but CHANCE of the time. None of too few ratios."""
    count, below, chosen = len(ratios), 0.0, None
    for index, ratio in enumerate(sorted(ratios)):
        # The probability that at most `index` of them lie below the median, each of which does so with probability one half.
        below += math.comb(count, index) / 2**count
        if below > CHANCE:
            break
        chosen = ratio
    return chosen


def is_worse(ratios, floor=FLOOR):
    bound = lower_bound(ratios)
    return bound is not None and bound > 1 + floor


class Ratios:
    """Of the clock, CPU time and peak memory, one for each round."""

    def __init__(self, rounds):
        first, second = ([cost for pair in rounds for cost in pair[version]] for version in (0, 1))
        self.wall, self.cpu = ([min(cost[i] for cost in after) / max(1, min(cost[i] for cost in before)) for before, after in rounds] for i in (0, 1))
        self.memory = max(cost[2] for cost in second) / max(1, max(cost[2] for cost in first))

    def worse(self):
        """What is worse, in words."""
        words = [what for what, ratios in (("clock", self.wall), ("CPU time", self.cpu)) if is_worse(ratios)]
        return words + (["memory"] if self.memory > 1 + MEMORY_FLOOR else [])


def program_of(revision):
    """The release build of another version of this repository."""
    sha = subprocess.run(["git", "rev-parse", "--verify", f"{revision}^{{commit}}"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if sha.returncode != 0:
        sys.exit(f"bench: '{revision}' is neither a program nor a commit of this repository")
    folder = DATA / "versions" / sha.stdout.strip()[:12]
    program = folder / "build/release/frx"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"building {revision} in {folder.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        archive = subprocess.run(["git", "archive", sha.stdout.strip()], cwd=REPOSITORY, capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        quiet = {"stdout": sys.stderr, "cwd": folder, "check": True}
        subprocess.run(["cmake", "--preset", "release", "-DFRX_BUILD_TESTS=OFF"], **quiet)
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "frx"], **quiet)
    return program


def ratios_of(row, before, after, rounds):
    commands = [[program, *row.command[1:]] for program in (before, after)]
    for command in commands:
        run_once(command)  # the files are then in memory
    measured = []
    for _ in range(rounds * row.rounds):
        first, second, third, fourth = (run_once(commands[version]) for version in (0, 1, 1, 0))
        measured.append(((first, fourth), (second, third)))
    return Ratios(measured)


def more_instructions(row, before, after):
    counts = [instructions([program, *row.command[1:]]) for program in (before, after)]
    return counts[1] / counts[0] if all(counts) else None


def check(rows, before, after, rounds):
    """Prints a line for each row, and returns how many are worse."""
    before = pathlib.Path(before).resolve() if pathlib.Path(before).is_file() else program_of(before)
    line = "{:<40} {:>8} {:>8} {:>8} {:>8} {:>13}  {}"
    print(line.format("after / before, medians", "clock", "at least", "CPU", "memory", "instructions", ""))
    count = 0
    for row in rows:
        assert row.command[0] == FRX
        ratios, counted = ratios_of(row, before, after, rounds), more_instructions(row, before, after)
        worse = ratios.worse() + (["instructions"] if counted and counted > 1 + FLOOR else [])
        bound = lower_bound(ratios.wall)
        print(line.format(row.work, f"{statistics.median(ratios.wall):.3f}", f"{bound:.3f}" if bound else "-", f"{statistics.median(ratios.cpu):.3f}",
                          f"{ratios.memory:.3f}", f"{counted:.3f}" if counted else "not counted", "WORSE: " + ", ".join(worse) if worse else ""), flush=True)
        count += bool(worse)
    return count
