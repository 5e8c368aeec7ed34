"""Kills frx at random moments while it writes, and judges what is left.

Each round starts one of the commands that write files (commands.py) in a fresh folder and sends it SIGINT, SIGTERM, SIGHUP or SIGKILL, or two of
them, or one to its whole process group: in half of the rounds at a moment spread evenly over an undisturbed run, in the others when a file has just
appeared. Then nothing may be running that it started; every file under its final name is whole, and as it was or as it should be; only SIGKILL may
leave temporary files; the exit code is a documented one; and the same command, run again in the same folder, succeeds (judge.py). A table of
commands and signals is written with --write.
"""

import argparse
import ctypes
import json
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from commands import Command, all_commands, prepare
from judge import MARK, Left, all_processes, files_below, left_running

REPOSITORY = Path(__file__).resolve().parents[2]
TIME_LIMIT = 120  # seconds in which a command has to end by itself or by a signal
INT, TERM, HUP, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL
WAYS: list[tuple[str, list[int], int]] = [  # name, signals, how often
    ("INT", [INT], 4), ("TERM", [TERM], 4), ("HUP", [HUP], 4), ("KILL", [KILL], 6), ("TERM, KILL", [TERM, KILL], 2), ("INT, INT", [INT, INT], 1)]
TRIES = 5  # for moments that were too late; the last one is the start


class Watch:
    """Names that appear in folders, and in the folders that appear there (inotify)."""

    NEW, CREATE, MOVED_TO, IS_FOLDER = 0x180, 0x100, 0x80, 0x40000000

    def __init__(self, *folders: Path):
        self.library = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self.library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self.folders: dict[int, Path] = {}
        self.names: list[Path] = []
        for folder in folders:
            for path in [folder, *(one for one in folder.rglob("*") if one.is_dir())]:
                self._add(path)

    def _add(self, folder: Path) -> None:
        number = self.library.inotify_add_watch(self.descriptor, os.fsencode(folder), self.NEW)
        if number >= 0:
            self.folders[number] = folder

    def read(self) -> int:
        """Takes in what has happened; how many names have appeared until now."""
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return len(self.names)
        at = 0
        while at < len(data):
            number, mask, _, size = struct.unpack_from("iIII", data, at)
            name = data[at + 16 : at + 16 + size].rstrip(b"\0").decode(errors="replace")
            at += 16 + size
            if mask & self.NEW and name and number in self.folders:
                self.names.append(self.folders[number] / name)
                if mask & self.IS_FOLDER:
                    self._add_new(self.folders[number] / name)
        return len(self.names)

    def _add_new(self, folder: Path) -> None:
        """With what appeared in it before it was watched."""
        self._add(folder)
        try:
            inside = list(os.scandir(folder))
        except OSError:
            return
        for one in inside:
            self.names.append(folder / one.name)
            if one.is_dir(follow_symlinks=False):
                self._add_new(folder / one.name)

    def close(self) -> None:
        os.close(self.descriptor)


@dataclass
class Reference:
    """An undisturbed run: how long it takes, how many names appear, what it leaves, and what it looks like in the end."""

    seconds: float
    names: int
    files: dict[str, bytes]


@dataclass
class Round:
    """One kill, and what became of it."""

    number: int
    command: str
    way: str
    group: bool = False
    moment: str = ""
    part: str = ""  # before, while or after files were written; "" when it always ended before
    wrong: list[str] = field(default_factory=list)


def start(frx: Path, command: Command, folder: Path, environment: dict[str, str]) -> subprocess.Popen:
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        return subprocess.Popen([frx, *command.arguments], cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                start_new_session=True)


