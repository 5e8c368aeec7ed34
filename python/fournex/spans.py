"""Intervals inside a step: phases, copies and waits, each a context manager.

A span is written twice with one span_id: when it opens, with duration 0, and when it closes. Phases and copies on a GPU are
timed by the GPU (gpu_timing.py) and closed when it has passed their end, which may be after the step_end of their step; the
timestamp of a close record is nevertheless the host's time of closing.
"""

from __future__ import annotations

import time
from typing import Any, Dict, Optional

from . import gpu_timing
from .events import COPY_KINDS, WAIT_KINDS, one_of, text_of
from .recorder import new_span_id, recorder
from .steps import step_id_now


class Nothing:
    """The span while recording is off."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None


NOTHING = Nothing()


class Span:
    """One open record, one close record. The value of `with ... as` is the span id."""

    __slots__ = ("_type", "_payload", "_text", "_step", "_parent", "_device", "_on_gpu", "_timer", "_start", "_outer", "span_id", "step_id")

    def __init__(
        self, event_type: str, name: str, payload: Dict[str, Any], step: Optional[int], parent: Optional[str], device: Any, on_gpu: bool
    ) -> None:
        self._type = event_type
        self._payload = payload
        self._step = step
        self._parent = parent
        self._device = device
        self._on_gpu = on_gpu
        self.span_id = new_span_id(name)

    def __enter__(self) -> str:
        thread = recorder.thread
        self.step_id = step_id_now(self._step)
        self._outer = thread.span_id
        if self._parent is None:
            self._parent = self._outer
        thread.span_id = self.span_id
        self._timer = gpu_timing.start_timer(self._device) if self._on_gpu else None
        if self._timer is not None and "device" in self._payload:
            self._payload["device"] = f"cuda:{self._timer.device}"
        self._text = text_of(self._payload)
        self._start = time.monotonic_ns()
        self._record(self._text, 0, self._start, "info")
        return self.span_id

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        now = time.monotonic_ns()
        recorder.thread.span_id = self._outer
        if not recorder.active:
            return
        level = "info" if kind is None else "error"
        if self._timer is None:
            self._record(self._text, now - self._start, now, level)
        else:
            gpu_timing.stop_timer(self._timer, lambda on_gpu: self._close(on_gpu, now, level))

    def _close(self, on_gpu: Optional[int], now: int, level: str) -> None:
        """With the GPU's time, or the host's when there is none; `device` names the clock."""
        if on_gpu is not None:
            self._record(self._text, on_gpu, now, level)
            return
        self._timer = None
        if "device" in self._payload:
            self._payload["device"] = "cpu"
        self._record(text_of(self._payload), now - self._start, now, level)

    def _record(self, payload: str, duration: int, now: int, level: str) -> None:
        gpu = None if self._timer is None else self._timer.device
        recorder.emit(self._type, payload, self.step_id, self.span_id, self._parent, duration, level, gpu, now)


def phase(name: str, *, step: Optional[int] = None, parent_span_id: Optional[str] = None, device: Any = None) -> Any:
    """A named part of a step: "forward", "backward", "optimizer" are known to the analysis, others are shown by name.

    Without `step` it belongs to the open step of this thread. With a GPU in use and `device` None or a GPU, the duration is the
    GPU's; "cpu" selects the host's clock. Several spans of one name in one step (gradient accumulation) add up.
    """
    if not recorder.active:
        return NOTHING
    payload = {"phase_name": str(name), "device": "cpu" if device is None else str(device)}
    return Span("phase_span", str(name), payload, step, parent_span_id, device, True)


time_phase = phase
time_region = phase


def time_memcpy(
    copy_kind: str = "h2d",
    step: Optional[int] = None,
    parent_span_id: Optional[str] = None,
    src_device: Any = None,
    dst_device: Any = None,
    num_bytes: Optional[int] = None,
    non_blocking: Optional[bool] = None,
    device: Any = None,
) -> Any:
    """A copy between host and GPU: "h2d", "d2h" or "d2d"; `num_bytes` in bytes. Timed as `phase` is.

    Raises ValueError for another kind of copy.
    """
    if not recorder.active:
        return NOTHING
    payload: Dict[str, Any] = {"copy_kind": one_of("copy_kind", copy_kind, COPY_KINDS)}
    if src_device is not None:
        payload["src_device"] = str(src_device)
    if dst_device is not None:
        payload["dst_device"] = str(dst_device)
    if num_bytes is not None:
        payload["bytes"] = int(num_bytes)
    if non_blocking is not None:
        payload["non_blocking"] = bool(non_blocking)
    return Span("memcpy_span", copy_kind, payload, step, parent_span_id, device, True)


def sync_wait(
    wait_kind: str = "unknown", *, reason: Optional[str] = None, device: Any = None, step: Optional[int] = None
) -> Any:
    """An interval in which Python waits for the GPU or for other ranks, on the host's clock.

    `wait_kind`: "cuda_synchronize", "stream_synchronize", "item" (reading a value such as ``loss.item()``), "barrier" or
    "unknown"; ValueError for others. ::

        with fournex.sync_wait("item", reason="logging the loss"):
            value = loss.item()
    """
    if not recorder.active:
        return NOTHING
    payload: Dict[str, Any] = {"wait_kind": one_of("wait_kind", wait_kind, WAIT_KINDS)}
    if reason is not None:
        payload["reason"] = str(reason)
    if device is not None:
        payload["device"] = str(device)
    return Span("sync_wait", "sync", payload, step, None, device, False)
