"""Runs frx on every crafted input (crafted.py) and judges how it ends.

Each run has 256 KB of stack; it has to end by itself, within 2 s of processor time and 512 MB of memory, with a documented exit code, and either
an answer or an error of one line (and its hint) that names the file. A table of tricks and formats is written with --write.
"""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from crafted import DRAM, TALL_HEAD, Crafted, inputs

REPOSITORY = Path(__file__).resolve().parents[2]
STACK = 256 << 10
DOCUMENTED_EXITS = {0, 1, 2, 3, 4}


@dataclass
class Ended:
    """How one run ended: code (below 0: by a signal), seconds of processor time, largest memory in MB, and what it printed."""

    code: int
    seconds: float
    megabytes: float
    out: bytes
    err: bytes
    hung: bool


def run(command: list[str], kill_after: float, stack: int) -> Ended:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryDirectory() as scratch:
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "GITHUB_ACTIONS": "true"}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit, env=environment, cwd=scratch)
        killed = threading.Event()
        timer = threading.Timer(kill_after, lambda: (killed.set(), process.send_signal(signal.SIGKILL)))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = 0
        code = os.waitstatus_to_exitcode(status)
        for stream in (out, err):
            stream.seek(0)
        return Ended(code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read(4 << 20), err.read(1 << 20), killed.is_set())


def complaint(one: Crafted, ended: Ended, path: Path, limits: argparse.Namespace) -> str:
    """What is wrong with how it ended; "" when nothing is."""
    if ended.hung:
        return f"did not end within {limits.kill_after:.0f} s"
    if ended.code < 0:
        return f"ended by signal {-ended.code}"
    if ended.code not in DOCUMENTED_EXITS:
        return f"exit code {ended.code}"
    if ended.seconds > limits.seconds * (2 if one.trick == "compared" else 1):  # two files
        return f"took {ended.seconds:.1f} s"
    if ended.megabytes > limits.megabytes:
        return f"held {ended.megabytes:.0f} MB"
    err = ended.err.decode(errors="replace")
    lines = [line for line in err.splitlines() if not line.startswith(("  hint:", "        ", "usage:"))]
    if ended.code != 0 and not ended.out and (len(lines) != 1 or len(err) > 4000 or not any(name in err for name in (path.name.split("\x1b")[0], "a.yaml"))):
        return f"{len(lines)} lines of error that may not name the file: {err[:160]!r}"
    printed = ended.out + ended.err
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", printed):
        return "printed control characters"
    if re.search("[\u0080-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]", printed.decode(errors="replace")):
        return "printed invisible characters"
    if re.search(r"(?m)^\s*::|##\[", printed.decode(errors="replace")):
        return "printed a command of GitHub Actions"
    if one.trick == "hidden" and ended.code == 0:
        return "passed a check that could not be made"
    if one.trick == "disguise" and ended.code == 0 and not ended.out.strip():
        return "said nothing about what it could not read"
    if one.trick == "disguise" and re.search(rb"\b0 kernels?\b|Kernels\s*:\s*0\b|no kernels", ended.out):
        return "found no kernels in a file that has one"
    return ""


