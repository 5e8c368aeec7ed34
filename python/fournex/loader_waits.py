"""Waits for the next batch belong to the step that uses it.

Programs fetch a batch before they open the step that works on it, so a wait is kept until the next step of its thread begins,
and gets that step's id; several batches for one step (gradient accumulation) add up. A batch fetched inside of a step delays
that step and is written at once. Waits that no step ever follows are written without a step id when the run ends: the analysis
leaves them out.
"""

from __future__ import annotations

from typing import Any, Dict, List

from .recorder import recorder

# Beyond this number of waits without a step, the oldest are written without one.
MOST_PENDING = 1024


def waited(payload: Dict[str, Any], start_ns: int, end_ns: int) -> None:
    """Records a wait of this thread from `start_ns` to `end_ns`, monotonic."""
    thread = recorder.thread
    if thread.step is not None:
        _write(payload, start_ns, end_ns, thread.step["step_id"], thread.step["span_id"])
        return
    thread.waits.append((payload, start_ns, end_ns))
    if len(thread.waits) > MOST_PENDING:
        oldest, start, end = thread.waits.pop(0)
        _write(oldest, start, end, None, None)


def give_to(step_id: int) -> int:
    """The waits of this thread now belong to `step_id`; returns their sum in ns."""
    waits, recorder.thread.waits = recorder.thread.waits, []
    for payload, start, end in waits:
        _write(payload, start, end, step_id, None)
    return sum(end - start for _, start, end in waits)


def _write(payload: Dict[str, Any], start: int, end: int, step_id: Any, parent: Any) -> None:
    recorder.emit("dataloader_span", payload, step_id, None, parent, end - start, timestamp_ns=end)


def _write_unused(final: bool) -> None:
    """At the end of the run, those of the thread that ends it."""
    if final:
        waits: List[Any] = recorder.thread.waits
        recorder.thread.waits = []
        for payload, start, end in waits:
            _write(payload, start, end, None, None)


recorder.before_flush.append(_write_unused)
