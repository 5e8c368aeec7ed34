"""A window of steps recorded by torch.profiler, its trace as a file, and statistics of its kernels."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Optional

# The launch of a shorter kernel takes as long as the kernel itself.
SMALL_KERNEL_US = 10.0
# torch.profiler cannot run twice at once; the second user gets no profile.
_running = False


def available() -> bool:
    """Whether the program has loaded PyTorch, and no window is open."""
    return getattr(sys.modules.get("torch"), "profiler", None) is not None and not _running


def kernel_durations_us(profile: Any) -> List[float]:
    """Durations of the kernels that the GPU ran: no copies, no annotations."""
    from torch.autograd import DeviceType

    durations = []
    for event in profile.events():
        if event.device_type != DeviceType.CUDA or getattr(event, "is_user_annotation", False):
            continue
        if not event.name.startswith(("Memcpy", "Memset", "ProfilerStep#")):
            durations.append(float(event.time_range.elapsed_us()))
    return durations


def _median(values: List[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def kernel_facts(durations_us: List[float], steps: int) -> Dict[str, Any]:
    """Counts per step and sizes; empty when no kernel was recorded, since absent is not zero."""
    if not durations_us or steps <= 0:
        return {}
    per_step = round(len(durations_us) / steps, 2)
    return {
        "kernel_count": per_step,
        "kernel_count_per_step": per_step,
        "median_cuda_kernel_duration_us": round(_median(durations_us), 3),
        "small_kernel_fraction": round(sum(one < SMALL_KERNEL_US for one in durations_us) / len(durations_us), 4),
    }


class TorchWindow:
    """`start`, `step` after each step, `finish`. Every method may raise what torch raises."""

    def __init__(self, warmup: int, record: Optional[int]) -> None:
        """`warmup` steps are recorded and discarded, then `record` steps are kept; None keeps all until `finish`."""
        import torch

        self._warmup = warmup
        self._record = record
        self._seen = 0
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        stepwise = None if record is None else self._action
        self._profile = torch.profiler.profile(activities=activities, schedule=stepwise, on_trace_ready=lambda _: None)
        # Annotations of torch are one step behind in some of its versions; ours carry the ids of the events in all of them.
        self._profile.record_steps = False
        self._label: Any = None

    def _action(self, _: int) -> Any:
        from torch.profiler import ProfilerAction

        assert self._record is not None
        kept = self._seen - self._warmup
        if kept < 0:
            return ProfilerAction.WARMUP
        if kept >= self._record:
            return ProfilerAction.NONE
        return ProfilerAction.RECORD_AND_SAVE if kept == self._record - 1 else ProfilerAction.RECORD

    def start(self, step_id: int) -> None:
        """Before the step `step_id`."""
        global _running
        self._profile.start()
        _running = True
        if self._record is not None:
            self._annotate(step_id)

    def step(self, step_id: int) -> bool:
        """After the step `step_id`. True when the window is full; then `finish` it."""
        self._end_annotation()
        self._seen += 1
        self._profile.step()
        if self._record is None or self._seen >= self._warmup + self._record:
            return True
        self._annotate(step_id + 1)
        return False

    def _annotate(self, step_id: int) -> None:
        """ProfilerStep#N of the trace is the step N of the events, with the wait for its batch."""
        import torch

        self._label = torch.profiler.record_function(f"ProfilerStep#{step_id}")
        self._label.__enter__()

    def _end_annotation(self) -> None:
        label, self._label = self._label, None
        if label is not None:
            label.__exit__(None, None, None)

    def finish(self, path: Optional[str], steps: int) -> Dict[str, Any]:
        """Stops, writes the trace to `path` (None: discards it) and returns `kernel_facts`."""
        global _running
        _running = False
        self._end_annotation()
        self._profile.stop()
        if path is None:
            return {}
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        self._profile.export_chrome_trace(path)
        return kernel_facts(kernel_durations_us(self._profile), steps)
