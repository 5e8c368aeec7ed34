"""Servers of ClickHouse on free ports of loopback, in a temporary folder, for tests.

    clickhouse_server.py [--shards N] [--user NAME --password TEXT] [--tls]    Debian's clickhouse-server
    clickhouse_server.py --chdb FOLDER                                         the engine of FOLDER/node_modules/chdb, behind chdb_server.mjs

Prints one line, {"store": ADDRESS, "http": [PORT, ...], "tcp": [PORT, ...], "folder": FOLDER}, or {"skip": REASON}; with --tls the ports
are those of HTTPS, and FOLDER/0/cert.pem is the certificate, which signs itself. Then it reads lines:
`kill N` and `start N` (of a shard, from 0) are answered by `done`; at the end of its input everything is stopped and removed. The servers
end with this process, however it ends.
"""

import argparse
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from xml.sax.saxutils import escape

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{interserver}</interserver_http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <remote_servers><frx>{shards}</frx></remote_servers>{tls}
</yandex>
"""
SHARD = """<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>{port}</port>
  <user>{user}</user><password>{password}</password></replica></shard>"""
TLS = """<https_port>{port}</https_port><openSSL><server><certificateFile>{folder}/cert.pem</certificateFile>
  <privateKeyFile>{folder}/key.pem</privateKeyFile><verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>"""
USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default/></profiles><quotas><default/></quotas>
  <users><{user}><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></{user}></users>
</yandex>
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def die_with_parent() -> None:
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def wait_until_it_answers(port: int, process: subprocess.Popen, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=5):
                return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"no answer within {seconds} s")


class Servers:
    """`ports` of shard i: HTTP 3 i, native 3 i + 1, between servers 3 i + 2."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options = folder, options
        self.processes: dict[int, subprocess.Popen] = {}
        self.ports = free_ports(3 * options.shards)
        self.https = free_ports(options.shards) if options.tls else []
        shards = "".join(SHARD.format(port=self.ports[3 * i + 1], user=options.user, password=escape(options.password))
                         for i in range(options.shards))
        for i in range(options.shards):
            own = folder / str(i)
            for name in ("data", "tmp"):
                (own / name).mkdir(parents=True)
            http, tcp, interserver = self.ports[3 * i : 3 * i + 3]
            tls = TLS.format(port=self.https[i], folder=own) if options.tls else ""
            (own / "config.xml").write_text(CONFIG.format(folder=own, http=http, tcp=tcp, interserver=interserver, shards=shards, tls=tls))
            if options.tls:
                subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", own / "key.pem", "-out", own / "cert.pem", "-days", "2",
                                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
            (own / "users.xml").write_text(USERS.format(user=options.user, password=escape(options.password)))

    def start(self, shard: int) -> None:
        own = self.folder / str(shard)
        with (own / "out").open("ab") as out:
            self.processes[shard] = subprocess.Popen([self.options.program, "--config-file=config.xml"], cwd=own, stdin=subprocess.DEVNULL,
                                                     stdout=out, stderr=out, start_new_session=True, preexec_fn=die_with_parent)
        wait_until_it_answers(self.ports[3 * shard], self.processes[shard])

    def kill(self, shard: int) -> None:
        self.processes[shard].kill()
        self.processes.pop(shard).wait()

    def address(self) -> dict:
        http = self.https or self.ports[::3]
        hosts = ",".join(f"127.0.0.1:{port}" for port in http)
        return {"store": f"clickhouse{'s' if self.https else ''}://{hosts}/frx_test?cluster=frx", "http": http, "tcp": self.ports[1::3], "folder": str(self.folder)}


class Chdb:
    def __init__(self, folder: Path, modules: Path) -> None:
        self.folder = folder
        script = Path(__file__).with_name("chdb_server.mjs")
        self.port = free_ports(1)[0]
        self.processes = {0: subprocess.Popen(["node", script, modules, folder, str(self.port)], stdin=subprocess.DEVNULL, stdout=sys.stderr,
                                              start_new_session=True, preexec_fn=die_with_parent)}
        wait_until_it_answers(self.port, self.processes[0])

    def kill(self, shard: int) -> None:
        self.processes[shard].kill()
        self.processes.pop(shard).wait()

    def address(self) -> dict:
        return {"store": f"clickhouse://127.0.0.1:{self.port}/frx_test", "http": [self.port], "tcp": [], "folder": str(self.folder)}


def say(answer: dict | str) -> None:
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)


def start_all(servers: Servers) -> bool:
    try:
        for shard in range(servers.options.shards):
            servers.start(shard)
        return True
    except RuntimeError as error:
        print(f"{servers.folder.name}: {error}", file=sys.stderr)
        return False


def started(folder: Path, options: argparse.Namespace) -> Servers:
    """Once more with other ports where another program took one meanwhile."""
    for attempt in ("first", "second"):
        servers = Servers(folder / attempt, options)
        if start_all(servers):
            return servers
        for shard in list(servers.processes):
            servers.kill(shard)
    raise SystemExit("the servers did not start")


def runs_here(program: str) -> bool:
    """Its code may need instructions that a processor, or an emulator of one, lacks."""
    return subprocess.run([program, "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode >= 0  # else a signal


def serve(servers: Servers | Chdb) -> None:
    try:
        say(servers.address())
        for line in sys.stdin:
            what, shard = line.split()
            getattr(servers, what)(int(shard))
            say("done")
    finally:
        for shard in list(servers.processes):
            servers.kill(shard)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--user", default="default")
    parser.add_argument("--password", default="")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--chdb", type=Path)
    options = parser.parse_args()
    options.program = shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
    with tempfile.TemporaryDirectory(prefix="frx-clickhouse-") as folder:
        if options.chdb is not None:
            if not (options.chdb / "node_modules" / "chdb").is_dir():
                return say({"skip": f"no node_modules/chdb in {options.chdb}"})
            serve(Chdb(Path(folder), options.chdb.resolve()))
        elif options.tls and shutil.which("openssl") is None:
            say({"skip": "no openssl"})
        elif options.program is None:
            say({"skip": "no clickhouse-server"})
        elif not runs_here(options.program):
            say({"skip": "clickhouse-server does not run on this machine"})
        else:
            serve(started(Path(folder), options))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
