"""Applies a plan to a model, and takes it back."""

from __future__ import annotations

import fnmatch
from typing import Any, Callable, Dict, List, Optional, Tuple

from .plan import Change, Plan, plan_in_environment

# torch.compile wraps a module into another one, whose names begin with this.
COMPILED_PREFIX = "_orig_mod."
_DIMENSIONS = {"channels_last": 4, "channels_last_3d": 5}


class Applied:
    """What a plan changed in a model. `remove` takes it back: memory formats of parameters and buffers, and hooks.

    `plan` is None, and nothing was changed, where there is no plan. `matched` are the names of the modules that were
    changed ("" is the model itself), in the order of named_modules().
    """

    def __init__(self, plan: Optional[Plan]) -> None:
        self.plan = plan
        self.matched: List[str] = []
        self._hooks: List[Any] = []
        self._strides: List[Tuple[Any, Tuple[int, ...]]] = []  # a tensor that was converted, and its strides before

    def remove(self) -> None:
        """Undoes everything. A second call does nothing."""
        hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook.remove()
        strides, self._strides = self._strides, []
        for tensor, before in reversed(strides):
            _restride(tensor, before)

    def __enter__(self) -> "Applied":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.remove()

    # -- changes -----------------------------------------------------------------------------------------------------

    def _change(self, modules: List[Tuple[str, Any]], change: Change) -> None:
        matched = [(name, module) for name, module in modules if any(fnmatch.fnmatchcase(name, one) for one in change.modules)]
        if change.kind == "contiguous":
            for name, module in matched:
                self._matched(name)
                self._hook(module, lambda tensor: tensor.contiguous(), at=change.at)
            return
        names = {name for name, _ in matched}
        for name, module in matched:
            self._matched(name)
            self._convert(module, change.format)
            # The input of a module inside of a matched one has been converted already, where its producer keeps the format.
            if change.inputs and not _has_parent_in(name, names):
                self._hook(module, _converter(change.format), at="input")

    def _matched(self, name: str) -> None:
        if name not in self.matched:
            self.matched.append(name)

    def _convert(self, module: Any, layout: str) -> None:
        """The tensors of the module, of the modules in it, too, as `Module.to(memory_format=...)` does."""
        import torch

        convert = _converter(layout)
        with torch.no_grad():
            for tensor in [*module.parameters(), *module.buffers()]:
                converted = convert(tensor.data)
                if converted.stride() != tensor.stride():
                    self._strides.append((tensor, tensor.stride()))
                    tensor.data = converted

    def _hook(self, module: Any, convert: Callable[[Any], Any], at: str) -> None:
        if at == "output":
            self._hooks.append(module.register_forward_hook(lambda _, __, output: _mapped(output, convert)))
            return
        try:  # keyword arguments are seen by hooks from PyTorch 2.0 on
            hook = module.register_forward_pre_hook(
                lambda _, args, kwargs: (_mapped(args, convert), _mapped(kwargs, convert)), with_kwargs=True)
        except TypeError:
            hook = module.register_forward_pre_hook(lambda _, args: _mapped(args, convert))
        self._hooks.append(hook)


def _has_parent_in(name: str, names: Any) -> bool:
    if name == "":
        return False
    parts = name.split(".")
    return "" in names or any(".".join(parts[:length]) in names for length in range(1, len(parts)))


def _restride(tensor: Any, strides: Tuple[int, ...]) -> None:
    import torch

    with torch.no_grad():
        before = torch.empty_strided(tensor.size(), strides, dtype=tensor.dtype, device=tensor.device)
        before.copy_(tensor.data)
        tensor.data = before


def _converter(layout: str) -> Callable[[Any], Any]:
    """Converts floating tensors of the rank that the format is for, and leaves all others as they are."""
    import torch

    target, rank = getattr(torch, layout), _DIMENSIONS.get(layout)

    def convert(tensor: Any) -> Any:
        if not tensor.is_floating_point() or (rank is not None and tensor.dim() != rank):
            return tensor
        return tensor.contiguous(memory_format=target)

    return convert


def _mapped(value: Any, convert: Callable[[Any], Any]) -> Any:
    """`value` with its tensors converted, in tuples, lists and dictionaries, too. Objects of other classes stay as they are."""
    import torch

    if isinstance(value, torch.Tensor):
        return convert(value)
    if type(value) in (tuple, list):
        return type(value)(_mapped(one, convert) for one in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_mapped(one, convert) for one in value))
    if type(value) is dict:
        return {key: _mapped(one, convert) for key, one in value.items()}
    return value


def modules_of(model: Any) -> List[Tuple[str, Any]]:
    """Names and modules as the program wrote them: without the wrapper of torch.compile."""
    found: Dict[int, Tuple[str, Any]] = {}
    for name, module in model.named_modules():
        plain = (name + ".").replace(COMPILED_PREFIX, "")[:-1] if name else ""
        found[id(module)] = (plain, module)  # the wrapper and the module in it have the name ""; both are listed
    return list(found.values())


def apply(model: Any, plan: Optional[Plan] = None) -> Applied:
    """Applies `plan`, or that of FRX_LAYOUT_PLAN, to a torch.nn.Module in place and returns what was changed.

    Without either nothing is done. Raises PlanError and OSError where the plan cannot be read; the model is then as it was. It is also
    as it was where PyTorch refuses a change, whose error is passed on.
    """
    given = plan if plan is not None else plan_in_environment()
    applied = Applied(given)
    if given is None:
        return applied
    modules = modules_of(model)
    try:
        for change in given.changes:
            applied._change(modules, change)
    except BaseException:
        applied.remove()
        raise
    return applied
