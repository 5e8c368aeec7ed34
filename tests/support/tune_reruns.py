"""A second opinion on what `frx tune` reports: baseline and winner run again, by their variables alone and with the program's own clock.

Shares nothing with frx but the definition: throughput is measured steps over the time from the end of the last warm-up step to that of the last step.
Used by tests/tune/pytorch_test.py and tools/validate_tune.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
from typing import Dict, List, Optional, Sequence

# Student's t at 97.5 %, by degrees of freedom.
_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


class RerunFailed(Exception):
    pass


class TooNoisy(RerunFailed):
    """The machine does other things meanwhile."""


@dataclasses.dataclass
class Measured:
    """Throughput of the second side over that of the first, less 1; the interval of 95 % by Student's t over pairs of runs."""

    value: float
    low: float
    high: float
    pairs: int

    @property
    def is_precise(self) -> bool:
        """Whether the ends of the interval are at most a third apart: a wider one would agree with nearly every report."""
        return (1 + self.high) / (1 + self.low) <= 4 / 3


def ms_per_sample(ends: Sequence[float], warmup: int, batch: Optional[float]) -> float:
    """Of the steps after the first `warmup` ones, whose ends are given in ms; per step where the batch is not known."""
    if warmup < 1 or len(ends) - warmup < 2:
        raise RerunFailed(f"{len(ends)} steps are too few after {warmup} of warm-up")
    return (ends[-1] - ends[warmup - 1]) / (len(ends) - warmup) / (batch or 1)


def speedup(first: Sequence[float], second: Sequence[float]) -> Measured:
    """Of ms per sample (or step) of runs, taken in pairs: 2 to 10 of them."""
    logs = [math.log(a / b) for a, b in zip(first, second)]
    mean = statistics.mean(logs)
    half = _T[len(logs) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return Measured(math.expm1(mean), math.expm1(mean - half), math.expm1(mean + half), len(logs))


def agree(reported: Dict[str, float], measured: Measured) -> bool:
    """Whether the interval that was reported, widened by the noise of the reruns, contains what they measured."""
    return reported["low"] <= measured.high and measured.low <= reported["high"]


def run_once(command: Sequence[str], folder: pathlib.Path, variables: Dict[str, str], steps: int) -> List[float]:
    """When each step ended, in ms. `command` takes --times FILE."""
    folder.mkdir(parents=True, exist_ok=True)
    times = folder / "times.json"
    times.unlink(missing_ok=True)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("FRX_")}
    # Recording goes on as in a trial: it is part of what was measured there.
    env = {**ours, "FRX_AUTO_PERSIST": "1", "FRX_OUTPUT_DIR": str(folder), "FRX_RAW_TRACE_PATH": str(folder / "trace.jsonl"),
           "FRX_TUNE_MAX_STEPS": str(steps), **variables}
    done = subprocess.run([*map(str, command), "--times", str(times)], env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0 or not times.exists():
        raise RerunFailed(f"the program ended with {done.returncode}: {(done.stderr.strip().splitlines() or ['nothing was said'])[-1][-300:]}")
    return json.loads(times.read_text())


def rerun(command: Sequence[str], folder: pathlib.Path, winner: Dict[str, str], warmup: int, measure: int, own_batch: Optional[int] = None,
          pairs: range = range(3, 9)) -> Measured:
    """Baseline and winner in the order A B B A A B ...; by samples where `own_batch`, that of the program, is given.

    As few pairs of `pairs` as make the result precise. Raises RerunFailed where none does, and where the program fails.
    """
    sides: Dict[str, List[float]] = {"baseline": [], "winner": []}
    batches = {"baseline": own_batch, "winner": own_batch and int(winner.get("FRX_BATCH_SIZE", own_batch))}
    for pair in range(pairs[-1]):
        for side in ("baseline", "winner") if pair % 2 == 0 else ("winner", "baseline"):
            ends = run_once(command, folder / f"rerun-{side}-{pair + 1}", winner if side == "winner" else {}, warmup + measure)
            sides[side].append(ms_per_sample(ends, warmup, batches[side]))
        if pair + 1 in pairs:
            measured = speedup(sides["baseline"], sides["winner"])
            if measured.is_precise:
                return measured
    raise TooNoisy(f"after {measured.pairs} pairs of runs the speed-up may still be {100 * measured.low:+.0f} to {100 * measured.high:+.0f} %")