def show(results: list[tuple[Crafted, Ended, str]]) -> str:
    """The page docs/validation/hardening.md."""
    cells: dict[tuple[str, str], list[tuple[Ended, str]]] = defaultdict(list)
    for one, ended, wrong in results:
        cells[one.trick, one.format].append((ended, wrong))
    tricks = list(dict.fromkeys(one.trick for one, _, _ in results))
    formats = list(dict.fromkeys(one.format for one, _, _ in results))
    page = "# Crafted inputs\n\nWritten by `python3 tests/crafted/run.py --frx build/release/frx --write`. "
    page += f"{len(results)} small files of `tests/crafted/` (most of them up to 1 MB) that nest without end, are never closed, hold very many or one very long\n"
    page += "thing, expand when they are unpacked, come in another encoding or are no files at all. Each is read with 256 KB of stack; it has to end by itself within\n"
    page += "2 s of processor time for each file and 512 MB, with a documented exit code, and with an answer or one line of error that names the file.\n\n"
    bad = [(one, ended, wrong) for one, ended, wrong in results if wrong]
    page += f"**{len(results) - len(bad)} of {len(results)}** end so. In the table: inputs, the longest time and the largest memory among them.\n\n"
    page += "| format | " + " | ".join(tricks) + " |\n|---|" + "---|" * len(tricks) + "\n"
    for format_ in formats:
        row = []
        for trick in tricks:
            those = cells.get((trick, format_), [])
            failed = sum(1 for _, wrong in those if wrong)
            words = f"{len(those)}: {max(e.seconds for e, _ in those):.1f} s, {max(e.megabytes for e, _ in those):.0f} MB" if those else ""
            row.append(words + (f", **{failed} wrong**" if failed else ""))
        page += f"| {format_} | " + " | ".join(row) + " |\n"
    for one, _, wrong in bad:
        page += f"\n- {one.trick}, {one.format}, `{one.name}`: {wrong}"
    return page + ("\n" if bad else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frx", type=Path, required=True, help="the program")
    parser.add_argument("--only", default="", help="only inputs whose trick, format or name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every n-th input")
    parser.add_argument("--seconds", type=float, default=2, help="of processor time that a run may take")
    parser.add_argument("--megabytes", type=float, default=512, help="that a run may hold")
    parser.add_argument("--stack", type=int, default=STACK, help="bytes of stack; sanitizers need more")
    parser.add_argument("--kill-after", type=float, default=20, help="seconds after which a run is killed")
    parser.add_argument("--write", action="store_true", help="write docs/validation/hardening.md")
    parser.add_argument("--keep", type=Path, help="keep the inputs in this folder")
    parser.add_argument("-v", "--verbose", action="store_true")
    limits = parser.parse_args()
    # Programs are started by a small process of its own, since what they are said to hold includes what the process held that started them.
    launcher = ProcessPoolExecutor(1)
    launcher.submit(os.getpid).result()
    results: list[tuple[Crafted, Ended, str]] = []
    folder = Path(tempfile.mkdtemp(prefix="crafted-"))
    six = folder / "six.csv"
    six.write_text(TALL_HEAD + f'"0","k","{DRAM}","%","92"\n')
    log = folder / "ptxas.log"
    log.write_text("ptxas info    : Compiling entry function 'k' for 'sm_80'\n" * 15_000)
    try:
        for number, one in enumerate(inputs()):
            if limits.only and limits.only not in f"{one.trick} {one.format} {one.name}" or number % limits.every:
                continue
            path = folder / f"{number}" / one.name
            path.parent.mkdir()
            one.make(path)
            arguments = [argument.format(six=six, ptxas=log, itself=path) for argument in one.arguments]
            if arguments[0] == "analyze" and path.suffix == ".cu":
                arguments.append("--with-ptx=no")  # a compiler has limits of its own, and its memory is no measure of frx
            ended = launcher.submit(run, [str(limits.frx.resolve()), *arguments, str(path)], limits.kill_after, limits.stack).result()
            wrong = complaint(one, ended, path, limits)
            results.append((one, ended, wrong))
            if wrong or limits.verbose:
                first = (ended.err or ended.out).decode(errors="replace").strip().split("\n")[0][:150]
                print(f"{'WRONG' if wrong else 'ok'}: {one.trick}, {one.format}, {one.name}: {wrong or first} [{ended.code}, {ended.seconds:.2f} s, {ended.megabytes:.0f} MB]", flush=True)
            if limits.keep and wrong:
                limits.keep.mkdir(parents=True, exist_ok=True)
                shutil.move(path, limits.keep / f"{number}-{one.name}")
            shutil.rmtree(path.parent, ignore_errors=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        launcher.shutdown()
    failed = sum(1 for _, _, wrong in results if wrong)
    print(f"{len(results) - failed} of {len(results)} crafted inputs end as they should")
    if limits.write:
        (REPOSITORY / "docs/validation/hardening.md").write_text(show(results))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
