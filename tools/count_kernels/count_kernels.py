#!/usr/bin/env python3
"""Which kernels of a folder does frx read?

    tools/count_kernels/count_kernels.py --frx build/dev/frx FOLDER...

Definitions of kernels are counted by a scan of tokens that shares no code with frx: the word __global__ outside of comments, strings,
directives and `#if 0`, followed by a body before a semicolon. Each is then looked for in what `frx analyze FOLDER --format json` lists as
kernels, or names under kernels_not_read. Prints one line per folder, and with --names each kernel that is neither.
"""
import argparse
import bisect
import json
import os
import re
import subprocess
import sys

SUFFIXES = (".cu", ".cuh", ".cuda", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tcc", ".hip", ".cc", ".cpp", ".cxx", ".c")
TOKEN = re.compile(r'//(?:\\\r?\n|[^\n])*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*', re.M)


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


def without_dead_code(text):
    """Directives become blanks, and so do the regions of `#if 0`, up to their #else or #endif."""
    out, dead, depth, at = [], None, 0, 0
    for match in DIRECTIVE.finditer(text):
        before = text[at:match.start()]
        out.append(re.sub(r'[^\n]', ' ', before) if dead is not None else before)
        out.append(blank(match))
        at = match.end()
        words = match.group(0).replace("#", " ", 1).split()
        if not words:
            continue
        if words[0].startswith("if"):
            depth += 1
            if dead is None and words[0] == "if" and words[1:] == ["0"]:
                dead = depth
        elif words[0].startswith("el") and dead == depth:
            dead = None
        elif words[0] == "endif":
            if dead == depth:
                dead = None
            depth -= 1
    rest = text[at:]
    out.append(re.sub(r'[^\n]', ' ', rest) if dead is not None else rest)
    return "".join(out)


def definitions(text):
    """Lines of the kernels that the text defines, by the place of __global__, with the last line before the body."""
    text = without_dead_code(TOKEN.sub(blank, text))
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    line = lambda byte: bisect.bisect_right(starts, byte)
    found = []
    for match in re.finditer(r'\b__global__\b', text):
        depth = 0
        for i in range(match.end(), len(text)):
            c = text[i]
            if c in "([":
                depth += 1
            elif c in ")]":
                depth -= 1
            elif depth == 0 and c in "{;":
                if c == "{" and not re.search(r'\b__global__\b', text[match.end():i]):
                    found.append((line(match.start()), line(i), " ".join(text[match.start():i].split())[:120]))
                break
    return found


def kernels_in(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if not name.lower().endswith(SUFFIXES) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                data = file.read()
            if b"__global__" not in data:
                continue
            some = definitions(data.decode("latin-1"))
            if some:
                found[path] = some
    return found


def listed_by(frx, folder):
    """Lines of kernels that were read and of those that were named as not read, by file."""
    run = subprocess.run([frx, "analyze", folder, "--format", "json", "--allow-unreadable"], capture_output=True, text=True)
    try:
        result = json.loads(run.stdout)["result"]
    except (ValueError, KeyError):
        return {}, {}
    parts = [one["result"] for one in result["files"] if one["result"]] if "file_count" in result else [result]
    read, named = {}, {}
    for part in parts:
        for kernel in part.get("kernels", []):
            read.setdefault(kernel["filename"], set()).add(kernel["line"])
        for kernel in (part.get("kernels_not_read") or {}).get("kernels", []):
            named.setdefault(kernel["filename"], set()).add(kernel["line"])
    return read, named


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--frx", default="build/dev/frx")
    options.add_argument("--names", action="store_true", help="print the kernels that are neither read nor named")
    options.add_argument("folders", nargs="+")
    given = options.parse_args()
    total = [0, 0, 0]
    for folder in given.folders:
        read, named = listed_by(given.frx, folder)
        counts = [0, 0, 0]
        for path, some in sorted(kernels_in(folder).items()):
            for first, last, text in some:
                lines = range(first, last + 1)
                counts[0] += 1
                if read.get(path, set()).intersection(lines):
                    counts[1] += 1
                elif named.get(path, set()).intersection(lines):
                    counts[2] += 1
                elif given.names:
                    print(f"  {path}:{first}: {text}")
        total = [a + b for a, b in zip(total, counts)]
        print(f"{os.path.basename(folder.rstrip('/'))}: {counts[0]} kernels defined, {counts[1]} read, {counts[2]} named as not read")
    if total[0]:
        print(f"all: {total[0]} kernels defined, {total[1]} read ({100 * total[1] / total[0]:.1f} %), "
              f"read or named {100 * (total[1] + total[2]) / total[0]:.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
