"""Kernels of a part of a program, by torch.profiler: `profile_kernels`.

    with fournex.profiler.profile_kernels(output_dir="frx-job-run", steps=20):
        for step in range(20):
            ...

The trace is then ``frx-job-run/profiler_trace.json``, where `frx collect` and `frx analyze` search for it.
"""

from __future__ import annotations

import os
import time
from typing import Any, Optional

from . import torch_window
from .recorder import recorder, say
from .sampled_profiler import configure_sampled_profiler, get_profiler_controller, profiler_window

__all__ = ["configure_sampled_profiler", "get_profiler_controller", "profile_kernels", "profiler_window"]

TRACE_NAME = "profiler_trace.json"


class profile_kernels:  # noqa: N801, used like a function
    """Runs torch.profiler over the block and writes ``<output_dir>/profiler_trace.json``.

    `steps` is how many steps the block makes (for counts per step). PyTorch is imported if it was not; when it is missing, is
    being profiled already, or the trace cannot be written, the block runs nevertheless and a warning says why.
    """

    def __init__(self, output_dir: Optional[str] = None, steps: int = 1) -> None:
        folder = output_dir or os.environ.get("FRX_OUTPUT_DIR") or "frx-job-run"
        self.trace_path = os.path.join(os.path.abspath(folder), TRACE_NAME)
        self.steps = max(int(steps), 1)
        self._window: Optional[torch_window.TorchWindow] = None
        self._began_ns = 0

    def __enter__(self) -> "profile_kernels":
        try:
            import torch.profiler  # noqa: F401

            if not torch_window.available():
                raise RuntimeError("torch.profiler is running already")
            self._window = torch_window.TorchWindow(0, None)
            self._window.start(0)
        except Exception as error:
            self._window = None
            say("fournex: nothing is profiled: %s", error)
        self._began_ns = time.monotonic_ns()
        self._tell("started")
        return self

    def step(self) -> None:
        """Accepted for loops written for torch.profiler; the block is recorded as a whole."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        window, self._window = self._window, None
        if window is None:
            return
        stopped = time.monotonic_ns()
        self._tell("completed", stopped - self._began_ns)
        try:
            facts = window.finish(self.trace_path, self.steps)
        except Exception as trouble:
            say("fournex: %s could not be written: %s", self.trace_path, trouble)
            return
        self._tell("exported", time.monotonic_ns() - stopped, trace_path=self.trace_path, **facts)

    def _tell(self, state: str, duration_ns: Optional[int] = None, **facts: Any) -> None:
        if recorder.active:
            recorder.emit("profiler_window", {"window_state": state, **facts}, duration_ns=duration_ns)