def undisturbed(frx: Path, command: Command, folder: Path) -> Reference:
    """Two runs, whose outputs have to be the same; the longer one says how long it takes."""
    references = []
    for n in range(2):
        environment = prepare(command, folder / str(n))
        watch = Watch(folder / str(n) / "work", folder / str(n) / "tmp")
        begin = time.monotonic()
        process = start(frx, command, folder / str(n), environment)
        ended = os.pidfd_open(process.pid)
        wait_until(("share", 1), TIME_LIMIT, watch, ended)
        seconds = time.monotonic() - begin
        os.close(ended)
        process.wait(1)
        work = folder / str(n) / "work"
        command.ends_with = process.returncode
        if process.returncode != 0:
            raise RuntimeError(f"{command.name} fails undisturbed: {process.returncode}, {(folder / str(n) / 'err').read_text()[-300:]}")
        files = {name: (work / name).read_bytes() for name in command.outputs}
        references.append(Reference(seconds, watch.read(), files))
        watch.close()
        shutil.rmtree(folder / str(n))
    if references[0].files != references[1].files:
        raise RuntimeError(f"{command.name} does not write the same twice")
    return max(references, key=lambda one: one.seconds)


def wait_until(moment: tuple[str, float], seconds: float, watch: Watch, ended: int) -> bool:
    """False when the process ended before the moment came. `moment`: a share of the undisturbed run, or a name that appears and a delay."""
    kind, number = moment
    until = time.monotonic() + (number * seconds if kind == "share" else TIME_LIMIT)
    while kind == "share" or watch.read() < number:
        happened = select.select([watch.descriptor, ended], [], [], max(0, until - time.monotonic()))[0]
        if ended in happened:
            return False
        if not happened:
            return True
        watch.read()
    return True


def part_of(command: Command, names: list[Path], work: Path) -> str:
    """Temporary folders count neither as files that are written nor as their end."""
    written = [name.relative_to(work) for name in names if name.is_relative_to(work)]
    written = [name for name in written if not any(part.startswith("frx-") for part in name.parts)]
    if not written:
        return "before"
    return "after" if any(fnmatch(name.name, command.last) for name in written) else "while"


def send(process: subprocess.Popen, number: int, group: bool) -> None:
    if group:
        os.killpg(process.pid, number)
    else:
        os.kill(process.pid, number)


