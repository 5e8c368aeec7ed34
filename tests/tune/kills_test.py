"""Kills frx tune at random moments with SIGKILL, goes on with --resume, and judges what became of the trials that had finished.

    kills_test.py --frx FRX [--kills N] [--seed N]

Each round starts a tuning of workload.py, kills frx at a moment drawn evenly over an undisturbed tuning, and resumes it until it ends by itself, with
further kills on the way. Then every run that had finished before a kill (its run.json was there) has the same bytes as then, so it was not run again;
no process of the tuning is left; records are whole; and the tuning recommends something.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARK = f"--load=2.0{os.getpid():07}"  # of the workload's command line, so that what is left running of this test can be found
PROGRAM = [sys.executable, "-B", str(HERE / "workload.py"), MARK, "--compute", "0.1", "--copy", "0.1"]
OPTIONS = ["--max-trials", "4", "--warmup-steps", "1", "--measure-steps", "8", "--race-measure-steps", "4"]


def left_running() -> list[int]:
    found = []
    for one in Path("/proc").iterdir():
        if not one.name.isdigit() or int(one.name) == os.getpid():
            continue
        try:
            if MARK.encode() in (one / "cmdline").read_bytes().split(b"\0") and b"frx" not in (one / "comm").read_bytes():
                found.append(int(one.name))
        except OSError:
            continue
    return found


def wait_until_none_is_left(seconds: float) -> list[int]:
    until = time.monotonic() + seconds
    while left_running() and time.monotonic() < until:
        time.sleep(0.05)
    return left_running()


def described(pid: int) -> str:
    try:
        facts = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
        return f"{pid} ({facts['Name'].strip()}, {facts['State'].strip()}, child of {facts['PPid'].strip()})"
    except OSError:
        return f"{pid} (it has just ended)"


def finished(tuning: Path) -> dict[str, bytes]:
    """The records of finished runs; each has to be whole."""
    records = {}
    for path in tuning.rglob("run.json"):
        text = path.read_bytes()
        json.loads(text)
        records[str(path.relative_to(tuning))] = text
    return records


class Round:
    def __init__(self, frx: str, folder: Path, length: float, chance: random.Random):
        self.frx, self.folder, self.length, self.chance = frx, folder, length, chance
        self.kills = self.kept = 0

    def start(self) -> subprocess.Popen:
        tunings = sorted((self.folder / "runs").glob("tune-*/tune.json"))
        what = ["--resume", str(tunings[0].parent)] if tunings else [*OPTIONS, "--out", "runs", "--", *PROGRAM]
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            return subprocess.Popen([self.frx, "tune", *what], cwd=self.folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL)

    def tuning(self) -> Path | None:
        found = sorted((self.folder / "runs").glob("tune-*/tune.json"))
        return found[0].parent if found else None

    def run(self, most_kills: int) -> None:
        before: dict[str, bytes] = {}
        while True:
            process = self.start()
            try:
                process.wait(self.chance.uniform(0, self.length) if self.kills < most_kills else 300)
            except subprocess.TimeoutExpired:
                assert self.kills < most_kills, "a tuning that nothing disturbed did not end"
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.kills += 1
            else:
                break
            left = wait_until_none_is_left(5)
            assert not left, f"processes are left running: {', '.join(described(one) for one in left)}"
            tuning = self.tuning()
            now = finished(tuning) if tuning else {}
            self.expect_kept(before, now)
            before = now
        self.expect_kept(before, finished(self.tuning()))
        self.kept = len(before)
        self.judge(process.returncode)

    @staticmethod
    def expect_kept(before: dict[str, bytes], now: dict[str, bytes]) -> None:
        for name, text in before.items():
            assert now.get(name) == text, f"{name} was finished, and is no longer what it was"

    def judge(self, code: int) -> None:
        said = (self.folder / "err").read_text()
        assert code == 0, f"the exit code is {code}: {said}"
        report = json.loads((self.tuning() / "autopilot_report.json").read_text())
        assert report["winner"] is not None, "nothing is recommended"
        assert report["resume"]["reused_runs"] >= self.kept, f"{report['resume']['reused_runs']} runs were reused, and {self.kept} were finished"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frx", required=True)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else random.randrange(1 << 30)
    chance = random.Random(seed)
    frx = str(Path(asked.frx).resolve())
    kills = kept = rounds = 0
    with tempfile.TemporaryDirectory(prefix="frx-tune-kills-") as scratch:
        begun = time.monotonic()
        undisturbed = Path(scratch) / "undisturbed"
        undisturbed.mkdir()
        Round(frx, undisturbed, 1, chance).run(0)
        length = time.monotonic() - begun
        while kills < asked.kills:
            folder = Path(scratch) / f"round{rounds}"
            folder.mkdir()
            one = Round(frx, folder, length, chance)
            try:
                one.run(min(3, asked.kills - kills))
            except AssertionError as wrong:
                print(f"seed {seed}, round {rounds}: {wrong}")
                return 1
            kills, kept, rounds = kills + one.kills, kept + one.kept, rounds + 1
    print(f"seed {seed}: {kills} kills in {rounds} tunings of {length:.1f} s; {kept} runs that had finished were kept, none was lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
