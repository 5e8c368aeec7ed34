"""Recording under load, kills and a full disk: no answer that frx said it recorded is lost, and no database is damaged.

    stress.py --frx build/dev/frx [--processes 100] [--kills 200] [--limits 40] [--tmpfs]

Three parts, each on a fresh store:
  at once   processes record answers of their own, all started together
  kills     a process that records one answer after the other is killed (SIGKILL) at a random moment, again and again
  full      the file may not grow beyond a limit (RLIMIT_FSIZE), or the disk is a small tmpfs (--tmpfs, as root)
What a process printed as recorded is looked for in the export, and `frx history check` has to find the database whole.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def answer(number: int, bytes_: int = 400) -> str:
    """A document of its own for each number; it does not pack well."""
    noise = random.Random(number).randbytes(bytes_ // 2).hex()
    return json.dumps({"schema": "gpu_measurement_v1", "command": f"./train {noise}", "seconds": 1 + number, "launches": None})


class Judge:
    def __init__(self, frx: str, folder: Path) -> None:
        self.frx, self.folder = frx, folder

    def run(self, store: Path, *arguments: str, text: str = "", **more) -> subprocess.CompletedProcess:
        command = [self.frx, "history", *arguments, "--store", str(store)]
        return subprocess.run(command, input=text, capture_output=True, text=True, cwd=self.folder, **more)

    def kept(self, store: Path) -> set[str]:
        done = self.run(store, "export", "-")
        assert done.returncode == 0, done.stderr
        return {json.loads(line)["id"] for line in done.stdout.splitlines()}

    def expect_whole(self, store: Path, said: set[str]) -> int:
        checked = self.run(store, "check", "--json")
        if not said and "there is no history yet" in checked.stderr:
            return 0  # each process was killed before the transaction that makes the tables
        assert checked.returncode == 0, f"damaged: {checked.stdout}{checked.stderr}"
        kept = self.kept(store)
        assert said <= kept, f"{len(said - kept)} of {len(said)} recorded answers are lost"
        return len(kept)


def ids_in(text: str) -> set[str]:
    return {one["id"] for one in json.loads(text)["result"]["records"]}


def at_once(judge: Judge, processes: int) -> str:
    """Each records three times one answer: one transaction each."""
    store = judge.folder / "at-once.db"
    script = 'for n in 1 2 3; do "$FRX" history record "$1-$n.json" --store "$2" --json || exit 9; done'
    for i in range(processes):
        for n in (1, 2, 3):
            (judge.folder / f"{i}-{n}.json").write_text(answer(10 * i + n))
    environment = {**os.environ, "FRX": judge.frx}
    begin = time.monotonic()
    running = [subprocess.Popen(["sh", "-c", script, "sh", str(i), store], cwd=judge.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for i in range(processes)]
    said: set[str] = set()
    for one in running:
        out, err = one.communicate()
        assert one.returncode == 0, err
        decoder, at = json.JSONDecoder(), 0
        while out[at:].strip():
            document, length = decoder.raw_decode(out[at:].lstrip())
            at += len(out[at:]) - len(out[at:].lstrip()) + length
            said |= {record["id"] for record in document["result"]["records"]}
    seconds = time.monotonic() - begin
    assert len(said) == 3 * processes, f"{len(said)} said, {3 * processes} were given"
    kept = judge.expect_whole(store, said)
    assert kept == len(said)
    return f"{processes} processes recorded {len(said)} answers at once in {seconds:.1f} s; all are there, the database is whole"


def kills(judge: Judge, count: int) -> str:
    """The process group is killed: the shell that repeats, and the frx that is at work."""
    store = judge.folder / "kills.db"
    script = ('while :; do "$FRX" history record "$1" --store "$2" --commit "$3-$n" --json > part.$3 || exit 9; cat part.$3 >> said.$3; '
              'n=$((n + 1)); done')
    (judge.folder / "one.json").write_text(answer(1, 20_000))
    environment = {**os.environ, "FRX": judge.frx, "n": "0"}
    rng = random.Random(7)
    said: set[str] = set()
    begin = time.monotonic()
    assert judge.run(judge.folder / "timed.db", "record", "one.json").returncode == 0
    longest = max(0.15, 3 * (time.monotonic() - begin))  # a busy machine records, too, before it is killed
    for number in range(count):
        running = subprocess.Popen(["sh", "-c", script, "sh", "one.json", store, str(number)], cwd=judge.folder, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        time.sleep(rng.uniform(0.002, longest))
        os.killpg(running.pid, signal.SIGKILL)
        _, err = running.communicate()
        assert running.returncode == -signal.SIGKILL, f"ended before it was killed: {err}"
        # What was printed whole was said.
        text = (judge.folder / f"said.{number}").read_text() if (judge.folder / f"said.{number}").exists() else ""
        part = judge.folder / f"part.{number}"
        text += part.read_text() if part.exists() else ""
        at, decoder = 0, json.JSONDecoder()
        while text[at:].strip():
            at += len(text[at:]) - len(text[at:].lstrip())
            try:
                document, length = decoder.raw_decode(text[at:])
            except json.JSONDecodeError:
                break  # cut by the kill: it may be there or not
            at += length
            said |= {record["id"] for record in document["result"]["records"]}
        if number % 20 == 19:
            judge.expect_whole(store, said)
    kept = judge.expect_whole(store, said)
    return f"{count} kills: {len(said)} answers were said to be recorded, all are there; {kept} are there in all, the database is whole"


def full(judge: Judge, limits: int, tmpfs: bool) -> str:
    """Record until it fails, at many sizes of the file; then go on without the limit."""
    failed = 0
    rng = random.Random(3)
    for number in range(limits):
        folder = judge.folder / f"full-{tmpfs}-{number}"
        folder.mkdir()
        size = rng.randrange(200_000, 900_000)
        if tmpfs:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
        try:
            store, said = folder / "h.db", set()
            limit = None if tmpfs else (lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            for n in range(200):
                done = judge.run(store, "record", "-", "--json", text=answer(n, 30_000), preexec_fn=limit)
                if done.returncode != 0:
                    failed += 1
                    lines = done.stderr.strip().splitlines()
                    assert done.returncode == 1 and len(lines) == 2 and "full" in lines[0] and lines[1].startswith("  hint: "), done.stderr
                    break
                said |= ids_in(done.stdout)
            else:
                raise AssertionError("the limit was never reached")
            if tmpfs:
                subprocess.run(["mount", "-o", "remount,size=50000000", folder], check=True)
            judge.expect_whole(store, said)
            again = judge.run(store, "record", "-", "--json", text=answer(1000))
            assert again.returncode == 0, again.stderr
            judge.expect_whole(store, said | ids_in(again.stdout))
        finally:
            if tmpfs:
                subprocess.run(["umount", folder], check=True)
    what = "a tmpfs that was full" if tmpfs else "a file that may not grow"
    return f"{what}, {limits} times: {failed} clear errors; nothing recorded before is lost, and recording goes on with more space"


def read_only(judge: Judge) -> str:
    store = judge.folder / "read-only" / "h.db"
    store.parent.mkdir()
    assert judge.run(store, "record", "-", text=answer(1)).returncode == 0
    store.chmod(0o444)
    store.parent.chmod(0o555)
    try:
        listed = judge.run(store, "list", "--json")
        assert listed.returncode == 0 and len(json.loads(listed.stdout)["result"]["records"]) == 1, listed.stderr
        if os.geteuid() != 0:  # root may write anywhere
            refused = judge.run(store, "record", "-", text=answer(2))
            assert refused.returncode == 1 and "hint:" in refused.stderr, refused.stderr
    finally:
        store.parent.chmod(0o755)
        store.chmod(0o644)
    return "a read-only folder: listed; recording is refused with a hint (not as root)"


def damaged(judge: Judge, count: int) -> str:
    """Bytes of the file are changed: whatever a command says, it ends, and says so in one line."""
    store = judge.folder / "damaged.db"
    for n in range(30):
        assert judge.run(store, "record", "-", text=answer(n)).returncode == 0
    whole = store.read_bytes()
    rng = random.Random(11)
    noticed = 0
    for _ in range(count):
        bytes_ = bytearray(whole)
        for _ in range(rng.randrange(1, 30)):
            bytes_[rng.randrange(len(bytes_))] = rng.randrange(256)
        if rng.random() < 0.3:
            bytes_ = bytes_[: rng.randrange(len(bytes_))]
        store.write_bytes(bytes_)
        for other in ("-wal", "-shm"):
            Path(str(store) + other).unlink(missing_ok=True)
        for arguments in (["check"], ["list"], ["list", "--by-series"], ["export", "-"], ["record", "-"]):
            done = judge.run(store, *arguments, text=answer(99), timeout=60)
            assert done.returncode in (0, 1), (arguments, done.returncode, done.stderr)
            if done.returncode == 1 and arguments != ["check"]:
                assert len(done.stderr.strip().splitlines()) == 2, done.stderr
            noticed += arguments == ["check"] and done.returncode == 1
    return f"{count} damaged databases: every command ended with an answer or one error; check noticed {noticed} of them"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    parser.add_argument("--processes", type=int, default=100)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--limits", type=int, default=40)
    parser.add_argument("--damaged", type=int, default=200)
    parser.add_argument("--tmpfs", action="store_true", help="fill a mounted tmpfs instead of limiting the size of files; as root")
    options = parser.parse_args()
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(str(Path(options.frx).resolve()), Path(folder))
        print(at_once(judge, options.processes), flush=True)
        print(kills(judge, options.kills), flush=True)
        print(full(judge, options.limits, False), flush=True)
        if options.tmpfs:
            print(full(judge, options.limits, True), flush=True)
        print(read_only(judge), flush=True)
        print(damaged(judge, options.damaged), flush=True)


if __name__ == "__main__":
    sys.exit(main())
