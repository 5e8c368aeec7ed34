#!/usr/bin/env python3
"""Which findings about CUDA source should a person judge? Draws a sample that can be drawn again.

    tools/sample_source_findings.py --frx build/release/frx --seed 1 --count 100 FOLDER... > sample.md

Each folder is analysed as a project of its own. Every rule that fires is drawn from in turn, so that a rare rule is
judged as well; no file gives more than a few rows while others have some left. Findings of severity high are all in the
table, drawn or not. The same folders, the same program and the same seed give the same rows.
"""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path


def findings_of(frx, folder):
    ran = subprocess.run([frx, "analyze", "--format", "json", str(folder)], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{folder}: frx exited with {ran.returncode}: {ran.stderr.strip()}")
    result = json.loads(ran.stdout)["result"]
    parts = [f["result"] for f in result["files"]] if result.get("schema") == "code_analysis_v1" else [result]
    for part in parts:
        for finding in part["findings"] if part else []:
            path = Path(finding["filename"])
            yield {
                "project": folder.name,
                "file": str(path.relative_to(folder)),
                "path": str(path),
                **{key: finding[key] for key in ("line", "code", "severity", "kernel_name", "message", "snippet", "more_places")},
            }


def key_of(finding):
    return (finding["project"], finding["file"], finding["line"], finding["code"], finding["kernel_name"])


def draw(findings, count, seed, most_per_file):
    """Rules take turns; a rule gives the rows that a shuffle puts first, of files not used too often yet."""
    chance = random.Random(seed)
    by_rule = defaultdict(list)
    for finding in sorted(findings, key=key_of):
        by_rule[finding["code"]].append(finding)
    for rows in by_rule.values():
        chance.shuffle(rows)
    drawn, per_file = [], Counter()
    while len(drawn) < count and any(by_rule.values()):
        for rule in sorted(by_rule):
            rows = by_rule[rule]
            if not rows or len(drawn) >= count:
                continue
            fresh = [row for row in rows if per_file[(row["project"], row["file"])] < most_per_file]
            row = (fresh or rows)[0]
            rows.remove(row)
            per_file[(row["project"], row["file"])] += 1
            drawn.append(row)
    return drawn


def table(rows):
    lines = ["| # | Project | File | Line | Kernel | Rule | Severity | Verdict | Why |", "|---|---|---|---|---|---|---|---|---|"]
    for number, row in enumerate(rows, 1):
        lines.append(
            f"| {number} | {row['project']} | {row['file']} | {row['line']} | `{row['kernel_name']}` | {row['code']} | {row['severity']} |  |  |"
        )
    return "\n".join(lines)


def listing(rows, around):
    """The code around each row, for the one who judges."""
    for number, row in enumerate(rows, 1):
        print(f"\n## {number} {row['code']} ({row['severity']}) {row['project']}/{row['file']}:{row['line']} {row['kernel_name']}")
        print(row["message"])
        for place in row["more_places"]:
            print("  also:", place)
        lines = Path(row["path"]).read_text(errors="replace").splitlines()
        for i in range(max(0, row["line"] - 1 - around), min(len(lines), row["line"] + around)):
            print(f"{'>' if i == row['line'] - 1 else ' '}{i + 1:5} {lines[i]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--frx", default="build/release/frx")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--most-per-file", type=int, default=3)
    parser.add_argument("--code", type=int, metavar="LINES", help="print the code around each row instead of a table")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args()
    findings = [f for folder in options.folders for f in findings_of(options.frx, folder)]
    rows = draw(findings, options.count, options.seed, options.most_per_file)
    drawn = {key_of(row) for row in rows}
    rows += [f for f in sorted(findings, key=key_of) if f["severity"] == "high" and key_of(f) not in drawn]
    if options.json:
        print(json.dumps(rows, indent=1))
    elif options.code is not None:
        listing(rows, options.code)
    else:
        print(table(rows))
    rules = Counter(f["code"] for f in findings)
    print(f"{len(findings)} findings, {len(rows)} rows; by rule: {dict(rules.most_common())}", file=sys.stderr)


if __name__ == "__main__":
    main()
