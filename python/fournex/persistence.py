"""Traces and summaries as files, for programs that do not stream: `persist_local_trace` and its relatives."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, List, Optional

from .events import Event, line_of
from .recorder import recorder
from .runtime import get_local_events


def _write(path: str, text: str) -> str:
    """Replaces `path` atomically: a reader sees the old file or the new one. Raises OSError."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    unfinished = f"{path}.{os.getpid()}.tmp"
    try:
        with open(unfinished, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise
    return path


def persist_local_trace(path: Optional[str] = None, events: Optional[Iterable[Event]] = None) -> str:
    """Writes `events` (default: those in memory) as lines to `path` (default: the raw_trace_path of the run) and returns it.

    When the run streams to that very file, it is flushed instead: the file has more events than the memory. Raises OSError.
    """
    target = path or recorder.settings["raw_trace_path"]
    if events is None and recorder.trace_path is not None and os.path.abspath(target) == recorder.trace_path:
        recorder.flush()
        return target
    return _write(target, "".join(recorder.lines() if events is None else map(line_of, events)))


def persist_run_summary(path: Optional[str] = None, events: Optional[Iterable[Event]] = None) -> str:
    """Lets frx analyse `events` (default: those in memory), writes the summary as JSON to `path` (default: the
    derived_summary_path of the run) and returns it. Raises OSError, and `fournex.analysis.FrxUnavailable` without frx."""
    from .analysis import summarize_run_with_steady_state

    summary = summarize_run_with_steady_state(get_local_events() if events is None else events)
    return _write(path or recorder.settings["derived_summary_path"], json.dumps(summary, indent=2) + "\n")


persist_run_with_steady_state_summary = persist_run_summary


def persist_run_artifacts(events: Optional[List[Event]] = None) -> Dict[str, str]:
    """Trace and summary: ``{"raw_trace": path, "derived_summary": path}``."""
    return {"raw_trace": persist_local_trace(events=events), "derived_summary": persist_run_summary(events=events)}


def load_run_record(path: str) -> List[Dict[str, Any]]:
    """The events of a trace file in order; blank and unreadable lines are left out. Raises OSError."""
    events = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                events.append(event)
    return events
