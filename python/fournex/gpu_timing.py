"""Times of work that the GPU does after Python has launched it, without ever waiting for it.

A span records a CUDA event where it begins and one where it ends. Whether both have passed is queried at step boundaries and on
flush, and only queried: the SDK must not serialise the work that it measures. Until then the span is pending. PyTorch is used only
when the program has loaded it and has begun to use a GPU.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from .recorder import recorder

# Beyond this number of pending spans, the oldest are reported with the host's time: nothing grows without bound.
MOST_PENDING = 4096
# At the end of the run the GPU gets this long to finish; a GPU that hangs does not keep the program from ending.
PATIENCE_AT_EXIT_S = 1.0

Report = Callable[[Optional[int]], None]  # gets the GPU's duration in ns, None when it is unknown

_pending: List[Tuple["GpuTimer", Report]] = []
_unused: Dict[int, List[Any]] = {}  # reusable events of each device


def cuda_in_use() -> Any:
    """The module torch.cuda, when the program has begun to use a GPU; else None."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    try:
        return cuda if cuda is not None and cuda.is_initialized() else None
    except Exception:
        return None


def _index_of(device: Any, cuda: Any) -> Optional[int]:
    """0 for "cuda:0", a torch.device or 0; the current device for None and "cuda"; None for other devices."""
    if isinstance(device, int):
        return device
    if device is not None:
        text = str(device)
        if not text.startswith("cuda"):
            return None
        if ":" in text:
            return int(text.rsplit(":", 1)[1])
    return int(cuda.current_device())


class GpuTimer:
    """An interval of work on the current stream of one device, between two CUDA events."""

    __slots__ = ("device", "_cuda", "_begin", "_end")

    def __init__(self, cuda: Any, device: int) -> None:
        self.device = device
        self._cuda = cuda
        self._begin = self._mark()
        self._end: Any = None

    def _mark(self) -> Any:
        unused = _unused.get(self.device)
        event = unused.pop() if unused else self._cuda.Event(enable_timing=True)
        event.record(self._cuda.current_stream(self.device))
        return event

    def stop(self) -> None:
        self._end = self._mark()

    def elapsed_ns(self) -> Optional[int]:
        """None while the GPU has not passed the end."""
        if not self._end.query():
            return None
        elapsed = round(self._begin.elapsed_time(self._end) * 1e6)
        _unused.setdefault(self.device, []).extend((self._begin, self._end))
        return max(elapsed, 0)


def start_timer(device: Any) -> Optional[GpuTimer]:
    """A running timer on the stream that `device` works on; None where time is the host's: no GPU in use, a device that is
    none, a stream that is being captured into a graph."""
    cuda = cuda_in_use()
    if cuda is None:
        return None
    try:
        index = _index_of(device, cuda)
        capturing = getattr(cuda, "is_current_stream_capturing", None)
        if index is None or (capturing is not None and capturing()):
            return None
        return GpuTimer(cuda, index)
    except Exception as error:
        recorder.trouble("a GPU span falls back to the host's clock", error)
        return None


def stop_timer(timer: GpuTimer, report: Report) -> None:
    """Ends `timer`; `report` is called with its duration as soon as it is known."""
    try:
        timer.stop()
    except Exception as error:
        recorder.trouble("a GPU span falls back to the host's clock", error)
        report(None)
        return
    with recorder.lock:
        _pending.append((timer, report))
        if len(_pending) > MOST_PENDING:
            _pending.pop(0)[1](None)


def _settle_those_done() -> None:
    with recorder.lock:
        pending = _pending[:]
        _pending.clear()
        for timer, report in pending:
            try:
                elapsed = timer.elapsed_ns()
            except Exception as error:  # the GPU is in an error state; the program gets the error at its next call
                recorder.trouble("a GPU span falls back to the host's clock", error)
                report(None)
                continue
            if elapsed is None:
                _pending.append((timer, report))
            else:
                report(elapsed)


def settle(final: bool = False) -> None:
    """Reports every span that the GPU has finished; when `final`, also the others, after a short wait."""
    if not _pending:
        return
    _settle_those_done()
    deadline = time.monotonic() + PATIENCE_AT_EXIT_S
    while final and _pending and time.monotonic() < deadline:
        time.sleep(0.001)
        _settle_those_done()
    if final:
        with recorder.lock:
            while _pending:
                _pending.pop(0)[1](None)


def _forget() -> None:
    _pending.clear()
    _unused.clear()


recorder.before_flush.append(settle)
recorder.on_new_run.append(_forget)
