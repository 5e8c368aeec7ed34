"""For the Trainer of Lightning (the package ``lightning``, or ``pytorch_lightning``):

    from fournex.integrations.lightning import FournexCallback
    trainer = Trainer(..., callbacks=[FournexCallback()])

Records every training batch as a step with its forward, backward and optimizer phases and its loss, validation batches as steps
of evaluation, and the waits of the training loader.
"""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

import fournex
from fournex.dataloader import instrument_iterator_in_place
from fournex.integrations._open import Open
from fournex.recorder import recorder


def _loaders(given: Any) -> list:
    """The loaders inside of the loader of a trainer: one, several, or a CombinedLoader."""
    inner = getattr(given, "flattened", None)  # CombinedLoader
    if inner is None:
        inner = list(given.values()) if isinstance(given, dict) else given
    return list(inner) if isinstance(inner, (list, tuple)) else [inner]


class FournexCallback(Callback):
    """Records while recording is on (`fournex.init`, `frx collect`); otherwise each callback returns at once."""

    def __init__(self) -> None:
        super().__init__()
        self._open = Open()
        self._step: Any = None

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        # The trainer has made its iterator before any callback could reach the loader; it holds the fetcher. That name is not
        # public: where there is none, the loaders are measured from their next epoch on.
        fetcher = getattr(getattr(trainer, "fit_loop", None), "_data_fetcher", None)
        if not instrument_iterator_in_place(fetcher, "train"):
            for loader in _loaders(getattr(trainer, "train_dataloader", None)):
                fournex.instrument_in_place(loader, "train")

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if recorder.active:
            step = fournex.step_context(batch_idx, batch=batch, model=pl_module, epoch=trainer.current_epoch)
            self._step = self._open.enter("step", step)
            self._open.enter("forward", fournex.phase("forward"))

    def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
        self._open.leave("forward")
        if recorder.active:
            if self._step is not None:
                self._step.set_loss(loss)
            self._open.enter("backward", fournex.phase("backward"))

    def on_after_backward(self, trainer: Any, pl_module: Any) -> None:
        self._open.leave("backward")

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any, *_: Any) -> None:
        if recorder.active:
            self._open.enter("optimizer", fournex.phase("optimizer"))

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, *_: Any) -> None:
        self._end()

    def on_validation_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, *_: Any) -> None:
        if recorder.active:
            self._open.enter("step", fournex.step_context(batch_idx, batch=batch, model=pl_module, step_kind="eval"))

    def on_validation_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, *_: Any) -> None:
        self._end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._end(exception)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._end()
        fournex.flush()

    def _end(self, error: Any = None) -> None:
        self._open.leave_all(error)
        self._step = None