class Rounds:
    """What a worker needs for every round."""

    def __init__(self, frx: Path, seed: int, commands: list[Command], references: dict[str, Reference], scratch: Path):
        self.frx, self.seed, self.commands, self.references, self.scratch = frx, seed, commands, references, scratch

    def run(self, number: int) -> Round:
        dice = random.Random(f"{self.seed}/{number}")
        command = dice.choices(self.commands, [one.weight for one in self.commands])[0]
        way, signals, _ = dice.choices(WAYS, [how_often for _, _, how_often in WAYS])[0]
        done = Round(number, command.name, way, dice.random() < 0.2)
        try:
            for attempt in range(TRIES):
                folder = self.scratch / f"{number}-{attempt}"
                if self._attempt(done, command, signals, dice, attempt, folder):
                    break
        except Exception:
            done.wrong.append("the judge failed: " + traceback.format_exc()[-600:])
        return done

    def _moment(self, dice: random.Random, reference: Reference, attempt: int) -> tuple[tuple[str, float], float]:
        if attempt == TRIES - 1:
            return ("share", 0), 0
        late = 0.5**attempt
        if dice.random() < 0.5 or reference.names == 0:
            return ("share", dice.random() * late), 0
        return ("name", dice.randint(1, max(1, int(reference.names * late)))), dice.choice([0, 0, dice.random() * 5e-4])

    def _attempt(self, done: Round, command: Command, signals: list[int], dice: random.Random, attempt: int, folder: Path) -> bool:
        """False when it ended before it was killed."""
        reference = self.references[command.name]
        moment, delay = self._moment(dice, reference, attempt)
        pause = dice.random() * dice.choice([0.002, 0.05, 0.5])
        environment = prepare(command, folder)
        mark = f"{os.getpid()}-{done.number}-{attempt}"
        environment[MARK] = mark
        others = all_processes()
        watch = Watch(folder / "work", folder / "tmp")
        process = start(self.frx, command, folder, environment)
        ended = os.pidfd_open(process.pid)
        sent: list[int] = []
        try:
            if wait_until(moment, reference.seconds, watch, ended):
                if delay:
                    time.sleep(delay)
                names = watch.names[: watch.read()]
                for n, one in enumerate(signals):
                    if select.select([ended], [], [], pause if n else 0)[0]:
                        break
                    send(process, one, done.group)
                    sent.append(one)
            if sent:
                done.part = part_of(command, names, folder / "work")
                done.moment = f"{moment[0]} {moment[1]:.3f}, attempt {attempt + 1}"
            if not select.select([ended], [], [], TIME_LIMIT)[0]:
                done.wrong.append(f"did not end within {TIME_LIMIT} s")
                process.kill()
        finally:
            watch.close()
            os.close(ended)
            code = process.wait()
        if not sent:
            left_running(mark, others)
            shutil.rmtree(folder, ignore_errors=True)
            return False
        if words := left_running(mark, others):
            done.wrong.append(words)
        left = Left(self.frx, command, self.references[command.name].files, folder / "work", folder / "tmp", environment)
        said = (folder / "err").read_text(errors="replace") + (folder / "out").read_text(errors="replace")
        done.wrong += left.complaints(code == -KILL, code, sent, said)
        if done.wrong:
            done.wrong.append(f"it ended with {code}")
        self._run_again(done, command, folder, environment)
        if words := left_running(mark, others):
            done.wrong.append(f"run again: {words}")
        shutil.rmtree(folder, ignore_errors=True)
        return True

    def _run_again(self, done: Round, command: Command, folder: Path, environment: dict[str, str]) -> None:
        before = set(files_below(folder / "work"))
        again = start(self.frx, command, folder, {**environment, "SHORT": "1"})
        try:
            second = again.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            again.kill()
            again.wait()
            done.wrong.append("run again, it does not end")
            return
        if second != 0:
            done.wrong.append(f"run again, it ends with {second}: {(folder / 'err').read_text(errors='replace')[-200:]}")
        done.wrong += [f"run again: {words}" for words in self._second_result(command, folder / "work", before)]

    def _second_result(self, command: Command, work: Path, before: set[str]) -> list[str]:
        wrong = [f"{name} is not as it should be" for name, content in self.references[command.name].files.items()
                 if not (work / name).exists() or (work / name).read_bytes() != content]
        if command.bundles:
            new = [name for name in files_below(work / command.bundles) if f"{command.bundles}/{name}" not in before]
            if not any(name.endswith("/manifest.json") for name in new):
                wrong.append("no sealed bundle")
            if command.zip and not any(name.endswith(".zip") for name in new):
                wrong.append("no zip")
        return wrong


ROUNDS: Rounds | None = None


def begin_worker(*arguments) -> None:
    """What starts the tests may ignore signals (nohup, a background job), and what is ignored stays so in programs."""
    for one in (INT, TERM, HUP):
        signal.signal(one, signal.SIG_DFL)
    global ROUNDS
    ROUNDS = Rounds(*arguments)


def run_one(number: int) -> Round:
    return ROUNDS.run(number)


def table_of(rounds: list[Round]) -> list[list[str]]:
    """Rows of command and signal: kills (before / while / after files were written)."""
    ways = [name for name, _, _ in WAYS]
    cells: dict[tuple[str, str], Counter] = defaultdict(Counter)
    for one in rounds:
        if one.part:
            for command in (one.command, "all"):
                for way in (one.way, "all"):
                    cells[command, way][one.part] += 1
    rows = [["command", *ways, "all"]]
    for command in [*dict.fromkeys(sorted(one.command for one in rounds)), "all"]:
        counts = [cells[command, way] for way in [*ways, "all"]]
        rows.append([command, *(f"{c.total()} ({c['before']}/{c['while']}/{c['after']})" if c.total() else "" for c in counts)])
    return rows


