"""A workload: a Python file with `get_model_and_input()`, and one iteration of it.

    def get_model_and_input():                 # an nn.Module, and its input: a tensor, a tuple or list of arguments,
        return model, x                        # or a dictionary of keyword arguments

    train = True                               # optional: training mode, gradients, a backward; else eval and no_grad
    def step(model, inputs): ...               # optional: one iteration, instead of calling the model
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple


class WorkloadError(Exception):
    """The workload cannot be run, and why."""


def load_module(name: str) -> ModuleType:
    """The module of a path or a dotted name. Files beside it can be imported by it. Raises WorkloadError when there is none, and
    what the module raises."""
    is_path = name.endswith(".py") or os.sep in name or os.path.isfile(name)
    if not is_path:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
                raise WorkloadError(f"there is no file and no module {name}") from None
            raise
    if not os.path.isfile(name):
        raise WorkloadError(f"there is no file {name}")
    path = os.path.abspath(name)
    sys.path.insert(0, os.path.dirname(path))
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(stem, path)
    if spec is None or spec.loader is None:
        raise WorkloadError(f"{name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module  # what the file pickles or compiles is found by this name
    spec.loader.exec_module(module)
    return module


def stem_of(name: str) -> str:
    """``examples/conv_block.py`` and ``examples.conv_block`` are both ``conv_block``."""
    return os.path.basename(name)[:-3] if name.endswith(".py") else os.path.basename(name).rsplit(".", 1)[-1]


def call(model: Any, inputs: Any) -> Any:
    """`model` called with a tensor, a tuple or list of arguments, or a dictionary of keyword arguments."""
    if isinstance(inputs, dict):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, (tuple, list)) else model(inputs)


def input_shapes(inputs: Any, name: str = "input") -> Dict[str, List[int]]:
    """The shape of each tensor: of one tensor as "input", of several by position or keyword, of nested ones as "0.1"."""
    if hasattr(inputs, "shape"):
        return {name: [int(size) for size in inputs.shape]}
    items = inputs.items() if isinstance(inputs, dict) else enumerate(inputs) if isinstance(inputs, (tuple, list)) else ()
    shapes: Dict[str, List[int]] = {}
    for key, item in items:
        shapes.update(input_shapes(item, str(key) if name == "input" else f"{name}.{key}"))
    return shapes


def _outputs_with_gradient(output: Any) -> Iterator[Any]:
    import torch

    if isinstance(output, torch.Tensor):
        if output.requires_grad:
            yield output
    elif isinstance(output, dict):
        for item in output.values():
            yield from _outputs_with_gradient(item)
    elif isinstance(output, (tuple, list)):
        for item in output:
            yield from _outputs_with_gradient(item)


@dataclass
class Workload:
    """What is run. `model`: compiled, when a backend was asked for; `eager`: the module that the workload gave."""

    name: str
    eager: Any
    model: Any
    inputs: Any
    train: bool = False
    step: Optional[Callable[[Any, Any], Any]] = None

    def once(self, model: Any = None) -> Any:
        """One iteration, of `model` where another one is given. Raises what the workload raises."""
        import torch

        used = self.model if model is None else model
        with torch.set_grad_enabled(self.train):
            if self.step is not None:
                return self.step(used, self.inputs)
            if not self.train:
                return call(used, self.inputs)
            return self._forward_and_backward(used)

    def _forward_and_backward(self, model: Any) -> Any:
        """The loss is the sum of all outputs: its gradient costs next to nothing, and every backward runs."""
        self.eager.zero_grad(set_to_none=True)
        output = call(model, self.inputs)
        losses = [one.sum() for one in _outputs_with_gradient(output)]
        if not losses:
            raise WorkloadError(f"{self.name}: train is set, and no output of the model has a gradient; define step(model, inputs)")
        sum(losses[1:], losses[0]).backward()
        return output


def _given(module: ModuleType, name: str) -> Tuple[Any, Any]:
    function = getattr(module, "get_model_and_input", None)
    if not callable(function):
        raise WorkloadError(f"{name} has no get_model_and_input()")
    given = function()
    if not (isinstance(given, tuple) and len(given) == 2):
        raise WorkloadError(f"{name}: get_model_and_input() gives (model, input), not {type(given).__name__}")
    return given[0], given[1]


def _check(model: Any, inputs: Any, name: str) -> None:
    import torch

    if not isinstance(model, torch.nn.Module):
        raise WorkloadError(f"{name}: the model is an nn.Module, not {type(model).__name__}")
    if not isinstance(inputs, (torch.Tensor, tuple, list, dict)):
        raise WorkloadError(f"{name}: the input is a tensor, a tuple, a list or a dictionary, not {type(inputs).__name__}")
    if isinstance(inputs, dict) and not all(isinstance(key, str) for key in inputs):
        raise WorkloadError(f"{name}: a dictionary of inputs has the names of arguments as its keys")


def _compiled(model: Any, backend: Optional[str]) -> Any:
    import torch

    if backend is None:
        return model
    if not hasattr(torch, "compile"):
        raise WorkloadError(f"--compile-backend {backend}: PyTorch {torch.__version__} has no torch.compile, which came with 2.0")
    try:
        return torch.compile(model, backend=backend)
    except Exception as error:  # nothing is compiled yet: it is the name that is wrong
        raise WorkloadError(f"--compile-backend {backend}: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from None


def prepare(name: str, backend: Optional[str] = None) -> Workload:
    """Imports the workload, which may register `backend`, makes its model, and compiles it with torch.compile when there is a backend.

    Raises WorkloadError when it does not keep to the contract, and what the workload raises."""
    module = load_module(name)
    model, inputs = _given(module, name)
    _check(model, inputs, name)
    train = bool(getattr(module, "train", False))
    model.train(train)
    return Workload(stem_of(name), model, _compiled(model, backend), inputs, train, getattr(module, "step", None))
