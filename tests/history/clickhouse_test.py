"""frx history on two shards of ClickHouse, as a person uses it.

    clickhouse_test.py --frx build/dev/frx [--kills 8] [--chdb FOLDER]

  same      every command says what it says of a database of SQLite
  password  credentials come from the environment, and what is wrong with them is said
  encrypted over TLS, with a certificate that is trusted and one that is not
  waits     a server that is not there yet, or busy, is asked again
  others    what answers something else is refused in one line
  kills     shards are killed (SIGKILL) and started again while answers are recorded: none that was said to be recorded is lost, none is there twice
Ends with 77 where there is no clickhouse-server.
"""

import argparse
import http.server
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

HERE = Path(__file__).parent


class Servers:
    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen([sys.executable, HERE / "clickhouse_server.py", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = json.loads(self.process.stdout.readline() or "{}")
        assert self.said, "the servers did not start"

    def __enter__(self) -> "Servers":
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.wait()

    def tell(self, what: str, shard: int) -> None:
        self.process.stdin.write(f"{what} {shard}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", f"{what} {shard} failed"

    def store(self, database: str, wait: int = 30) -> str:
        address = self.said["store"].replace("frx_test", database)
        return address + ("&" if "?" in address else "?") + f"wait={wait}"


def measurement(number: int, seconds: float, bytes_: int = 200) -> str:
    return json.dumps({"schema": "gpu_measurement_v1", "command": f"./train {number} " + "x" * bytes_, "seconds": seconds, "launches": None})


class Frx:
    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder

    def run(self, store: str, *arguments: str, text: str = "", **environment: str) -> subprocess.CompletedProcess:
        command = [self.program, "history", *arguments, "--store", store]
        return subprocess.run(command, input=text, capture_output=True, text=True, cwd=self.folder, timeout=120,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **environment})

    def good(self, store: str, *arguments: str, text: str = "", **environment: str) -> str:
        done = self.run(store, *arguments, text=text, **environment)
        assert done.returncode == 0, f"{arguments}: {done.returncode} {done.stderr}"
        return done.stdout

    def refused(self, store: str, *arguments: str, code: int = 1, **environment: str) -> str:
        done = self.run(store, *arguments, **environment)
        lines = done.stderr.strip().splitlines()
        assert done.returncode == code, f"{arguments}: {done.returncode} {done.stderr}"
        assert lines[-1].startswith("  hint: ") and len(lines) == (2 if code == 1 else 3), done.stderr
        return done.stderr


def same(frx: Frx, servers: Servers) -> str:
    stores = [str(frx.folder / "h.db"), servers.store("same")]
    rng = random.Random(5)
    commands: list[tuple[list[str], str]] = []
    for n in range(30):
        answer = measurement(0, 10 + rng.random() + (2 if n > 22 else 0))
        commands.append((["record", "-", "--series", f"series/{n % 2}", "--at", f"2026-01-{1 + n // 2:02}T{n % 3:02}:00:00Z", "--commit", f"{n:040x}", "--json"], answer))
    newest = "0" * 38 + f"{29:02x}"
    commands += [([*words.split(), "--json"], "") for words in (
        "list", "list --limit 7", "list --series series/1 --limit 3", "list --by-series", "list --since 2026-01-08", f"list --commit {newest}",
        "list --label none", "trend series/0", "trend series/1 --last 5", "baseline set release --series series/1", "baseline list",
        "show release", "compare release --against best", "prune --keep 6", "list --limit 1000000", "baseline remove release", "prune --before 2026-01-12", "list",
        "predictions")]
    commands += [(["export", "-"], ""), (["export", "-", "--format", "csv"], "")]
    for arguments, text in commands:
        said: list[tuple] = []
        for store in stores:
            done = frx.run(store, *arguments, text=text)
            said.append((done.returncode, done.stdout.replace(store, "STORE"), done.stderr.replace(store, "STORE")))
        assert said[0] == said[1], f"{arguments}:\n{said[0]}\n{said[1]}"
        assert said[0][0] == (3 if "compare" in arguments else 0), said[0]  # measurements have no comparison
    return f"{len(commands)} commands say the same as of SQLite"


def password(frx: Frx) -> str:
    secret = "it's <&> \"secret\""
    with Servers("--shards", "2", "--user", "frx", "--password", secret) as servers:
        store = servers.store("secret", 0)
        right = {"FRX_CLICKHOUSE_USER": "frx", "FRX_CLICKHOUSE_PASSWORD": secret}
        frx.good(store, "record", "-", text=measurement(1, 1), **right)
        assert len(json.loads(frx.good(store, "list", "--json", **right))["result"]["records"]) == 1
        for wrong in ({}, {**right, "FRX_CLICKHOUSE_PASSWORD": "other"}, {"FRX_CLICKHOUSE_USER": "nobody"}):
            said = frx.refused(store, "list", **wrong)
            assert "FRX_CLICKHOUSE_USER" in said and secret not in said, said
        said = frx.refused(store.replace("clickhouse://", "clickhouse://frx:hidden@"), "list", code=2, **right)
        assert "hidden" not in said, said
        said = frx.refused("clickhouse://192.0.2.1/frx?wait=0", "list", code=2, **right)
        assert "unencrypted" in said and secret not in said, said
    return "credentials come from the environment; wrong ones, those of an address, and a password that would go unencrypted are refused"


def encrypted(frx: Frx) -> str:
    with Servers("--shards", "1", "--tls") as servers:
        if "skip" in servers.said:
            return f"TLS is not tried: {servers.said['skip']}"
        store = servers.store("encrypted", 0)
        said = frx.refused(store, "list")
        assert "certificate" in said, said
        if os.geteuid() != 0:
            return "a certificate that is not trusted is refused over TLS (as root a trusted one would be tried, too)"
        # The certificates of the system are those that libcurl trusts.
        system = Path("/etc/ssl/certs/ca-certificates.crt")
        trusted = frx.folder / "trusted.crt"
        trusted.write_bytes((system.read_bytes() if system.exists() else b"") + (Path(servers.said["folder"]) / "0" / "cert.pem").read_bytes())
        command = f'mount --bind {trusted} {system} && "$0" history record - --store "$1" && "$0" history list --store "$1" --json'
        done = subprocess.run(["unshare", "-m", "sh", "-c", command, frx.program, store], input=measurement(1, 1), capture_output=True, text=True, cwd=frx.folder,
                              env={**os.environ, "FRX_CLICKHOUSE_USER": "default"})
        assert done.returncode == 0 or "mount" in done.stderr or "unshare" in done.stderr, done.stderr
        return f"over TLS a certificate that is not trusted is refused, and one that is {'taken' if done.returncode == 0 else 'not tried'}"


TRACE = """{"traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 1000},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32(int)", "pid": 0, "tid": 17, "ts": 20, "dur": 100, "args": {"device": 0, "stream": 17, "correlation": 1}}
]}"""


class Other(http.server.BaseHTTPRequestHandler):
    """What a server says, one answer after the other."""

    answers: list[tuple[int, bytes]] = []
    asked = 0
    queries: list[str] = []  # since the answers were set

    @classmethod
    def set(cls, *answers: tuple[int, bytes]) -> None:
        cls.answers, cls.asked, cls.queries = list(answers), 0, []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Other.queries.append(urllib.parse.unquote(self.path) if "&query=" in self.path else f"{self.path} {body.decode()}")
        status, body = Other.answers[min(Other.asked, len(Other.answers) - 1)]
        Other.asked += 1
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # what is too large is not read to its end

    def log_message(self, *_) -> None:
        pass


def others(frx: Frx) -> str:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"clickhouse://127.0.0.1:{server.server_port}/frx"
    version = (200, (1).to_bytes(8, "little"))
    try:
        cases = [([(200, b"<html>hello</html>")], "something other"), ([(404, b"nothing here")], "status 404"), ([(200, b"")], "something other"),
                 ([version, (200, b"\xff" * 100)], "something other"), ([version, (200, bytes(300 << 20))], "larger than"),
                 ([(500, b"Code: 60000, e.displayText() = DB::Exception: \x1b[31mno\n, e.what() = x")], "error 60000"),
                 ([(200, (2).to_bytes(8, "little"))], "newer frx")]
        for answers, part in cases:
            Other.set(*answers)
            said = frx.refused(place + "?wait=0", "list")
            assert part in said and "\x1b" not in said, said
        # Busy twice, and then not.
        busy = (503, b"Code: 202. DB::Exception: Too many simultaneous queries.")
        Other.set(busy, (502, b""), version, (200, b""))
        assert json.loads(frx.good(place, "list", "--json"))["result"]["records"] == [] and Other.asked == 4
        Other.set(busy)
        begin = time.monotonic()
        frx.refused(place + "?wait=1", "list")
        assert Other.asked >= 3 and 1 <= time.monotonic() - begin < 10, Other.asked
        # What is on this machine is not asked through a proxy, to which a password would go.
        no_proxy = {"http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1", "no_proxy": "", "NO_PROXY": ""}
        Other.set(version, (200, b""))
        frx.good(place + "?wait=0", "list", **no_proxy)
        # A block that is equal to a removed one is no repetition; an answer without a shard is none.
        Other.set(version, (200, b""))
        frx.good(place, "record", "-", text=measurement(1, 1))
        assert all(f"&{name}&" in f"{query.split('&query=')[0].split(' ')[0]}&" for query in Other.queries
                   for name in ("insert_deduplicate=0", "skip_unavailable_shards=0", "load_balancing=in_order")), Other.queries
        # The first host does not answer, the second does.
        Other.set(version, (200, b""))
        frx.good(place.replace("127.0.0.1:", "127.0.0.1:1,127.0.0.1:") + "?wait=0", "list")
        # What ends a check is no damage of the history.
        Other.set(version, (200, (1).to_bytes(8, "little")), (500, b"Code: 60000. DB::Exception: gone"), (200, bytes(8)))
        assert "error 60000" in frx.refused(place + "?wait=0", "check")
        # Ranks of several files are one insert.
        for rank in range(3):
            (frx.folder / f"trace.rank{rank}.json").write_text(TRACE)
        Other.set(version, (200, b""))
        traces = [f"trace.rank{rank}.json" for rank in range(3)]
        done = subprocess.run([frx.program, "summarise", *traces, "--store", place, "--run", "r"], capture_output=True, text=True, cwd=frx.folder, timeout=120, check=True)
        assert [line.split(",")[0] for line in done.stdout.splitlines()] == [f"sent {trace}: 1 rank" for trace in traces], done.stdout
        assert sum("INSERT INTO frx.run_rank" in query for query in Other.queries) == 1, Other.queries
        assert any("rank IN (0,1,2)" in query for query in Other.queries), Other.queries
        # A file that is none does not lose those before it.
        Other.set(version, (200, b""))
        done = subprocess.run([frx.program, "summarise", traces[0], "absent.json", "--store", place, "--run", "r"], capture_output=True, text=True, cwd=frx.folder, timeout=120)
        assert done.returncode == 1 and done.stdout.startswith(f"sent {traces[0]}: 1 rank") and "absent.json" in done.stderr, done
        assert sum("INSERT INTO frx.run_rank" in query for query in Other.queries) == 1, Other.queries
    finally:
        server.shutdown()
    return f"{len(cases)} other answers are refused in one line; a busy server is asked again, and another host; no proxy; ranks of files are one insert"


def waits(frx: Frx, servers: Servers) -> str:
    store = servers.store("waits")
    frx.good(store, "record", "-", text=measurement(1, 1))
    servers.tell("kill", 0)
    servers.tell("kill", 1)
    said = frx.refused(servers.store("waits", 0), "list")
    assert "answer" in said, said
    timer = threading.Timer(1, lambda: (servers.tell("start", 0), servers.tell("start", 1)))
    timer.start()
    frx.good(store, "record", "-", text=measurement(2, 2))
    timer.join()
    assert len(json.loads(frx.good(store, "list", "--json"))["result"]["records"]) == 2
    return "a store whose servers start a second later is waited for"


def ids_in(text: str) -> set[str]:
    return {one["id"] for one in json.loads(text)["result"]["records"]}


def kills(frx: Frx, servers: Servers, count: int, writers: int = 3, seed: int = 7) -> str:
    """Writers record one answer after the other into series of both shards, until the kills are over."""
    rng = random.Random(seed)
    # Long enough for a machine that is busy: a shard that starts slowly may be killed again before a command was done.
    wait = 120
    store = servers.store("kills", wait)
    frx.good(store, "record", "-", text=measurement(0, 0))
    over = threading.Event()
    said: list[set[str]] = [set() for _ in range(writers)]
    failed: list[str] = []
    unsure = [0] * writers

    def write(writer: int) -> None:
        n = 0
        while not over.is_set():
            n += 1
            arguments = ["record", "-", "--series", f"s{writer}-{n % 8}", "--json"]
            # Every second one does not wait: what it may have left behind is completed by the next.
            text, waits_long = measurement(writer, n, 2000), n % 2 == 0
            done = frx.run(servers.store("kills", wait if waits_long else 0), *arguments, text=text)
            if done.returncode != 0 and not waits_long:
                unsure[writer] += 1
                done = frx.run(store, *arguments, text=text)
            if done.returncode != 0:
                failed.append(done.stderr)
                return
            said[writer] |= ids_in(done.stdout)

    imported = [measurement(-n, n) for n in range(1, 4001)]
    frx.good(str(frx.folder / "many.db"), "record", "-", "--series", "imported", text="\n".join(imported))
    many = frx.good(str(frx.folder / "many.db"), "export", "-")

    def bring_in() -> None:
        done = frx.run(store, "import", "-", "--json", text=many)
        if done.returncode != 0:
            failed.append(done.stderr)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)] + [threading.Thread(target=bring_in)]
    for thread in threads:
        thread.start()
    for _ in range(count):
        time.sleep(rng.uniform(0.05, 0.7))
        shard = rng.randrange(2)
        servers.tell("kill", shard)
        time.sleep(rng.uniform(0, 0.3))
        servers.tell("start", shard)
    over.set()
    for thread in threads:
        thread.join()
    assert not failed, failed[0]
    recorded = set().union(*said) | {json.loads(line)["id"] for line in many.splitlines()}
    lines = [json.loads(line) for line in frx.good(store, "export", "-").splitlines()]
    kept = [line["id"] for line in lines]
    assert len(kept) == len(set(kept)), "a record is there twice"
    assert recorded <= set(kept), f"{len(recorded - set(kept))} of {len(recorded)} are lost"
    assert len(kept) == len(recorded) + 1, f"{len(kept)} are there, {len(recorded)} were recorded"
    frx.good(store, "check")
    listed = [one["id"] for one in json.loads(frx.good(store, "list", "--limit", "1000000", "--json"))["result"]["records"]]
    assert sorted(listed) == sorted(kept)
    counts = {one["name"]: one["records"] for one in json.loads(frx.good(store, "list", "--by-series", "--limit", "1000", "--json"))["result"]["series"]}
    assert sum(counts.values()) == len(kept)
    for series, number in counts.items():
        points = json.loads(frx.good(store, "trend", series, "--json"))["result"]["points"]
        assert len(points) == number, f"{series}: {len(points)} points, {number} records"
    return (f"{count} kills of shards: {len(recorded)} answers were recorded, {len(imported)} of them by an import ({sum(unsure)} more tries "
            "failed); all are there, each once, with its numbers")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frx", required=True)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--chdb", default=os.environ.get("FRX_CHDB"), help="a folder with node_modules/chdb: there, `same` as well (FRX_CHDB)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Servers("--shards", "2") as servers:
        if "skip" in servers.said:
            print(servers.said["skip"])
            return 77
        frx = Frx(str(Path(options.frx).resolve()), Path(folder))
        print(same(frx, servers), flush=True)
        print(password(frx), flush=True)
        print(encrypted(frx), flush=True)
        print(others(frx), flush=True)
        print(waits(frx, servers), flush=True)
        print(kills(frx, servers, options.kills), flush=True)
        if options.chdb:
            (Path(folder) / "h.db").unlink()
            with Servers("--chdb", options.chdb) as library:
                print("chdb: " + same(frx, library), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
