"""NVTX ranges that always close, and the hooks that put them around the modules of a model.

A forward hook is not called when `forward` raises, so a range that a module opened may be left behind. Whoever closes a range of
this thread closes all that was opened inside of it.
"""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Mapping, Optional

from .cuda_driver import CudaDriver

MEASURE = "frx::measure#"
MODULE = "nn.Module: "
UNIQUE = "layer::unique::"
DUPLICATE = "layer::duplicate::"


class RangeStack:
    """The open ranges of each thread; NVTX nests them by thread."""

    def __init__(self, driver: CudaDriver) -> None:
        self._driver = driver
        self._of_thread = threading.local()

    def _open(self) -> List[Any]:
        if not hasattr(self._of_thread, "open"):
            self._of_thread.open = []
        return self._of_thread.open

    def push(self, text: str, owner: Any) -> None:
        self._driver.push(text)
        self._open().append(owner)

    def close(self, owner: Any) -> None:
        """Closes the innermost range of `owner` and what was left open inside of it; nothing when it has none."""
        stack = self._open()
        while owner in stack:
            last = stack.pop()
            self._driver.pop()
            if last is owner:
                return


def layer_texts(partition: Mapping[str, str]) -> Dict[str, str]:
    """The range of each layer, by the name of its module. `partition`: {duplicate: its unique one}, or {unique: unique}."""
    texts = {unique: UNIQUE + unique for unique in partition.values()}
    texts.update({label: DUPLICATE + label for label, unique in partition.items() if label != unique})
    return texts


class ModuleRanges:
    """While entered, the forward of modules runs in NVTX ranges; afterwards the model has nothing of it any more.

    `modules`: a range ``nn.Module: encoder.layers.0`` around each module, the model itself by its class. `partition`: ranges
    ``layer::unique::LABEL`` and ``layer::duplicate::LABEL`` around the modules that it names. Raises ValueError for a label that
    is no module of `model`."""

    def __init__(self, model: Any, stack: RangeStack, modules: bool, partition: Optional[Mapping[str, str]]) -> None:
        self._model = model
        self._stack = stack
        self._layers = layer_texts(partition or {})
        self._modules = modules
        self._handles: List[Any] = []
        unknown = sorted(set(self._layers) - {name for name, _ in model.named_modules()})
        if unknown:
            raise ValueError("the partition names layers that the model does not have: " + ", ".join(unknown))

    def _texts_of(self, name: str, module: Any) -> List[str]:
        texts = [self._layers[name]] if name in self._layers else []
        return texts + [MODULE + (name or type(module).__name__)] if self._modules else texts

    def __enter__(self) -> "ModuleRanges":
        try:
            for name, module in self._model.named_modules():
                texts = self._texts_of(name, module)
                if texts:
                    self._add(module, texts)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _add(self, module: Any, texts: List[str]) -> None:
        owners = [object() for _ in texts]

        def before(_module: Any, _inputs: Any) -> None:
            for text, owner in zip(texts, owners):
                self._stack.push(text, owner)

        def after(_module: Any, _inputs: Any, _output: Any) -> None:
            self._stack.close(owners[0])

        self._handles.append(module.register_forward_pre_hook(before))
        self._handles.append(module.register_forward_hook(after))
