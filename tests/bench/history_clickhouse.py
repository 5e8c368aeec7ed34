#!/usr/bin/env python3
"""How long questions to a history on ClickHouse take, beside the nearest plain SQL: the table of docs/fleet.md.

    history_clickhouse.py --frx build/release/frx [--records 10000000] [--series 1000]

Starts Debian's clickhouse-server. One record is imported by frx, which makes the tables; the others are made there by INSERT ... SELECT, so
that ten million of them (with three numbers and one label each) take minutes and not the hours of an import. Best of three, in seconds.
"""

import argparse
import json
import random
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import history  # noqa: E402  (beside this file)

FACTS = ["gpu_busy_fraction", "host_fraction", "copy_fraction"]
ID = "toFixedString(concat(MD5(toString(number)), MD5(toString(number + 1))), 32)"
COMMON = "{id} AS id, concat('trace/model-', toString(number % {series})) AS series, 1600000000000 + number * 1000 AS at_ms"


class Server:
    def __init__(self, shards=1):
        script = HERE.parent / "history" / "clickhouse_server.py"
        self.process = subprocess.Popen([sys.executable, script, "--shards", str(shards)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        answer = json.loads(self.process.stdout.readline())
        if "skip" in answer:
            sys.exit(f"skipped: {answer['skip']}")
        self.store, self.url = answer["store"], f"http://127.0.0.1:{answer['http'][0]}/"

    def query(self, sql):
        with urllib.request.urlopen(self.url, data=sql.encode(), timeout=900) as answer:
            return answer.read().decode(errors="replace")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def fill(server, frx, database, records, series):
    document = history.answer(0, random.Random(1))
    line = {"schema": "history_line_v1", "kind": "record", "series": "trace/model-0", "at": "2020-01-01T00:00:00Z", "document": document}
    subprocess.run([frx, "history", "import", "-", "--store", server.store], input=json.dumps(line), text=True, check=True,
                   stdout=subprocess.DEVNULL)
    common = COMMON.format(id=ID, series=series)
    commit = "lower(hex(MD5(toString(intDiv(number, 50))))) AS commit_id"
    numbers = f"FROM system.numbers WHERE number < {records} LIMIT {records}"
    columns = "schema, mode, source, verdict, gpu, program, machine, software, metric, value"
    texts = "'trace_analysis_v1', '', 'run.json', '', 'NVIDIA A100-SXM4-80GB', '0.1.0', '', '', 'step_ms', 20 + rand() % 1000 / 1000"
    server.query(f"INSERT INTO {database}.record (id, series, at_ms, commit_id, {columns}) SELECT {common}, {commit}, {texts} {numbers}")
    for name in FACTS:
        server.query(f"INSERT INTO {database}.fact (id, series, at_ms, commit_id, name, value) "
                     f"SELECT {common}, {commit}, '{name}', rand() % 1000 / 1000 {numbers}")
    labels = "['input_bound', 'launch_bound', 'sync_bound', 'copy_bound']"
    server.query(f"INSERT INTO {database}.label (id, series, at_ms, place, name, score) "
                 f"SELECT {common}, toUInt64(0), {labels}[number % 4 + 1], 0.5 {numbers}")
    server.query(f"INSERT INTO {database}.document (id, series, at_ms, commit_id, {columns}, bytes, document) "
                 f"SELECT {common}, {commit}, {texts}, toUInt64(2), '{{}}' {numbers}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--series", type=int, default=1000)
    options = parser.parse_args()
    frx = str(Path(options.frx).resolve())
    server = Server()
    try:
        database = server.store.split("?")[0].rsplit("/", 1)[1]
        begin = time.monotonic()
        fill(server, frx, database, options.records, options.series)
        print(f"{server.query(f'SELECT count() FROM {database}.record').strip()} records made in {time.monotonic() - begin:.0f} s\n", flush=True)
        one, table = "trace/model-7", lambda name: f"{database}.{name}"
        # A record in the middle, as a person copies it from a list.
        found = server.query(f"SELECT lower(hex(id)) FROM {table('record')} WHERE series = '{one}' ORDER BY at_ms LIMIT 1 OFFSET 50").strip()
        questions = [
            (["trend", one, "--metric", FACTS[0], "--last", "10000"],
             f"SELECT at_ms, commit_id, value FROM {table('fact')} WHERE series = '{one}' AND name = '{FACTS[0]}' ORDER BY at_ms DESC LIMIT 10000"),
            (["list", "--series", one], f"SELECT * FROM {table('record')} WHERE series = '{one}' ORDER BY at_ms DESC LIMIT 20"),
            (["list"], f"SELECT * FROM {table('record')} ORDER BY at_ms DESC LIMIT 20"),
            (["list", "--label", "input_bound"],
             f"SELECT * FROM {table('record')} WHERE id IN (SELECT id FROM {table('label')} WHERE name = 'input_bound') ORDER BY at_ms DESC LIMIT 20"),
            (["list", "--by-series"], f"SELECT series, count(), min(at_ms), max(at_ms) FROM {table('record')} GROUP BY series"),
            (["show", found[:12]], f"SELECT * FROM {table('record')} WHERE id = unhex('{found}')"),
        ]
        print("| Question | frx | Plain SQL |\n|---|---|---|")
        for arguments, sql in questions:
            command = [frx, "history", *arguments, "--store", server.store]
            ours, _ = history.best_of_three(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300))
            plain, _ = history.best_of_three(lambda: server.query(sql))
            print(f"| `frx history {' '.join(arguments)}` | {ours:.2f} s | {plain:.2f} s |", flush=True)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
