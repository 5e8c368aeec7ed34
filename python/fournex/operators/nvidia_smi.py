"""nvidia-smi: the clocks of a GPU, and orders to lock them."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import List, NamedTuple, Optional, Sequence, Union

_PATIENCE_S = 20.0


class ClocksUnavailable(Exception):
    """Why the clocks are not locked."""


class Clocks(NamedTuple):
    """Frequencies in MHz; None: left as it is."""

    graphics_mhz: int
    memory_mhz: Optional[int]


def parse_request(text: str) -> Union[str, Clocks]:
    """"probe", "max", or "1410,1215": graphics and memory clock in MHz. Raises ValueError."""
    if text in ("probe", "max"):
        return text
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdigit() and int(part) > 0 for part in parts):
        raise ValueError(f"expected probe, max or two clocks in MHz like 1410,1215, found {text!r}")
    return Clocks(int(parts[0]), int(parts[1]))


def gpu_of_process() -> str:
    """What `nvidia-smi -i` calls the first GPU of this process: the first of CUDA_VISIBLE_DEVICES, else 0."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip() or "0"


class NvidiaSmi:
    """The few questions and orders for nvidia-smi. Every method raises ClocksUnavailable with what nvidia-smi said."""

    def __init__(self, gpu: str, program: Optional[str] = None, sudo: Optional[Sequence[str]] = None) -> None:
        found = program or shutil.which("nvidia-smi")
        if found is None:
            raise ClocksUnavailable("there is no nvidia-smi")
        self._command = [found, "-i", gpu]
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self._sudo = list(sudo) if sudo is not None else [] if is_root else ["sudo", "-n"]

    def _run(self, command: List[str]) -> str:
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ClocksUnavailable(str(error)) from None
        if done.returncode:
            words = " ".join((done.stderr.strip() or done.stdout.strip()).split())
            raise ClocksUnavailable(f"{' '.join(command)}: exit code {done.returncode}: {words}")
        return done.stdout

    def query(self, *names: str) -> List[str]:
        """The values of `--query-gpu`."""
        answer = self._run([*self._command, "--query-gpu=" + ",".join(names), "--format=csv,noheader,nounits"])
        values = [value.strip() for value in answer.strip().splitlines()[0].split(",")] if answer.strip() else []
        if len(values) != len(names):
            raise ClocksUnavailable(f"nvidia-smi answers {answer.strip()!r} to {','.join(names)}")
        return values

    def supported(self) -> List[Clocks]:
        """Every pair that the GPU can be set to."""
        answer = self._run([*self._command, "--query-supported-clocks=gr,mem", "--format=csv,noheader,nounits"])
        rows = [[part.strip() for part in line.split(",")] for line in answer.splitlines()]
        return [Clocks(int(row[0]), int(row[1])) for row in rows if len(row) == 2 and row[0].isdigit() and row[1].isdigit()]

    def order(self, *arguments: str) -> None:
        """Sets something, which needs root."""
        self._run([*self._sudo, *self._command, *arguments])
