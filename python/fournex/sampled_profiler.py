"""torch.profiler over a few steps at intervals: it records the kernels without slowing down the whole run.

A cycle is `wait` steps of nothing, `warmup` steps that are recorded and discarded, and `record` steps that are kept. The time
to write a trace is measured, and the next window waits until that is at most 5 % of the time.
"""

from __future__ import annotations

import os
import time
from typing import Any, Mapping, Optional

from . import config, torch_window
from .recorder import recorder

# The share of the run that writing traces may take.
BUDGET = 0.05


class Controller:
    """The state of the current cycle."""

    def __init__(self, wait: int, warmup: int, record: int, repeat: int, output_dir: str) -> None:
        self.wait, self.warmup, self.record, self.repeat = wait, warmup, record, repeat
        self.output_dir = output_dir
        self.windows = 0  # that were exported
        self._offset = 0  # within the cycle
        self._window: Optional[torch_window.TorchWindow] = None
        self._began_ns = 0
        self._not_before_ns = 0
        self._stopped = False

    @property
    def _first(self) -> int:
        """Steps of the cycle before the first that is kept."""
        return self.wait + self.warmup

    def step_begins(self, step_id: int) -> None:
        if self._stopped or (self._offset == 0 and time.monotonic_ns() < self._not_before_ns):
            return
        if self._offset == 0:
            self._tell("scheduled", step_id, start_step=step_id + self._first, end_step=step_id + self._first + self.record - 1)
        if self._offset == self.wait and self._window is None:
            self._start(step_id)

    def _start(self, step_id: int) -> None:
        if not torch_window.available():
            self._stop("torch.profiler is in use elsewhere, or PyTorch is not loaded")
            return
        try:
            self._window = torch_window.TorchWindow(self.warmup, self.record)
            self._window.start(step_id)
        except Exception as error:
            self._window = None
            self._stop(f"torch.profiler does not start: {error}")
            return
        self._began_ns = time.monotonic_ns()
        self._tell("started", step_id, start_step=step_id + self.warmup, end_step=step_id + self.warmup + self.record - 1)

    def step_ends(self, step_id: int) -> None:
        if self._stopped or (self._offset == 0 and time.monotonic_ns() < self._not_before_ns):
            return
        self._offset += 1
        if self._window is None:
            return
        try:
            if self._window.step(step_id):
                self._finish(step_id)
        except Exception as error:
            self._window = None
            self._stop(f"torch.profiler failed: {error}")

    def _finish(self, step_id: int) -> None:
        window, self._window = self._window, None
        assert window is not None
        stopped = time.monotonic_ns()
        steps = {"start_step": step_id - self.record + 1, "end_step": step_id}
        self._tell("completed", step_id, duration_ns=stopped - self._began_ns, **steps)
        path = os.path.join(self.output_dir, f"profiler_window_{self.windows + 1:04d}.json")
        facts = window.finish(path, self.record)
        cost = time.monotonic_ns() - stopped
        self._tell("exported", step_id, duration_ns=cost, **steps, trace_path=path, **facts)
        recorder.flush()
        self.windows += 1
        self._offset = 0
        self._not_before_ns = time.monotonic_ns() + int(cost / BUDGET)
        self._stopped = 0 < self.repeat <= self.windows

    def close(self) -> None:
        """The run ends in the middle of a window: its records are discarded."""
        window, self._window = self._window, None
        self._stopped = True
        if window is not None:
            try:
                window.finish(None, 0)
            except Exception as error:
                recorder.trouble("torch.profiler does not stop", error)

    def _stop(self, why: str) -> None:
        self._stopped = True
        recorder.emit("warning_annotation", {"code": "torch_profiler_unavailable", "message": why}, level="warning")

    def _tell(self, state: str, step_id: int, duration_ns: Optional[int] = None, **facts: Any) -> None:
        recorder.emit("profiler_window", {"window_state": state, **facts}, step_id, duration_ns=duration_ns)


_controller: Optional[Controller] = None


def configure_sampled_profiler(
    wait: int = 20,
    warmup: int = 2,
    record: int = 3,
    repeat: int = 0,
    output_dir: Optional[str] = None,
    enabled: bool = True,
) -> Optional[Controller]:
    """Profiles `record` steps after every `wait` + `warmup` of them, `repeat` times (0: until the run ends).

    Traces are written to `output_dir`, by default the folder ``profiler`` in the output folder of the run. Counts are in steps;
    ValueError when `record` is below 1 or another below 0. Returns None when not `enabled`.
    """
    global _controller
    if min(wait, warmup, repeat) < 0 or record < 1:
        raise ValueError("configure_sampled_profiler: wait, warmup and repeat are at least 0, record at least 1")
    if _controller is not None:
        _controller.close()
    folder = output_dir or os.path.join(recorder.settings["output_dir"], "profiler")
    _controller = Controller(wait, warmup, record, repeat, os.path.abspath(folder)) if enabled else None
    return _controller


profiler_window = configure_sampled_profiler


def get_profiler_controller() -> Optional[Controller]:
    """The current profiler, or None."""
    return _controller


def configure_from_environment(environment: Mapping[str, str]) -> None:
    """FRX_PROFILER_ENABLED=1 enables it, FRX_PROFILER=0 disables it; FRX_PROFILER_WAIT, _WARMUP, _RECORD, _REPEAT in steps."""
    if not config.is_on(environment.get("FRX_PROFILER", "1")):
        configure_sampled_profiler(enabled=False)
        return
    if not config.is_on(environment.get("FRX_PROFILER_ENABLED")):
        return  # the program's own configuration stays

    def steps(name: str, default: int) -> int:
        text = environment.get("FRX_PROFILER_" + name, "")
        return int(text) if text.isdecimal() else default

    configure_sampled_profiler(steps("WAIT", 10), steps("WARMUP", 2), max(steps("RECORD", 3), 1), steps("REPEAT", 0))


def step_begins(step_id: int) -> None:
    """Before a step; `step_context` calls it for the outermost steps."""
    if _controller is not None:
        _guarded(_controller.step_begins, step_id)


def step_ends(step_id: int) -> None:
    """After a step; `step_context` calls it for the outermost steps."""
    if _controller is not None:
        _guarded(_controller.step_ends, step_id)


profiler_step_start = step_begins
profiler_step_end = step_ends


def _guarded(call: Any, step_id: int) -> None:
    try:
        call(step_id)
    except Exception as error:
        recorder.trouble("the sampled profiler failed", error)


def _end_of_run(final: bool) -> None:
    if final and _controller is not None:
        _controller.close()


def _forget() -> None:
    """A forked child has no profiler: the window that may be open is its parent's."""
    global _controller
    _controller = None


recorder.before_flush.append(_end_of_run)
recorder.on_fork.append(_forget)
