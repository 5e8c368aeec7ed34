"""One training step: `step_context`.

    for step, batch in enumerate(loader):
        with fournex.step_context(step, batch=batch, model=model) as current:
            ...
            current.set_loss(loss)

Step ids never repeat within a process. Programs count their steps from 0 in every epoch and count evaluation apart; such
numbers are continued (the number given stays in the payload as ``given_step``), so that no two steps share an id.
"""

from __future__ import annotations

import operator
import sys
import time
from typing import Any, Dict, Optional

from . import loader_waits, losses, sampled_profiler, shapes
from .events import STEP_KINDS, one_of
from .recorder import new_span_id, recorder
from .system_info import gpu_names, system_info


class Numbering:
    """Converts the step numbers of programs to ids that only grow."""

    def __init__(self) -> None:
        self.last_id = -1
        self.last_given: Optional[int] = None
        self._offsets: Dict[str, int] = {}  # for each kind of step

    def take(self, kind: str, given: Optional[int]) -> int:
        offset = self._offsets.get(kind, 0)
        step_id = self.last_id + 1 if given is None else given + offset
        if step_id <= self.last_id:
            step_id = self.last_id + 1
        self._offsets[kind] = offset if given is None else step_id - given
        self.last_id = step_id
        self.last_given = given
        return step_id

    def expect(self, given: int) -> int:
        """The id of the step called `given`, which is the last one or is still to come."""
        if given == self.last_given:
            return self.last_id
        shift = 0 if self.last_given is None else self.last_id - self.last_given
        return max(given + shift, self.last_id + 1)


numbering = Numbering()
_told_of_gpus = False


def _begin_run() -> None:
    global numbering, _told_of_gpus
    numbering = Numbering()
    _told_of_gpus = False


recorder.on_new_run.append(_begin_run)


def step_id_now(given: Optional[int]) -> Optional[int]:
    """The id for an event that happens now: of the open step of this thread, or of the step that the caller names."""
    step = recorder.thread.step
    if step is not None and (given is None or given == step.given):
        return step["step_id"]
    return None if given is None else numbering.expect(operator.index(given))


class NoStep(dict):
    """What `step_context` yields while recording is off. It is empty and discards assigned values, since a loss holds
    memory; every key is None, so that ``current["span_id"]`` works whether recording is on or off."""

    def __missing__(self, key: Any) -> None:
        return None

    def __enter__(self) -> "NoStep":
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def update(self, *_: Any, **__: Any) -> None:
        return None

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return default

    def set_loss(self, loss: Any) -> None:
        return None

    def set_items(self, items: int) -> None:
        return None


NO_STEP = NoStep()


