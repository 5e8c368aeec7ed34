#!/usr/bin/env python3
"""What the SDK costs a training loop, in ns per call: the difference to the same loop without it.

    PYTHONPATH=python python3 python/bench/overhead.py [--repeat 5] [--steps 2000]

Each line is the median of `--repeat` rounds; the spread beside it is the smallest and the largest. "on" writes a trace into a
temporary folder, as under `frx collect`; its cost includes the JSON and one write per step.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from typing import Any, Callable, List

import fournex


class Tensor:
    """What `describe_batch` looks at."""

    shape = (32, 128)
    dtype = "torch.float32"


BATCH = {"input_ids": Tensor(), "labels": Tensor()}


def empty(steps: int) -> None:
    for step in range(steps):
        pass


def step_only(steps: int) -> None:
    for step in range(steps):
        with fournex.step_context(step):
            pass


def whole_step(steps: int) -> None:
    """A loader, a batch, a copy and three phases: what the documentation shows."""
    batches = iter(fournex.instrument_dataloader(range(steps)))
    for step in range(steps):
        next(batches)
        with fournex.step_context(step, batch=BATCH) as current:
            with fournex.time_memcpy("h2d"):
                pass
            with fournex.phase("forward"):
                pass
            with fournex.phase("backward"):
                pass
            with fournex.phase("optimizer"):
                pass
            current.set_loss(0.5)


def whole_step_without_sdk(steps: int) -> None:
    batches = iter(range(steps))
    for step in range(steps):
        next(batches)


def phase_only(steps: int) -> None:
    for _ in range(steps):
        with fournex.phase("forward"):
            pass


def per_step(work: Callable[[int], None], steps: int) -> float:
    start = time.perf_counter_ns()
    work(steps)
    return (time.perf_counter_ns() - start) / steps


def measure(name: str, work: Callable[[int], None], bare: Callable[[int], None], steps: int, repeat: int) -> None:
    work(min(steps, 200))
    costs: List[float] = [per_step(work, steps) - per_step(bare, steps) for _ in range(repeat)]
    print(f"{name:<44}{statistics.median(costs):>10.0f} ns   ({min(costs):.0f} to {max(costs):.0f})")


CASES: List[Any] = [
    ("step_context alone", step_only, empty),
    ("one phase", phase_only, empty),
    ("loader, batch, copy, three phases, loss", whole_step, whole_step_without_sdk),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    for name, work, bare in CASES:
        measure("off: " + name, work, bare, options.steps * 20, options.repeat)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.jsonl")
        fournex.init(raw_trace_path=path, stream_trace=True)
        for name, work, bare in CASES:
            measure("on: " + name, work, bare, options.steps, options.repeat)
        fournex.shutdown()
        print(f"{os.path.getsize(path) / 1e6:.1f} MB of trace")
    fournex.init(stream_trace=False, local_event_limit=1000)
    measure("in memory only: the same", whole_step, whole_step_without_sdk, options.steps, options.repeat)


if __name__ == "__main__":
    main()
