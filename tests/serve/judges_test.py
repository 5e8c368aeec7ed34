"""Foreign judges of what `frx serve` writes: Redocly's checker of OpenAPI (npm) and Prometheus' promtool (Debian). Without one, its test is skipped."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from server import REPOSITORY, TESTS, Server

BUILD = Path(os.environ.get("FRX_BUILD", REPOSITORY / "build/dev"))


def judges() -> Path | None:
    """The folder of what the lock file beside this names; fetched once, from npm's registry alone."""
    home = BUILD / "npm-judges"
    lock = Path(__file__).parent / "package-lock.json"
    npm = shutil.which("npm")
    have = home / "fetched-lock.json"
    if npm and (not have.exists() or have.read_bytes() != lock.read_bytes()):
        home.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(Path(__file__).parent / name, home / name)
        ended = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if ended.returncode == 0:
            shutil.copy(lock, have)
    return home if have.exists() else None


def redocly() -> Path | None:
    home = judges()
    return home / "node_modules/.bin/redocly" if home else None


class Judges(unittest.TestCase):
    def test_openapi(self) -> None:
        judge = redocly()
        if not judge:
            self.skipTest("Redocly's checker cannot be fetched from npm")
        with Server() as server:
            document = BUILD / "openapi.json"
            document.write_bytes(server.ask("GET", "/openapi.json").body)
        rules = BUILD / "redocly.yaml"
        rules.write_text("extends: [recommended]\nrules:\n  no-required-schema-properties-undefined: off\n  no-server-example.com: off\n  info-license: off\n  operation-4xx-response: error\n")
        ended = subprocess.run([judge, "lint", "--config", rules, "--format=json", document], capture_output=True, text=True, check=False, env={**os.environ, "REDOCLY_TELEMETRY": "off", "CI": "1"})
        self.assertEqual(ended.returncode, 0, ended.stdout[-3000:] + ended.stderr[-2000:])
        totals = json.loads(ended.stdout[ended.stdout.index("{") :])["totals"]
        self.assertEqual((totals["errors"], totals["warnings"]), (0, 0), ended.stdout[-3000:])

    def test_metrics(self) -> None:
        judge = shutil.which("promtool")
        if not judge:
            self.skipTest("promtool is not installed (Debian's prometheus)")
        with Server() as server:
            server.ask("POST", "/ptx/analyze", (TESTS / "data/ptx/tesla.ptx").read_bytes())
            text = server.ask("GET", "/metrics").body
        ended = subprocess.run([judge, "check", "metrics"], input=text, capture_output=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout + ended.stderr), (0, b""))


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == 2 else 0)
