"""The part of a program in a trial: applies the plan, measures windows, and writes what frx compares. Nothing is written outside of a trial."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import time
from typing import Any, Dict, Iterator, List, Optional, Set

from . import facts
from .applied import Applied, apply
from .tensors import tensors_in, write_tensor

SCHEMA = "layout_trial_side.v1"
# Set by frx: the folder of this run, what random numbers begin with, how many windows are wanted, and whether some of them are profiled.
OUT, SEED, WINDOWS, WARMUP, PROFILE = ("FRX_LAYOUT_TRIAL_" + name for name in ("OUT", "SEED", "WINDOWS", "WARMUP", "PROFILE"))
PROFILED_WINDOWS = 2


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else otherwise


def seed() -> Optional[int]:
    """Begins the random numbers of Python, numpy and PyTorch with FRX_LAYOUT_TRIAL_SEED, and returns it; None, and nothing is done, without it.

    Call it before the model is made, and have PyTorch imported by then: otherwise the two sides of a trial begin with different weights.
    """
    text = os.environ.get(SEED, "")
    if not text.isdigit():
        return None
    import random

    import torch

    value = int(text)
    random.seed(value)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(value & 0xFFFFFFFF)
    torch.manual_seed(value)
    return value


class Trial:
    """Applies the plan of FRX_LAYOUT_PLAN to `model` and, in a trial, records windows, losses and outputs.

    `compile_mode` names how the model is compiled where that is not torch.compile. The record is written by `finish`, by the end of a
    `with` block, or else at the end of the process.
    """

    def __init__(self, model: Any = None, compile_mode: Optional[str] = None) -> None:
        self.model = model
        self.applied: Applied = apply(model) if model is not None else Applied(None)
        self.folder = os.environ.get(OUT, "")
        self.active = bool(self.folder)
        if not self.active:
            return
        self.folder = os.path.join(self.folder, f"rank{facts.rank_of_process()}")
        os.makedirs(self.folder, exist_ok=True)
        self._seed = seed()
        self._compile_mode = compile_mode
        self._wanted, self._warmup = _number(WINDOWS, 0), _number(WARMUP, 0)
        self._windows: List[Dict[str, Any]] = []
        self._losses: List[float] = []
        self._outputs: List[Dict[str, Any]] = []
        self._counters: Dict[str, Any] = {}
        self._namespaces: Optional[Set[str]] = None
        self._profile: Any = None
        self._profiled = 0
        self._trace: Optional[str] = None
        self._troubles: List[str] = []
        self._device = facts.device_of(model)
        self._memory = facts.PeakMemory(self._device)
        self._finished = False
        atexit.register(self.finish)

    # -- windows -----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def window(self, items: Optional[int] = None) -> Iterator[None]:
        """Times the block, GPU work included. `items` is how many samples it takes: throughput is in items a second where all windows say it."""
        if not self.active:
            yield
            return
        if len(self._windows) == self._warmup:
            self._memory.begin()
        if len(self._windows) >= self._warmup:
            self._start_profiler()
        self._synchronise()
        begin = time.perf_counter_ns()
        if self._profile is not None:
            import torch

            with torch.autograd.profiler.record_function(f"ProfilerStep#{self._profiled}"):
                yield
                self._synchronise()
        else:
            yield
        self._synchronise()
        self._windows.append({"ns": time.perf_counter_ns() - begin, "items": items})
        if self._profile is not None:
            self._profiled += 1
            if self._profiled >= PROFILED_WINDOWS:
                self._stop_profiler()

    @property
    def enough(self) -> bool:
        """Whether as many windows were measured as the trial asked for; always False outside of a trial."""
        return self.active and 0 < self._wanted <= len(self._windows) - self._warmup

    def _synchronise(self) -> None:
        if self._device.type == "cuda":
            import torch

            torch.cuda.synchronize(self._device)

    # -- results -----------------------------------------------------------------------------------------------------

    def loss(self, value: Any) -> None:
        """Adds a value of the loss, a number or a tensor of one element; a tensor on a GPU is waited for."""
        if self.active:
            self._losses.append(float(value.detach() if hasattr(value, "detach") else value))

    def output(self, value: Any, name: Optional[str] = None) -> None:
        """Keeps the tensors of `value` for the comparison of both sides. Give the same ones, in the same order, on both."""
        if not self.active:
            return
        for each, tensor in tensors_in(value, name or f"output{len(self._outputs)}"):
            self._outputs.append(write_tensor(self.folder, f"output{len(self._outputs)}.bin", each, tensor))

    def counters(self, **values: int) -> None:
        """For compilers other than torch._dynamo: `unique_graphs`, `graph_breaks`, `recompiles`, `cudagraph_skips` as the program counted them."""
        if not self.active:
            return
        unknown = set(values) - {"unique_graphs", "graph_breaks", "recompiles", "cudagraph_skips"}
        if unknown:
            raise TypeError(f"no counter is called {sorted(unknown)[0]}")
        self._counters.update(values)

    # -- profiler ----------------------------------------------------------------------------------------------------

    def _start_profiler(self) -> None:
        if self._profile is not None or self._profiled or os.environ.get(PROFILE) != "1":
            return
        import torch

        if torch.profiler.kineto_available():
            activities = [torch.profiler.ProfilerActivity.CPU]
            if torch.cuda.is_available():
                activities.append(torch.profiler.ProfilerActivity.CUDA)
            self._profile = torch.profiler.profile(activities=activities, record_shapes=True)
        else:
            self._troubles.append("this PyTorch was built without Kineto: operators are recorded, and no trace is written")
            self._profile = torch.autograd.profiler.profile(use_kineto=False)
        self._profile.__enter__()

    def _stop_profiler(self) -> None:
        profile, self._profile = self._profile, None
        if profile is None:
            return
        import torch

        profile.__exit__(None, None, None)
        events = profile.events() if hasattr(profile, "events") else profile.function_events
        names = [one.name for one in events if one.device_type == torch.autograd.DeviceType.CPU]
        self._namespaces = {name.split("::", 1)[0] for name in names if "::" in name and " " not in name and "(" not in name}
        if torch.profiler.kineto_available():
            self._trace = "trace.json"
            profile.export_chrome_trace(os.path.join(self.folder, self._trace))

    # -- the end -----------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Writes the record of this side and takes the plan back. A second call does nothing."""
        if not self.active or self._finished:
            if not self.active:
                self.applied.remove()
            return
        self._finished = True
        atexit.unregister(self.finish)
        self._stop_profiler()
        path = os.path.join(self.folder, "side.json")
        with open(path + ".part", "w", encoding="ascii") as file:
            json.dump(self._side(), file, indent=1)
        os.replace(path + ".part", path)
        self.applied.remove()

    def __enter__(self) -> "Trial":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.finish()

    def _side(self) -> Dict[str, Any]:
        import torch

        compiled = facts.compile_facts(self.model)
        if self._compile_mode:
            compiled["mode"] = self._compile_mode
        if self._counters:
            compiled.update(self._counters, source="the program")
        plan = self.applied.plan
        return {
            "schema": SCHEMA,
            "rank": facts.rank_of_process(),
            "torch": str(torch.__version__),
            "plan": None if plan is None else {"sha256": plan.sha256, "modules": len(self.applied.matched)},
            "seed": self._seed,
            "device": facts.device_facts(self._device),
            "precision": facts.precision_facts(self.model),
            "windows": self._windows,
            "memory": self._memory.facts(),
            "compile": compiled,
            "distributed": facts.distributed_facts(self.model),
            "namespaces": None if self._namespaces is None else sorted(self._namespaces),
            "profiled_windows": self._profiled,
            "trace": self._trace,
            "losses": [_finite_or_word(one) for one in self._losses],
            "outputs": self._outputs,
            "notes": self._troubles,
        }


def _finite_or_word(value: float) -> Any:
    """JSON has no NaN and no infinity; "nan", "inf" and "-inf" stand for them."""
    return value if value == value and abs(value) != float("inf") else str(value)
