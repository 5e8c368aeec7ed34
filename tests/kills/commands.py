"""The commands of frx that write files, each with what it needs in its folder and what it leaves there."""

import json
import os
import re
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden"

# A program that is observed. Its children would live for half a minute; it ends them itself when it is not killed. They print much or nothing,
# are deaf to all signals that can be ignored, lead sessions of their own, and have children of their own. With SHORT it does without them.
FAMILY = r"""
say() { i=0; while [ $i -lt $1 ]; do i=$((i + 1)); echo "line $i: 0123456789 0123456789 0123456789 0123456789 0123456789"; done; }
step() { printf '{"event_type": "step_end", "step_id": %s, "duration_ns": 5000000, "payload": {"status": "ok"}}\n' $1 >> "$FRX_RAW_TRACE_PATH"; }
mkdir -p pids frx-job-run
rm -f pids/*
if [ -z "$SHORT" ]; then
  sleep 30 & echo $! > pids/plain
  sh -c 'trap "" TERM INT HUP; echo $$ > pids/deaf; exec sleep 30' &
  setsid sh -c 'echo $$ > pids/session; sleep 30 & echo $! > pids/session-child; wait' &
  setsid sh -c 'trap "" TERM INT HUP; echo $$ > pids/deaf-session; setsid sleep 30 & echo $! > pids/deaf-grandchild; wait' &
fi
for n in 1 2 3 4; do say $LINES; step $n; [ -n "$SHORT" ] || sleep 0.04; done
echo '{"model": "made up"}' > frx-job-run/part; mv frx-job-run/part frx-job-run/metadata.json
echo '{"schemaVersion": 1, "traceEvents": []}' > frx-job-run/part; mv frx-job-run/part frx-job-run/profiler_trace.json
[ -n "$SHORT" ] || sleep 0.05
kill -9 $(cat pids/* 2>/dev/null) 2>/dev/null
wait 2>/dev/null
exit 0
"""


def case_sections(path: str) -> dict[str, str]:
    """The files of a golden case."""
    text = (GOLDEN / path).read_text()
    parts = re.split(r"^--- (.+)\n", text, flags=re.MULTILINE)[1:]
    named = zip(parts[::2], parts[1::2])
    return {name.split(" (")[0]: content for name, content in named if not name.startswith(("stdout", "stderr", "out:"))}


@dataclass
class Command:
    """One command line that writes.

    `arguments` are those of frx. `outputs` are the files under their final names, `last` is the one whose name appears last ("*.zip": any
    zip). `extra` matches further files that may be there: they are judged by their form. `exits` are the exit codes that INT, TERM and HUP
    may lead to, beside the end by that signal. `bundles`: the folder of run bundles, "" for none. `modes`: what others may not get more of.
    """

    name: str
    arguments: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)
    last: str = ""
    extra: str = "$^"
    programs: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    exits: set[int] = field(default_factory=set)
    bundles: str = ""
    zip: bool = False
    weight: int = 3  # how often, beside the others
    modes: dict[str, int] = field(default_factory=dict)
    cut: bytes = b""  # the last line of an output that holds a part, as after Ctrl-C, and says so
    ends_with: int = 0  # undisturbed


