"""The loss of a step, without waiting for the GPU that computes it.

Numbers and tensors on the CPU are written into the step_end at once. A tensor on a GPU is copied in the background; when the
copy has arrived, the step_end is written a second time, same span_id and duration, with the loss. The last one counts.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Tuple

from .recorder import recorder

Record = Callable[[Optional[float]], None]

MOST_PENDING = 256

_pending: List[Tuple[Any, Any, Record]] = []  # tensor in pinned memory, CUDA event after the copy, callback


def _start_copy(loss: Any) -> Tuple[Any, Any]:
    torch = sys.modules["torch"]
    there = loss.detach().reshape(())
    here = torch.empty((), dtype=there.dtype, pin_memory=True)
    here.copy_(there, non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record(torch.cuda.current_stream(there.device))
    return here, arrived


def record_with(loss: Any, record: Record) -> None:
    """Calls `record` with the loss, and first without it when the copy has not finished yet."""
    if loss is None:
        record(None)
        return
    try:
        if getattr(loss, "is_cuda", False):
            copy = _start_copy(loss)
        else:
            detach = getattr(loss, "detach", None)
            value = float(loss if detach is None else detach())
            record(value)
            return
    except Exception as error:
        recorder.trouble("a loss could not be read", error)
        record(None)
        return
    record(None)
    with recorder.lock:
        _pending.append((*copy, record))
        del _pending[:-MOST_PENDING]


def settle(final: bool = False) -> None:
    """Records the losses that have arrived."""
    if not _pending:
        return
    with recorder.lock:
        while _pending and _pending[0][1].query():
            here, _, record = _pending.pop(0)
            record(float(here))
        if final:
            _pending.clear()


recorder.before_flush.append(settle)
recorder.on_new_run.append(_pending.clear)
