"""A running `frx serve` for tests, and requests to it. Needs nothing but Python."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FRX = os.environ.get("FRX", str(REPOSITORY / "build/dev/frx"))
TESTS = REPOSITORY / "tests"


class Server:
    """Started with these options, on a free port, with a folder of its own for uploads."""

    def __init__(self, *options: str, environment: dict[str, str] | None = None) -> None:
        self.folder = tempfile.TemporaryDirectory()
        variables = {**os.environ, "TMPDIR": self.folder.name, **(environment or {})}
        variables.pop("FRX_SERVE_TOKEN", None)
        variables.update(environment or {})
        self.process = subprocess.Popen([FRX, "serve", "-p", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables)
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"http://.*:(\d+)/\n", line)
        if not found:
            raise RuntimeError(f"no server: {line!r} {self.process.stderr.read().decode()!r}")
        self.port = int(found.group(1))

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Its exit code after this signal."""
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.said = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def uploads(self) -> list[str]:
        """What lies in the folder for uploads."""
        return [str(path) for path in Path(self.folder.name).rglob("*") if path.is_file()]

    def megabytes(self) -> int:
        """The most memory that it has held so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+) kB", status).group(1)) // 1024

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def ask(self, method: str, path: str, body: bytes | str = b"", headers: dict[str, str] | None = None) -> "Answer":
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        finally:
            connection.close()

    def post_json(self, path: str, value: object) -> "Answer":
        return self.ask("POST", path, json.dumps(value), {"Content-Type": "application/json"})

    def raw(self, text: bytes, seconds: float = 30) -> bytes:
        """What comes back for these bytes, until the server closes or says no more."""
        with self.connect() as connection:
            connection.settimeout(seconds)
            connection.sendall(text)
            got = b""
            try:
                while piece := connection.recv(65536):
                    got += piece
            except (TimeoutError, ConnectionResetError):
                pass
            return got


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    def json(self) -> dict:
        return json.loads(self.body)

    def is_problem(self, status: int) -> bool:
        """A problem of RFC 9457 of this status."""
        if self.status != status or self.headers.get("content-type") != "application/problem+json":
            return False
        problem = self.json()
        return problem["status"] == status and bool(problem["title"]) and bool(problem["detail"])


def form(files: list[tuple[str, str, bytes]], fields: dict[str, str] | None = None) -> tuple[bytes, dict[str, str]]:
    """A multipart form of files (field, name, content), with its headers."""
    boundary = "frx-boundary-7d3"
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in (fields or {}).items()]
    for field, name, content in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def printed(folder: Path, *arguments: str) -> bytes:
    """What the command line prints in this folder; a server compiles nothing."""
    if arguments[0] == "analyze" and any(one.endswith(".cu") for one in arguments):
        arguments += ("--with-ptx=no",)
    return subprocess.run([FRX, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def wait_until(condition, seconds: float = 20) -> bool:  # noqa: ANN001
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
