"""Functions to begin, end and inspect a recording, and to record the program's own events."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Dict, List, Optional

from . import config
from .events import EVENT_LEVELS, EVENT_TYPES, Event, make_event, one_of
from .recorder import new_span_id, recorder


def init(**keywords: Any) -> Dict[str, Any]:
    """Begins to record and returns the settings; a keyword overrides ``FRX_*`` in the environment, which overrides the default.

    Keywords (variable, default): job_name (FRX_JOB_NAME, "unknown-job"), output_dir (FRX_OUTPUT_DIR, "./traces"),
    raw_output_dir, derived_output_dir, sample_interval_ms (FRX_SAMPLE_INTERVAL_MS, 1000), run_id (FRX_RUN_ID, "run-" and
    12 hexadecimal digits), raw_trace_path (FRX_RAW_TRACE_PATH, "<raw_output_dir>/<run_id>.jsonl"), derived_summary_path
    (FRX_DERIVED_SUMMARY_PATH), stream_trace (FRX_STREAM_TRACE, on under FRX_AUTO_PERSIST), local_event_limit (events kept in
    memory: 1000 beside a file, else 100000), enable_cupti and cupti_debug_mode (accepted, without effect).

    Without streaming, events are only kept in memory: `get_local_events`, `persist_local_trace`. Raises TypeError for a
    unknown keyword. A file that cannot be written is a warning, never an exception.
    """
    settings = config.resolve(keywords, os.environ)
    recorder.start(settings)
    _configure_profiler_from_environment()
    if not _is_worker():
        recorder.introduce()
        recorder.write()
    return get_runtime_config()


def _is_worker() -> bool:
    """Whether this process was started by `multiprocessing`; these write only when they record events."""
    process = sys.modules.get("multiprocessing.process")
    parent_process = getattr(process, "parent_process", None)
    return recorder.is_child or (parent_process is not None and parent_process() is not None)


def _configure_profiler_from_environment() -> None:
    from . import sampled_profiler

    sampled_profiler.configure_from_environment(os.environ)


def start_if_collected() -> None:
    """Called once when the package is imported: `frx collect` needs only the import in the program."""
    if config.wants_auto_persist():
        try:
            recorder.start(config.resolve({}, os.environ))
            _configure_profiler_from_environment()
        except Exception as error:
            recorder.trouble("cannot start recording", error)


def shutdown() -> None:
    """Writes the remaining events and stops recording. Also done at exit."""
    recorder.stop()


def flush() -> None:
    """Writes all events recorded so far to the file. Does not wait for the GPU."""
    if recorder.active:
        recorder.flush()


def get_local_events() -> List[Event]:
    """The latest events of this process, oldest first; at most `local_event_limit` of them."""
    return [json.loads(line) for line in recorder.lines()]


def clear_local_events() -> None:
    """Removes the events in memory; the file keeps its lines."""
    recorder.clear_events()


def get_runtime_config() -> Dict[str, Any]:
    """The current settings, with `active` and `trace_path` (None while no line was written)."""
    return dict(recorder.settings, active=recorder.active, trace_path=recorder.trace_path)


def build_runtime_event(
    event_type: str,
    payload: Optional[Dict[str, Any]] = None,
    *,
    level: str = "info",
    gpu_id: Optional[int] = None,
    step_id: Optional[int] = None,
    span_id: Optional[str] = None,
    parent_span_id: Optional[str] = None,
    duration_ns: Optional[int] = None,
    timestamp_ns: Optional[int] = None,
) -> Event:
    """An event of this process and thread, now (or at `timestamp_ns`, monotonic ns). Raises ValueError as `make_event` does."""
    return make_event(
        event_type,
        dict(payload or {}),
        event_id=f"{recorder._id_prefix}{next(recorder._ids):016x}",
        timestamp_ns=time.monotonic_ns() if timestamp_ns is None else timestamp_ns,
        pid=recorder.pid,
        tid=recorder.thread.tid,
        job_id=recorder.settings["job_name"],
        run_id=recorder.settings["run_id"],
        level=level,
        gpu_id=gpu_id,
        step_id=step_id,
        span_id=span_id,
        parent_span_id=parent_span_id,
        duration_ns=duration_ns,
    )


def emit_event(event: Event) -> None:
    """Records an event made by `build_runtime_event` or `make_event`; nothing happens while recording is off.

    Raises TypeError for what is no dictionary, ValueError for an unknown type or level.
    """
    if not recorder.active:
        return
    if not isinstance(event, dict):
        raise TypeError(f"emit_event: expected a dictionary, found {type(event).__name__}")
    one_of("event_type", event.get("event_type"), EVENT_TYPES)
    one_of("level", event.get("level"), EVENT_LEVELS)
    recorder.add(event)


def begin_span(
    event_type: str,
    payload: Optional[Dict[str, Any]] = None,
    *,
    step_id: Optional[int] = None,
    parent_span_id: Optional[str] = None,
    gpu_id: Optional[int] = None,
) -> Optional[str]:
    """Opens a span on the host's clock and returns its id (None while recording is off); `end_span` closes it.

    The open record has duration 0, the close record the duration in ns; both carry the id.
    """
    if not recorder.active:
        return None
    one_of("event_type", event_type, EVENT_TYPES)
    span_id = new_span_id("span")
    opened = (time.monotonic_ns(), event_type, dict(payload or {}), step_id, parent_span_id, gpu_id)
    recorder.open_spans[span_id] = opened
    _record_span(span_id, opened, opened[0], 0, "info")
    return span_id


def end_span(span_id: Optional[str], payload: Optional[Dict[str, Any]] = None, *, level: str = "info") -> None:
    """Closes a span of `begin_span`; `payload` is added to that of its open record. Unknown ids are ignored."""
    opened = recorder.open_spans.pop(span_id, None) if span_id is not None else None
    if opened is None or not recorder.active:
        return
    one_of("level", level, EVENT_LEVELS)
    now = time.monotonic_ns()
    start, event_type, before, *rest = opened
    _record_span(span_id, (start, event_type, {**before, **(payload or {})}, *rest), now, now - start, level)


def _record_span(span_id: Optional[str], opened: Any, now: int, duration: int, level: str) -> None:
    _, event_type, payload, step_id, parent_span_id, gpu_id = opened
    event = build_runtime_event(
        event_type,
        payload,
        level=level,
        gpu_id=gpu_id,
        step_id=step_id,
        span_id=span_id,
        parent_span_id=parent_span_id,
        duration_ns=duration,
        timestamp_ns=now,
    )
    recorder.add(event)
