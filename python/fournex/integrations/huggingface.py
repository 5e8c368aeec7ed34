"""For the Trainer of Hugging Face transformers:

    from fournex.integrations.huggingface import FournexCallback
    trainer = Trainer(..., callbacks=[FournexCallback()])

Records every optimizer step (its forward and backward passes are one call of the Trainer, so they are not distinguished), the
optimizer where the Trainer has a callback for it, and the waits of the training loader.
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

import fournex
from fournex.integrations._open import Open
from fournex.recorder import recorder


class FournexCallback(TrainerCallback):
    """Records while recording is on (`fournex.init`, `frx collect`); otherwise each callback returns at once."""

    def __init__(self) -> None:
        self._open = Open()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        fournex.instrument_in_place(kwargs.get("train_dataloader"), "train")

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if recorder.active:
            self._open.enter("step", fournex.step_context(state.global_step))

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if recorder.active:
            self._open.enter("optimizer", fournex.phase("optimizer"))

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._open.leave("optimizer")

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._open.leave("optimizer")
        self._open.leave("step")

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._open.leave_all()
        fournex.flush()
