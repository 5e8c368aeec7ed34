#!/usr/bin/env python3
"""Proves the table "How to add one more" of ARCHITECTURE.md: adds one of each kind in a scratch copy, with the files and
lines that the table names and nothing else, and uses what was added.

    run.py --source REPOSITORY --build BUILD [--without-cmake]

tests/one_more/src and tests/one_more/data hold what is added. The new files and the registries that include a changed list are compiled
as BUILD compiles that folder, and linked before the libraries of BUILD. CMake is asked, too, whether it takes the new files
without being told. Exit status 77: BUILD is not made by Ninja.
"""
import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent

# What is added: kind, new files, (list, line), the source that holds the registry.
CODE = [
    ("input format", ["src/ingest/counted.cc"], ("src/ingest/formats.def", "FRX_FORMAT(counted)"), "src/ingest/format.cc"),
    ("analyser", ["src/analyse/registers.cc", "data/register_budget/budget.yaml"],
     ("src/analyse/analyzers.def", "FRX_ANALYZER(registers)"), "src/analyse/analyse.cc"),
    ("renderer", ["src/render/headings.cc"], ("src/render/renderers.def", "FRX_RENDERER(headings)"), "src/render/render.cc"),
    ("command", ["src/cli/command_formats.cc"], ("src/cli/commands.def", "FRX_COMMAND(formats)"), "src/cli/commands.cc"),
]
DATA = [
    ("label or threshold", "data/bottlenecks/one_more_label.yaml"),
    ("rule about code", "data/code_rules/cuda/one_more_rule.yaml"),
]

LOG = """ptxas info    : Compiling entry function '_Z4bigPf' for 'sm_90'
ptxas info    : Function properties for _Z4bigPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 96 registers, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z5smallPf' for 'sm_90'
ptxas info    : Function properties for _Z5smallPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, 360 bytes cmem[0]
"""
SOURCE = "__global__ void copy(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }\n"


class Failed(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failed(message)


def table_of(architecture):
    """The rows of the table: kind -> (new, edited), as text."""
    text = architecture.read_text()
    rows = text[text.index("## How to add one more"):].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("|")]
    return {row[0]: (row[1], row[2]) for row in cells[2:] if len(row) == 3}


def check_table(source):
    """What is added below is what the table says, and no more."""
    table = table_of(source / "ARCHITECTURE.md")
    for kind, files, (list_file, _), _ in CODE:
        expect(kind in table, f"ARCHITECTURE.md does not say how to add one more {kind}")
        new, edited = table[kind]
        folder = f"`{Path(files[0]).parent}/"
        expect(folder in new, f"{kind}: {files[0]} is new, the table says {new}")
        expect(len([f for f in files if f.startswith("src/")]) == 1, f"{kind}: more than one new source")
        expect(edited == f"one line in `{list_file}`", f"{kind}: one line of {list_file} is edited, the table says {edited}")
    for kind, file in DATA:
        expect(kind in table, f"ARCHITECTURE.md does not say how to add one more {kind}")
        expect(f"`{Path(file).parent}/" in table[kind][0] and table[kind][1] == "", f"{kind}: the table says {table[kind]}")