def bytes_of(files: dict[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in files.items()}


def path_of(*supports: str) -> str:
    return ":".join(["bin", *(str(TESTS / "support" / one) for one in supports), "/usr/bin", "/bin"])


# The interpreter whose version collect asks for, without the time that Python takes.
FAKE_PYTHON = b"#!/bin/sh\necho python 3.12.3\necho trouble torch is not installed\n"


def collecting() -> list[Command]:
    base = {"bin/python3": FAKE_PYTHON, "train.sh": FAMILY.encode()}
    path = path_of("fake_nvidia_smi")

    def one(name: str, head: str, options: list[str], exits: set[int], lines: str, zip_: bool, files: dict[str, bytes] = {}) -> Command:
        files = {**base, **files, "train.sh": (head + FAMILY).encode()}
        arguments = ["collect", "--out", "runs", "--sample-interval-ms", "150", *options, "--", "/bin/sh", "train.sh"]
        extra = r"pids(/.*)?|frx-job-run(/.*)?|brief(/frx_(summary|llm_prompt|evidence)\.(txt|json))?|runs(/.*)?"
        return Command(name, arguments, files, [], "*.zip" if zip_ else "manifest.json", extra, ["bin/python3"],
                       {"PATH": path, "LINES": lines}, exits, "runs", zip_, 2)

    return [
        one("collect, dies of signals", "", ["--explain", "--explain-out", "brief"], {0, 129, 130, 143}, "20", True),
        one("collect, deaf to signals", 'trap "" TERM INT HUP\n', ["--json"], {0, 129, 130, 143}, "400", True),
        one("collect, catches signals", 'trap "exit 7" TERM INT HUP\n', ["--no-zip", "--config", "mine.yaml"], {0, 7, 129, 130, 143}, "0", False,
            {"mine.yaml": b"environment:\n  mixed_precision: true\nrun:\n  seed: 3\n"}),
    ]


def comparing(frx: Path, scratch: Path) -> list[Command]:
    files = bytes_of(case_sections("compare/predictions-are-kept-in-a-ledger.case"))
    ledger = "kept/predictions.jsonl"
    arguments = ["compare", "before.csv", "after.csv", "--ledger", ledger]
    for name, content in files.items():
        (scratch / name).write_bytes(content)
    subprocess.run([frx, *arguments], cwd=scratch, check=True, capture_output=True)
    lines = (scratch / ledger).read_text().splitlines()
    entry = json.loads(lines[0])
    old = "".join(json.dumps({**entry, "id": f"{n:016x}", "kernel": f"k{n}(float *)"}, separators=(",", ":")) + "\n" for n in range(2000))
    sources = bytes_of(case_sections("compare/both-programs-are-profiled.case"))
    for name in ("naive.cu", "tuned.cu"):
        sources[name] = b"// fake nvcc: run " + BEHIND + b"\n// fake nvcc: run sleep 0.02\n" + sources[name]
    return [
        Command("compare, new ledger", arguments, files, [ledger], "predictions.jsonl"),
        Command("compare, ledger of 2000 lines", arguments, {**files, ledger: old.encode()}, [ledger], "predictions.jsonl"),
        Command("compare, baselines and ledger", ["compare", "before.csv", "after.csv", "--baseline", "again.csv", "--ledger", ledger, "--json"],
                {**files, "again.csv": files["before.csv"].replace(b"118.40", b"118.90"), ledger: old[: old.index("\n") + 1].encode()}, [ledger],
                "predictions.jsonl"),
        Command("compare, compiled and profiled", ["compare", "naive.cu", "tuned.cu", "--with-ncu"], sources, exits={0, 1},
                environment={"PATH": path_of("fake_nvcc", "fake_ncu")}, weight=1),
    ]


# A child in the group of the program and one in a session of its own, which both outlive it unless they are ended.
BEHIND = b"sleep 20 & x=$!; setsid sleep 20 & y=$!; trap 'kill -9 $x $y' EXIT"


def benching() -> list[Command]:
    with_ncu = bytes_of(case_sections("bench/with-ncu-says-which-bottlenecks-went-away.case"))
    for name, time in (("naive.cu", "118.4"), ("tiled.cu", "22.1")):
        pad = "".join(f"// fake nvcc: run : {n} {'x' * 60}\n" for n in range(300))
        program = f'// fake nvcc: run {BEHIND.decode()}\n// fake nvcc: run echo "FRX_KERNEL_US: {time}"; sleep 0.01\n'
        with_ncu[name] = (program + pad).encode()
    fakes = {"FAKES": str(TESTS / "support"), "TABLES": "."}
    path = path_of("fake_nvcc")
    return [
        Command("bench, keeps programs", ["bench", "naive.cu", "tiled.cu", "--out", "kept", "--runs", "2", "--warmup", "0"],
                {name: content for name, content in with_ncu.items() if name.endswith(".cu")}, ["kept/before", "kept/after"], "after",
                environment={"PATH": path}, exits={0, 1}, weight=1),
        Command("bench, replaces programs, ncu",
                ["bench", "naive.cu", "tiled.cu", "--out", "kept", "--runs", "1", "--warmup", "0", "--with-ncu", "--json"],
                {**with_ncu, "kept/before": b"#!/bin/sh\nexit 3\n", "kept/after": b"#!/bin/sh\nexit 4\n"}, ["kept/before", "kept/after"], "after",
                programs=["bin/ncu"], environment={"PATH": path, **fakes}, exits={0, 1}, weight=1),
        Command("bench, writes the header", ["bench", "--emit-harness", "inc/frx_bench.cuh"], {"inc/frx_bench.cuh": b"// old\n" * 2000},
                ["inc/frx_bench.cuh"], "frx_bench.cuh", weight=2),
    ]


def tracing() -> list[Command]:
    """A program under a stand-in for nsys; its report and export are moved to their names when both are whole."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "export.sqlite"
        with sqlite3.connect(database) as connection:
            connection.executescript(case_sections("trace/a-program-is-traced.case")["export.sqlite"])
        connection.close()
        files = {"app": b"#!/bin/sh\n" + BEHIND + b"\nsleep 0.05\n", "export.sqlite": database.read_bytes()}
    environment = {"PATH": path_of("fake_nsys")}
    return [
        Command("trace, keeps its report", ["trace", "./app", "--output", "kept/app"], files, ["kept/app.nsys-rep", "kept/app.sqlite"], "app.sqlite",
                programs=["app"], environment=environment, exits={0, 1}, weight=1),
        Command("kernel binary, a run that leaves nothing", ["kernel", "binary", "./app"], files, programs=["app"], environment=environment,
                exits={0, 1}, weight=1),
    ]


CUT = b"==WARNING== Profiling was ended: later launches are missing.\n"


def reporting() -> list[Command]:
    brief = ["frx_summary.txt", "frx_llm_prompt.txt", "frx_evidence.json"]
    gather = bytes_of(case_sections("explain/writes-three-files.case"))["gather.csv"]
    report = (TESTS / "fuzz/corpus/fuzz_ncu_report/hot_lines.ncu-rep").read_bytes()
    rows = gather.splitlines(keepends=True)
    many = rows[0] + b"".join(line.replace(b'"0","7"', b'"%d","7"' % n, 1) for n in range(600) for line in rows[1:])
    ptx = (next((TESTS / "data/ptx").rglob("*.ptx"))).read_bytes()
    old = {f"brief/{name}": b'{"old": "old"}\n' for name in brief}
    traces = bytes_of(case_sections("summarise/a-trace-is-summarised-and-analysed-without-it.case"))
    traces = {name: text for name, text in traces.items() if name.endswith(".json")}
    return [
        Command("explain", ["explain", "gather.csv", "--out", "brief"], {"gather.csv": gather}, [f"brief/{name}" for name in brief], brief[-1]),
        Command("profile --explain, replaces", ["profile", "--ncu", "gather.csv", "--explain", "--explain-out", "brief"],
                {"gather.csv": gather, **old},
                [f"brief/{name}" for name in brief], brief[-1]),
        Command("profile --ptx --explain", ["profile", "--ptx", "kernel.ptx", "--explain", "--explain-out", "brief", "--json"], {"kernel.ptx": ptx},
                [f"brief/{name}" for name in brief], brief[-1], weight=2),
        Command("profile --out", ["profile", "--out", "kept/profile.csv", "--", "./app"],
                {"table.csv": many, "app": b"#!/bin/sh\n" + BEHIND + b"\nsleep 0.02\n"}, ["kept/profile.csv"], "profile.csv", programs=["app"],
                environment={"PATH": path_of("fake_ncu"), "FAKE_NCU_CSV": "table.csv"}, exits={0, 1}, cut=CUT, weight=2),
        Command("profile --out, replaces", ["profile", "--out", "profile.csv", "--json", "--", "./app"],
                {"table.csv": many, "app": b"#!/bin/sh\nsleep 0.01\n", "profile.csv": gather}, ["profile.csv"], "profile.csv", programs=["app"],
                environment={"PATH": path_of("fake_ncu"), "FAKE_NCU_CSV": "table.csv"}, exits={0, 1}, cut=CUT, weight=2),
        Command("export, CSV", ["export", "report.ncu-rep", "--out", "out/table.csv", "--instances"], {"report.ncu-rep": report}, ["out/table.csv"],
                "table.csv", weight=2),
        Command("export, JSON, replaces", ["export", "report.ncu-rep", "--format", "json", "--out", "table.json"],
                {"report.ncu-rep": report, "table.json": b'{"old": true}\n'}, ["table.json"], "table.json", weight=2),
        Command("summarise, replaces", ["summarise", "trace.rank0.json", "--output", "rank0.frxsum"], {**traces, "rank0.frxsum": b"old"},
                ["rank0.frxsum"], "rank0.frxsum", weight=2),
    ]


SCRIPT = b"""import torch

model = torch.nn.Linear(4, 4)
for step, batch in enumerate(range(10)):
    loss = model(batch).sum()
    loss.backward()
"""


def patching() -> list[Command]:
    return [Command("init --patch", ["init", "--patch", "train.py", "--yes"], {"train.py": SCRIPT}, ["train.py", "train.py.before-frx"], "train.py",
                    extra=r"train\.py\.before-frx\.2", exits={0, 1}, modes={"train.py": 0o600}, weight=1)]


def trying_layouts() -> list[Command]:
    """A program that leaves children behind. Nothing of a trial stays in its folder."""
    files = bytes_of(case_sections("layout/a-plan-that-passes-every-gate-is-validated.case"))
    files["train"] = files["train"].replace(b"\nout=", b"\n" + BEHIND + b"\nout=", 1)
    arguments = ["layout", "trial", "--plan", "plan.json", "--warmup", "1", "--windows", "5", "--", "./train"]
    return [Command("layout trial, leaves nothing", arguments, files, programs=["train"], exits={0, 1}, weight=1)]


def all_commands(frx: Path, scratch: Path) -> list[Command]:
    return [*trying_layouts(), *collecting(), *comparing(frx, scratch), *benching(), *tracing(), *reporting(), *patching()]


def prepare(command: Command, folder: Path) -> dict[str, str]:
    """Writes what the command needs into folder/work and gives its environment."""
    work, temporary = folder / "work", folder / "tmp"
    work.mkdir(parents=True)
    temporary.mkdir()
    for name, content in command.files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if name in command.programs or name.startswith("bin/"):
            path.chmod(0o755)
        if name in command.modes:
            path.chmod(command.modes[name])
    environment = {"PATH": "/usr/bin:/bin", **command.environment, "HOME": str(folder), "TMPDIR": str(temporary), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    environment["PATH"] = ":".join(str(work / "bin") if one == "bin" else one for one in environment["PATH"].split(":"))
    if environment.get("TABLES"):
        environment["TABLES"] = str(work)
    if environment.get("FAKE_NCU_CSV"):
        environment["FAKE_NCU_CSV"] = str(work / environment["FAKE_NCU_CSV"])
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
        if name in os.environ:
            environment[name] = os.environ[name]
    return environment
