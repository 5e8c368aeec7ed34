"""tools/install_dependencies.sh on a machine without lists of packages and without packages: apt, dpkg and sudo are scripts that say what they were asked.

The lists are there after `apt-get update`; only then apt-cache knows clickhouse-server.
"""

import os
import subprocess
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "install_dependencies.sh"
TOOLS = {
    "dpkg-query": "exit 1",
    "apt-cache": 'test -e "$LISTS" && test "$2" = "$KNOWN"',
    "apt-get": 'case $1 in update) touch "$LISTS" ;; install) echo "$@" >"$ASKED" ;; esac',
    "sudo": 'exec "$@"',
    "systemctl": "",
}


def installed(folder: Path, known: str, *arguments: str) -> list[str]:
    for name, text in TOOLS.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    lists, asked = folder / "lists", folder / "asked"
    lists.unlink(missing_ok=True)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "LISTS": str(lists), "ASKED": str(asked), "KNOWN": known}
    subprocess.run(["bash", SCRIPT, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)
    return asked.read_text().split()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert installed(Path(folder), "clickhouse-server", "--tests").count("clickhouse-server") == 1, "a package that only new lists have is not installed"
        assert "clickhouse-server" not in installed(Path(folder), "another", "--tests"), "a package that no list has is asked for"
        assert "clickhouse-server" not in installed(Path(folder), "clickhouse-server"), "a package of the tests is installed without --tests"


if __name__ == "__main__":
    main()