def commands_by_folder(build):
    """A command that compiles some C++ of each folder of src, by folder."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        match = re.search(r"/src/(\w+)/", entry["file"][len(str(build)):] if entry["file"].startswith(str(build)) else entry["file"])
        if match and entry["file"].endswith((".cc", ".cxx")):
            found.setdefault(match.group(1), entry)
    return found


def compile_one(entry, scratch, file, out):
    """As BUILD compiles files of that folder, without its precompiled header; lists in the scratch copy go first."""
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if re.search(r"(c\+\+|g\+\+|clang\+\+)[-\d.]*$", word))
    kept, skip = [words[compiler], f"-I{scratch}/src"], False
    for i, word in enumerate(words[compiler + 1:], compiler + 1):
        if skip:
            skip = False
        elif word in ("-o", "-c", "-include", "-MF", "-MT"):
            skip = True
        elif word not in ("-MD", "-Winvalid-pch", "-fpch-preprocess"):
            kept.append(word)
    done = subprocess.run(kept + ["-o", str(out), "-c", str(file)], cwd=entry["directory"], capture_output=True, text=True)
    expect(done.returncode == 0, f"{file} does not compile:\n{done.stderr}")
    return out


def add_all(source, scratch):
    """Puts the new files, and the lists with one line more, into a folder laid out like the repository."""
    for _, files, (list_file, line), _ in CODE:
        for file in files:
            target = scratch / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE / file, target)
        changed = scratch / list_file
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text((source / list_file).read_text() + line + "\n")
    for _, file in DATA:
        target = scratch / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / file, target)


def link(build, scratch, objects):
    ninja = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "frx"], capture_output=True, text=True, check=True)
    command = ninja.stdout.strip().splitlines()[-1]
    command = re.sub(r" -o (\S*frx) ", lambda m: f" -Wl,-z,muldefs -o {scratch}/frx {' '.join(map(str, objects))} ", command, count=1)
    expect(f"{scratch}/frx" in command, f"the command that links frx is not understood: {command}")
    done = subprocess.run(["sh", "-c", command], cwd=build, capture_output=True, text=True)
    expect(done.returncode == 0, f"it does not link:\n{done.stderr}")
    return scratch / "frx"


def build_with_additions(source, build, scratch):
    entries = commands_by_folder(build)
    jobs = []
    for _, files, _, registry in CODE:
        for file in [f for f in files if f.startswith("src/")]:
            jobs.append((entries[Path(file).parts[1]], scratch / file))
        jobs.append((entries[Path(registry).parts[1]], source / registry))
    objects = [scratch / f"{i}.o" for i in range(len(jobs))]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: compile_one(job[0][0], scratch, job[0][1], job[1]), zip(jobs, objects)))
    return link(build, scratch, objects)


def run(frx, *arguments, status=0):
    done = subprocess.run([str(frx), *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == status, f"frx {' '.join(map(str, arguments))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def use_additions(frx, source, scratch):
    (scratch / "launches.txt").write_text("counted 1\ncopy,12.5\ncopy,14\n")
    (scratch / "ptxas.log").write_text(LOG)
    (scratch / "copy.cu").write_text(SOURCE)
    sample = source / "demos/ncu/strided_copy.csv"
    expect("counted: counted launches" in run(frx, "formats"), "the new command does not list the new format")
    expect("formats" in run(frx, "--help"), "the help does not name the new command")
    expect('"duration_us": 26.5' in run(frx, "analyze", scratch / "launches.txt", "--json"), "the new format does not read its durations")
    headings = run(frx, "analyze", sample, "--format", "headings").splitlines()
    expect(len(headings) > 2 and all(headings), f"the new renderer writes {headings}")
    page = run(frx, "analyze", scratch / "ptxas.log", "--data", scratch / "data")
    expect("_Z4bigPf: 96 registers" in page and "small" not in page, f"the new analyser answers:\n{page}")
    expect("one_more_label" in run(frx, "analyze", sample, "--data", scratch / "data", "--json"), "the new label does not hold")
    expect("one_more_rule" in run(frx, "analyze", scratch / "copy.cu", "--data", scratch / "data", "--json"), "the new rule finds nothing")


def check_cmake(source, scratch):
    """A scratch copy of the tree with the new files and lines, and nothing else changed, is configured: all new sources are compiled."""
    copy = scratch / "tree"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build", ".git", "node_modules"))
    add_all(source, copy)
    (copy / "build").mkdir()
    (copy / "build/npm").symlink_to(source / "build/npm")
    made = copy / "build/dev"
    done = subprocess.run(["cmake", "-S", str(copy), "-B", str(made), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Dev", "-DFRX_BUILD_TESTS=OFF"],
                          capture_output=True, text=True)
    expect(done.returncode == 0, f"CMake fails:\n{done.stderr}")
    compiled = "\n".join(path.read_text() for path in made.rglob("unity_*.cxx")) + (made / "build.ninja").read_text()
    for _, files, _, _ in CODE:
        for file in [f for f in files if f.startswith("src/")]:
            expect(str(copy / file) in compiled, f"CMake does not compile {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--without-cmake", action="store_true", help="do not configure a scratch copy")
    options = parser.parse_args()
    if not (options.build / "build.ninja").exists():
        print("the build is not made by Ninja")
        return 77
    try:
        check_table(options.source)
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            add_all(options.source, scratch)
            frx = build_with_additions(options.source, options.build, scratch)
            use_additions(frx, options.source, scratch)
            if not options.without_cmake:
                check_cmake(options.source, scratch)
    except Failed as failed:
        print(failed)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
