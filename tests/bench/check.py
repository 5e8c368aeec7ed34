"""Whether a row got worse than in the version before: both programs run in turn, before, after, after, before, and in the next round after, before,
before, after, so that a machine that becomes slower or faster affects both alike.

Each round gives one ratio, after / before, of the quicker run of each, since what else a machine does makes a run slower and never quicker. The
median of the ratios lies above the ratio that `lower_bound` picks in all but one of 1,000 such measurements of a row; where that one is above 1 by
more than the floor, the row is worse. So noise makes the check blind, and seldom red. Memory is judged in the same way.
"""
import math
import pathlib
import statistics
import subprocess
import sys

from measuring import DATA, REPOSITORY, Failed, instructions, run_once
from rows import FRX

CHANCE = 0.001  # that one measurement of a row which did not change is called worse; a row has three: clock, CPU time, memory
FEWEST_ROUNDS = 10  # with fewer, chance alone is never ruled out
FLOOR = 0.01  # a smaller difference does not matter
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
    """Of the clock, CPU time and peak memory, one for each round; a round is the costs of two runs before and of two runs after."""

    def __init__(self, rounds):
        self.wall, self.cpu, self.memory = (self.of(rounds, measure) for measure in range(3))

    @staticmethod
    def of(rounds, measure):
        def least(runs):
            return max(1, min(run[measure] for run in runs))

        return [least(after) / least(before) for before, after in rounds]

    def worse(self):
        """What is worse, in words."""
        judged = {"clock": is_worse(self.wall), "CPU time": is_worse(self.cpu), "memory": is_worse(self.memory, MEMORY_FLOOR)}
        return [what for what, worse in judged.items() if worse]


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


def ratios_of(commands, rounds):
    """Of two commands, before and after, whose files are in memory."""
    measured = []
    for number in range(rounds):
        order = (0, 1, 1, 0) if number % 2 == 0 else (1, 0, 0, 1)
        costs = ([], [])
        for version in order:
            costs[version].append(run_once(commands[version]))
        measured.append(costs)
    return Ratios(measured)


def more_instructions(commands):
    counts = [instructions(command) for command in commands]
    return counts[1] / counts[0] if all(counts) else None


def check(rows, before, after, rounds):
    """Prints a line for each row, and returns how many are worse."""
    before = pathlib.Path(before).resolve() if pathlib.Path(before).is_file() else program_of(before)
    line = "{:<40} {:>8} {:>8} {:>8} {:>8} {:>13}  {}"
    print(line.format("after / before, medians", "clock", "at least", "CPU", "memory", "instructions", ""))
    count = 0
    for row in rows:
        assert row.command[0] == FRX
        commands = [[program, *row.command[1:]] for program in (before, after)]
        try:
            run_once(commands[0])  # the files are then in memory
        except Failed:
            print(f"{row.work:<40} the version before does not do this", flush=True)
            continue
        run_once(commands[1])
        ratios, counted = ratios_of(commands, rounds * row.rounds), more_instructions(commands)
        worse = ratios.worse() + (["instructions"] if counted and counted > 1 + FLOOR else [])
        clock, cpu, memory = (f"{statistics.median(values):.3f}" for values in (ratios.wall, ratios.cpu, ratios.memory))
        print(line.format(row.work, clock, f"{lower_bound(ratios.wall):.3f}", cpu, memory, f"{counted:.3f}" if counted else "not counted",
                          "WORSE: " + ", ".join(worse) if worse else ""), flush=True)
        count += bool(worse)
    return count
