"""The event model: the content of one line of ``raw/trace.jsonl``.

``data/schemas/run_event_v0.json`` is the same as a JSON Schema, with the meaning and unit of every field::

    {"schema_version":"0.1.0","event_id":"evt-...","timestamp_ns":81230,"pid":7,"tid":7,"job_id":"my-run",
     "run_id":"run-0123456789ab","event_type":"step_end","event_source":"python_sdk","level":"info",
     "payload":{"step_kind":"train","status":"ok"},"gpu_id":null,"step_id":3,"span_id":"step-3-0a1b2c3d",
     "parent_span_id":null,"duration_ns":100250}
"""

from __future__ import annotations

import json
import math
from typing import Any, Callable, Dict, Optional

SCHEMA_VERSION = "0.1.0"

EVENT_TYPES = (
    "gpu_sample",
    "step_start",
    "step_end",
    "phase_span",
    "dataloader_span",
    "memcpy_span",
    "shape_snapshot",
    "sync_wait",
    "profiler_window",
    "system_info",
    "warning_annotation",
)
EVENT_SOURCES = ("python_sdk", "native_engine")
EVENT_LEVELS = ("debug", "info", "warning", "error")

STEP_KINDS = ("train", "eval", "inference")
LOADER_STAGES = ("next", "collate", "transfer_ready")
COPY_KINDS = ("h2d", "d2h", "d2d")
WAIT_KINDS = ("cuda_synchronize", "stream_synchronize", "item", "barrier", "unknown")

Event = Dict[str, Any]


def one_of(name: str, value: Any, allowed: tuple) -> Any:
    """`value`, which must be one of `allowed`; raises ValueError that names them."""
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(allowed)}, found {value!r}")
    return value


def make_event(
    event_type: str,
    payload: Dict[str, Any],
    *,
    event_id: str,
    timestamp_ns: int,
    pid: int,
    tid: int,
    job_id: str,
    run_id: str,
    event_source: str = "python_sdk",
    level: str = "info",
    gpu_id: Optional[int] = None,
    step_id: Optional[int] = None,
    span_id: Optional[str] = None,
    parent_span_id: Optional[str] = None,
    duration_ns: Optional[int] = None,
) -> Event:
    """One event with every field of the envelope given.

    `timestamp_ns` is on the monotonic clock and `duration_ns` is set only for closed spans and finished steps; both in ns.
    Raises ValueError for an unknown type, source or level. `build_runtime_event` fills most of it.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "event_id": event_id,
        "timestamp_ns": timestamp_ns,
        "pid": pid,
        "tid": tid,
        "job_id": job_id,
        "run_id": run_id,
        "event_type": one_of("event_type", event_type, EVENT_TYPES),
        "event_source": one_of("event_source", event_source, EVENT_SOURCES),
        "level": one_of("level", level, EVENT_LEVELS),
        "payload": payload,
        "gpu_id": gpu_id,
        "step_id": step_id,
        "span_id": span_id,
        "parent_span_id": parent_span_id,
        "duration_ns": duration_ns,
    }


# A step id, a duration or a count may come as a number of NumPy: a value that is no JSON becomes text rather than an exception.
def _as_json(value: Any) -> Any:
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else str(value)


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_as_json).encode


def _finite(value: Any, depth: int = 0) -> Any:
    """`value` with NaN and infinities as text ("nan", "inf", "-inf"), since JSON has no such numbers."""
    if depth > 50:
        raise ValueError("nested deeper than an event may be")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _finite(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one, depth + 1) for one in value]
    return value


def text_of(value: Any) -> str:
    """`value` as JSON on one line, pure ASCII. Raises ValueError for a value that contains itself."""
    try:
        return _encode(value)
    except ValueError:
        return _encode(_finite(value))


def line_of(event: Event) -> str:
    """The line of the file for `event`, with its line end."""
    return text_of(event) + "\n"


# Text as JSON; the function that the encoder itself uses, in C where there is one.
quoted: Callable[[str], str] = getattr(json.encoder, "encode_basestring_ascii", json.dumps)