def show(rounds: list[Round], seed: int) -> str:
    """The page docs/validation/kills.md."""
    kills = [one for one in rounds if one.part]
    wrong = [one for one in rounds if one.wrong]
    page = f"""# Kills

Written by `python3 tests/kills/run.py --frx build/release/frx --kills {len(rounds)} --seed {seed} --write`. Each round starts a command that writes
files in a fresh folder and kills it: at a moment spread evenly over an undisturbed run, or when a file (final, temporary, or of a temporary
folder) has just appeared. Then it is judged: nothing runs that it started, children, grandchildren, deaf ones and those with sessions of their own
included; every file under its final name is whole, and either as it was or as an undisturbed run writes it; a bundle that is sealed has everything
that its manifest says, and one that is not says so; temporary files are left by SIGKILL only; after the other signals the exit code is
documented; and the same command, run again in the same folder, does what it should. Nothing here needs a GPU: the compiler, `ncu` and
`nvidia-smi` are the fakes of `tests/support/`. The history that frx keeps is the ledger of predictions.

**{len(rounds) - len(wrong)} of {len(rounds)}** rounds leave nothing half-written that looks whole, and nothing running. {len(kills)} of them killed
the command, {sum(1 for one in kills if one.group)} of these its whole process group; the others found it ended each time. In the table: kills
(before / while / after files were written).

"""
    rows = table_of(rounds)
    page += "| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]) + "\n"
    for row in rows[1:]:
        page += "| " + " | ".join(row) + " |\n"
    for one in wrong:
        page += f"\n- round {one.number}: {one.command}, {one.way}, {one.moment}: {'; '.join(one.wrong)}"
    return page + ("\n" if wrong else "")


def rounds_in(log: Path | None) -> list[Round]:
    return [Round(**json.loads(line)) for line in log.read_text().splitlines()] if log and log.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frx", type=Path, required=True, help="the program")
    parser.add_argument("--kills", type=int, default=10_000, help="rounds")
    parser.add_argument("--seed", type=int, default=1, help="of commands, signals and moments")
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--jobs", type=int, default=2, help="rounds at the same time")
    parser.add_argument("--only", default="", help="only commands whose name contains this")
    parser.add_argument("--log", type=Path, help="note the rounds in this file, and do not run again those that are in it: a long run can go on")
    parser.add_argument("--write", action="store_true", help="write docs/validation/kills.md")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if not sys.platform.startswith("linux") or not hasattr(os, "pidfd_open"):
        print("needs Linux and Python 3.9")
        return 77
    frx = options.frx.resolve()
    only = f" --only '{options.only}'" if options.only else ""
    scratch = Path(tempfile.mkdtemp(prefix="kills-"))
    rounds = rounds_in(options.log)
    noted = {one.number for one in rounds}
    numbers = [number for number in range(options.first, options.first + options.kills) if number not in noted]
    try:
        (scratch / "made").mkdir()
        commands = [one for one in all_commands(frx, scratch / "made") if options.only in one.name]
        references = {one.name: undisturbed(frx, one, scratch / "undisturbed") for one in commands}
        for one in commands if options.verbose else []:
            print(f"undisturbed: {one.name}: {references[one.name].seconds:.2f} s, {references[one.name].names} names", flush=True)
        with ProcessPoolExecutor(options.jobs, initializer=begin_worker, initargs=(frx, options.seed, commands, references, scratch)) as workers:
            for one in workers.map(run_one, numbers, chunksize=4):
                rounds.append(one)
                if options.log:
                    with open(options.log, "a") as log:
                        log.write(json.dumps(asdict(one)) + "\n")
                if one.wrong or options.verbose:
                    words = f"{one.command}, {one.way}{' to the group' if one.group else ''}, {one.moment or 'ended before'}, {one.part or '-'}"
                    again = f" [--seed {options.seed} --first {one.number} --kills 1{only}]" if one.wrong else ""
                    print(f"{'WRONG' if one.wrong else 'ok'}: round {one.number}: {words}: {'; '.join(one.wrong)}{again}", flush=True)
                elif len(rounds) % 500 == 0:
                    print(f"{len(rounds)} rounds, {sum(1 for r in rounds if r.wrong)} wrong", flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for row in table_of(rounds):
        print("  ".join([f"{row[0]:<36}", *(f"{cell:>20}" for cell in row[1:])]))
    failed = sum(1 for one in rounds if one.wrong)
    print(f"{len(rounds) - failed} of {len(rounds)} rounds leave nothing half-written that looks whole, and nothing running")
    if options.write:
        (REPOSITORY / "docs/validation/kills.md").write_text(show(rounds, options.seed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
