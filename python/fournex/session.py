"""The object form of the SDK: ``session = AutopilotSession.from_env()``."""

from __future__ import annotations

import os
from typing import Any

from . import config, dataloader, runtime, spans, steps
from .recorder import recorder

# What makes a session record: `frx collect` sets the first ones.
_ASKED_FOR_BY = ("FRX_AUTO_PERSIST", "FRX_STREAM_TRACE")


class AutopilotSession:
    """Steps and spans of a training loop.

        with session.step(step_id=global_step, step_kind="train"):
            with session.dataloader_span():
                batch = next(batches)
            with session.forward_span():
                loss = model(batch)

    Made by `from_env`, or with the keywords of `init` to record in any case.
    """

    def __init__(self, **keywords: Any) -> None:
        runtime.init(**keywords)

    @classmethod
    def from_env(cls) -> "AutopilotSession":
        """A session that records when the environment requests it (`frx collect` does) or `init` was called; otherwise it costs
        next to nothing and records nothing."""
        session = cls.__new__(cls)
        if not recorder.active and any(config.is_on(os.environ.get(name)) for name in _ASKED_FOR_BY):
            runtime.init()
        return session

    def step(self, step_id: Any = None, step_kind: str = "train", **keywords: Any) -> Any:
        """As `step_context`."""
        return steps.step_context(step_id, step_kind=step_kind, **keywords)

    def dataloader_span(self) -> Any:
        """Around the fetch of a batch; before a step it counts for the step that follows."""
        return dataloader.dataloader_span("next")

    def forward_span(self) -> Any:
        """As `phase("forward")`."""
        return spans.phase("forward")

    def backward_span(self) -> Any:
        """As `phase("backward")`."""
        return spans.phase("backward")

    def optimizer_span(self) -> Any:
        """As `phase("optimizer")`."""
        return spans.phase("optimizer")

    def memcpy_span(self, copy_kind: str = "h2d", **keywords: Any) -> Any:
        """As `time_memcpy`."""
        return spans.time_memcpy(copy_kind, **keywords)

    def sync_wait(self, wait_kind: str = "unknown", **keywords: Any) -> Any:
        """As `fournex.sync_wait`."""
        return spans.sync_wait(wait_kind, **keywords)

    @property
    def knobs(self) -> Any:
        """The `fournex.tune.Knobs` of this run, without values of the program's own; made once. Raises ValueError as `Knobs.from_env` does."""
        knobs = self.__dict__.get("_knobs")
        if knobs is None:
            from .tune import Knobs

            knobs = self.__dict__["_knobs"] = Knobs.from_env()
        return knobs

    def flush(self) -> None:
        """Writes the recorded events to the file."""
        runtime.flush()
