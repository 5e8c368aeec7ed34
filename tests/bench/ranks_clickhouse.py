#!/usr/bin/env python3
"""How long the comparison of the ranks of one run takes on ClickHouse, beside plain SQL: the second table of docs/fleet.md.

    frx_fleet_validation /tmp/fleet 1 25 16; ranks_clickhouse.py --frx build/release/frx --summaries /tmp/fleet [--shards 2]

Starts Debian's clickhouse-server and sends it the summaries. Best of three, in seconds; of the server also its largest memory.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import history  # noqa: E402  (beside this file)
from history_clickhouse import Server  # noqa: E402

MEDIANS = ("SELECT step, members, nth, quantileExact(0.5)(duration_ns), quantileExact(0.5)(own_ns) FROM {database}.collective "
           "GROUP BY step, members, nth FORMAT Null")
MEANS = "SELECT rank, avg(duration_ns) FROM {database}.collective GROUP BY rank FORMAT Null"


def largest_memory():
    """Of any server, in bytes."""
    largest = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue  # it has ended
        if lines["Name"].strip().startswith("clickhouse") and "VmHWM" in lines:
            largest = max(largest, int(lines["VmHWM"].split()[0]) << 10)
    return largest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    parser.add_argument("--summaries", required=True)
    parser.add_argument("--shards", type=int, default=1)
    options = parser.parse_args()
    frx = str(Path(options.frx).resolve())
    files = sorted(str(path) for path in Path(options.summaries).rglob("*.frxsum"))
    server = Server(options.shards)
    try:
        database = server.store.split("?")[0].rsplit("/", 1)[1]

        def run(*arguments):
            subprocess.run([frx, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=900)

        begin = time.monotonic()
        run("summarise", *files, "--store", server.store, "--run", "bench")
        sent = time.monotonic() - begin
        rows = int(server.query(f"SELECT count() FROM {database}.collective"))
        before = largest_memory()
        ranks, _ = history.best_of_three(lambda: run("history", "ranks", "bench", "--store", server.store))
        after = largest_memory()
        print(f"| What | {rows / 1e6:.1f} million collectives |\n|---|---|")
        print(f"| `frx summarise` of {len(files)} files | {sent:.1f} s |\n| `frx history ranks` | {ranks:.1f} s, {after / 1e9:.1f} GB ({before / 1e9:.1f} before) |",
              flush=True)
        for sql in (MEDIANS, MEANS):
            text = sql.format(database=database)
            print(f"| `{text}` | {history.best_of_three(lambda: server.query(text))[0]:.1f} s |", flush=True)
        analyse, _ = history.best_of_three(lambda: run("analyze", options.summaries))
        print(f"| `frx analyze` of the same files, without a server | {analyse:.1f} s |")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
