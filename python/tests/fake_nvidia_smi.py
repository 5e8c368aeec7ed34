"""A stand-in for nvidia-smi: a program that answers the questions of ClockLock about a GPU it makes up, and notes what it is told.

It shows which orders are given and taken back; whether a real driver follows them it cannot show.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

NAME = "Stand-in GPU"
# Pairs (graphics, memory) in MHz. The lower memory clock allows only low graphics clocks, as on real GPUs.
SUPPORTED = [(1980, 2619), (1410, 2619), (1395, 2619), (210, 2619), (1500, 1593), (345, 1593)]

_PROGRAM = f"""#!{sys.executable} -BS
import json, pathlib, sys, time
home = pathlib.Path(__file__).resolve().parent
state = json.loads((home / "state.json").read_text())
arguments = sys.argv[1:]
assert arguments[:1] == ["-i"], arguments
rest = arguments[2:]
if rest[0].startswith("--query-gpu="):
    time.sleep(state["slow_s"])
    answers = {{"name": state["name"], "persistence_mode": state["persistence"], "clocks.gr": state["graphics"], "clocks.mem": state["memory"]}}
    print(", ".join(str(answers[name]) for name in rest[0].split("=")[1].split(",")))
elif rest[0] == "--query-supported-clocks=gr,mem":
    for graphics, memory in state["supported"]:
        print(f"{{graphics}}, {{memory}}")
else:
    with open(home / "orders.txt", "a") as orders:
        print(arguments[1], *rest, file=orders)
    if rest[0] in state["refused"]:
        print("The current user does not have permission to change clocks", file=sys.stderr)
        sys.exit(4)
"""


class FakeNvidiaSmi:
    """The program in `folder`, and what it was told."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.program = str(folder / "nvidia-smi")
        self._folder = folder
        Path(self.program).write_text(_PROGRAM)
        os.chmod(self.program, 0o755)
        self.says()

    def says(self, **facts: Any) -> None:
        """The GPU as it is from now on; refused: orders, as -lgc, that fail."""
        state: Dict[str, Any] = {
            "name": NAME,
            "persistence": "Disabled",
            "graphics": 1405,
            "memory": 2619,
            "supported": SUPPORTED,
            "refused": [],
            "slow_s": 0,
        }
        (self._folder / "state.json").write_text(json.dumps({**state, **facts}))

    def orders(self) -> List[str]:
        path = self._folder / "orders.txt"
        return path.read_text().splitlines() if path.exists() else []