class Step(dict):
    """A step as a dictionary: step_id, step_kind, span_id, and what the program adds: ``loss``, ``items``, ``epoch``."""

    def __init__(self, given: Optional[int], batch: Any, kind: str, mode: Optional[str], about: Dict[str, Any]) -> None:
        super().__init__()
        self.given = given
        self._batch = batch
        self._kind = kind
        self._mode = mode
        self._about = about  # of the shape snapshot

    def set_loss(self, loss: Any) -> None:
        """A number or a tensor with one element. It does not wait for a tensor on a GPU: see losses.py."""
        self["loss"] = loss

    def set_items(self, items: int) -> None:
        """How many samples, tokens or images the step works on; gives throughput_items_per_sec."""
        self["items"] = items

    def __enter__(self) -> "Step":
        thread = recorder.thread
        described = None if self._batch is None else self._describe()
        self._batch = None
        with recorder.lock:
            step_id = numbering.take(self._kind, self.given)
        span_id = new_span_id(f"step-{step_id}")
        self.update(step_id=step_id, step_kind=self._kind, span_id=span_id)
        if thread.step is None:
            sampled_profiler.step_begins(step_id)
        self._waited = loader_waits.give_to(step_id)
        self._outer, self._outer_span = thread.step, thread.span_id
        thread.step, thread.span_id = self, span_id
        self._start = time.monotonic_ns()
        recorder.emit("step_start", self._payload(), step_id, span_id, self._outer_span, timestamp_ns=self._start)
        if described is not None:
            recorder.emit("shape_snapshot", described, step_id, None, span_id)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        now = time.monotonic_ns()
        thread = recorder.thread
        thread.step, thread.span_id = self._outer, self._outer_span
        if not recorder.active:
            return
        try:
            self._end(kind, now)
        except Exception as trouble:
            recorder.trouble("a step could not be recorded", trouble)
        if self._outer is None:
            sampled_profiler.step_ends(self["step_id"])

    def _end(self, kind: Any, now: int) -> None:
        status = _status_of(kind)
        duration = now - self._start
        payload = self._payload(status=status)
        items = self.get("items")
        seconds = (duration + self._waited) / 1e9
        if items is not None and seconds > 0:
            payload["throughput_items_per_sec"] = round(float(items) / seconds, 6)

        def record(loss: Optional[float]) -> None:
            ended = payload if loss is None else {**payload, "loss": loss}
            level = "info" if status == "ok" else "error" if status == "error" else "warning"
            recorder.emit("step_end", ended, self["step_id"], self["span_id"], self._outer_span, duration, level, None, now)

        losses.record_with(self.get("loss"), record)
        if not _told_of_gpus:
            _tell_of_gpus()
        recorder.flush()

    def _payload(self, **more: Any) -> Dict[str, Any]:
        payload: Dict[str, Any] = {"step_kind": self._kind, **more}
        if self._mode is not None:
            payload["mode"] = self._mode
        if "epoch" in self:
            payload["epoch"] = self["epoch"]
        if self.given is not None and self.given != self["step_id"]:
            payload["given_step"] = self.given
        return payload

    def _describe(self) -> Optional[Dict[str, Any]]:
        try:
            described = shapes.describe_batch(self._batch)
            return {**described, **self._about} if described["shapes"] else None
        except Exception as error:  # a batch of a custom type may do anything when it is inspected
            recorder.trouble("a batch could not be described", error)
            return None


def _status_of(kind: Any) -> str:
    if kind is None:
        return "ok"
    # Ctrl-C, sys.exit, and the end of the data inside of a step.
    return "error" if issubclass(kind, Exception) and not issubclass(kind, StopIteration) else "cancelled"


def _tell_of_gpus() -> None:
    """Records the machine again once the program has begun to use GPUs."""
    global _told_of_gpus
    if "torch" in sys.modules and gpu_names(sys.modules["torch"]):
        _told_of_gpus = True
        recorder.emit("system_info", system_info())


def _name_of(model: Any) -> str:
    """The class of the model itself, inside of torch.compile and of wrappers for data parallelism."""
    for _ in range(4):
        inner = getattr(model, "_orig_mod", None)
        if inner is None and type(model).__name__ in ("DistributedDataParallel", "DataParallel", "FullyShardedDataParallel"):
            inner = getattr(model, "module", None)
        if inner is None:
            break
        model = inner
    return type(model).__name__


def _is_training(given: Optional[bool], model: Any, mode: Optional[str], kind: str) -> bool:
    if given is not None:
        return bool(given)
    if isinstance(getattr(model, "training", None), bool):
        return bool(model.training)
    return (mode or kind) == "train"


def step_context(
    step: Optional[int] = None,
    batch: Any = None,
    *,
    step_kind: str = "train",
    mode: Optional[str] = None,
    model: Any = None,
    model_name: Optional[str] = None,
    precision_mode: Optional[str] = None,
    is_training: Optional[bool] = None,
    epoch: Optional[int] = None,
) -> Any:
    """A context manager around one step; yields a `Step`, a dictionary with step_id, step_kind and span_id (None while recording
    is off).

    `step` is the program's own number (None counts on), `batch` whatever holds the tensors: their shapes are recorded.
    `step_kind` is "train", "eval" or "inference"; ValueError for others. TypeError for a step that is no whole number.
    An exception ends the step with status "error" and is passed on.
    """
    if not recorder.active:
        return NO_STEP
    one_of("step_kind", step_kind, STEP_KINDS)
    about: Dict[str, Any] = {}
    if batch is not None:
        if model_name is not None or model is not None:
            about["model_name"] = str(model_name) if model_name is not None else _name_of(model)
        if precision_mode is not None:
            about["precision_mode"] = str(precision_mode)
        about["is_training"] = _is_training(is_training, model, mode, step_kind)
    one = Step(None if step is None else operator.index(step), batch, step_kind, mode, about)
    if epoch is not None:
        one["epoch"] = operator.index(epoch)
    return one
