"""Facts of a layer as plain JSON values: of the tensors it is called with, of its module, and of the graph of operators it runs.

Names never count, only which value goes where: tensors are told apart by the number in which they first appear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

_SCALARS = (bool, int, float, complex, str, type(None))
# A constant tensor of a graph that is neither parameter nor buffer: up to this many values belong to the signature.
_MOST_VALUES = 1024


class Opaque(Exception):
    """The layer is called with an object whose content is unknown; to run it again might change that object."""


@dataclass
class Call:
    """A call of a module. `facts`: its arguments as JSON; `tensors` in the order of `facts`; `rebuilt` makes arguments of others."""

    facts: Any
    tensors: List[Any]
    rebuilt: Callable[[Tuple[Any, ...]], Tuple[Tuple[Any, ...], Dict[str, Any]]]
    objects: List[Any]  # arguments of unknown content, which the facts tell apart as objects


def tensor_facts(tensor: Any) -> List[Any]:
    """Shape, stride, dtype, device, layout and whether it has a gradient."""
    strides = list(tensor.stride()) if str(tensor.layout) == "torch.strided" else None
    return ["tensor", list(tensor.shape), strides, str(tensor.dtype), str(tensor.device), str(tensor.layout), bool(tensor.requires_grad)]


def _is_tensor(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor)


def _name_of(value: Any) -> str:
    kind = value if isinstance(value, type) or callable(value) and hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def value_facts(tensor: Any) -> List[Any]:
    """A tensor that is a constant: its facts, and its values where they are few."""
    values = repr(tensor.detach().cpu().tolist()) if 0 < tensor.numel() <= _MOST_VALUES else None
    return [*tensor_facts(tensor), values]


def constant_facts(value: Any, identity: bool = False) -> Any:
    """A constant with its type, for True, 1 and 1.0 are three; sequences and dictionaries item by item; of other objects the class.

    `identity`: and which object it is, since its content is unknown; the caller keeps it alive while facts are compared."""
    import torch

    if isinstance(value, _SCALARS):
        return [type(value).__name__, repr(value)]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [constant_facts(item, identity) for item in value]]
    if isinstance(value, dict):
        return ["dict", [[constant_facts(name, identity), constant_facts(item, identity)] for name, item in value.items()]]
    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format, slice)):
        return [type(value).__name__, repr(value)]
    if _is_tensor(value):
        return value_facts(value)
    return ["object", _name_of(value), id(value) if identity else None]


# -- calls ----------------------------------------------------------------------------------------------------------------


class _Flattened:
    """Arguments taken apart: the tensors in order, and a plan of the rest."""

    def __init__(self) -> None:
        self.tensors: List[Any] = []
        self.objects: List[Any] = []
        self._numbers: Dict[int, int] = {}

    def facts(self, value: Any) -> Any:
        if _is_tensor(value):
            self.tensors.append(value.detach())
            number = self._numbers.setdefault(id(value), len(self._numbers))  # the same tensor twice is another work than two
            return [*tensor_facts(value), number]
        if isinstance(value, (list, tuple)):
            return [type(value).__name__, [self.facts(item) for item in value]]
        if type(value) is dict:
            return ["dict", [[constant_facts(name), self.facts(item)] for name, item in value.items()]]
        facts = constant_facts(value, identity=True)
        if facts[0] == "object":
            self.objects.append(value)
        return facts


def _rebuilt(value: Any, tensors: Any) -> Any:
    if _is_tensor(value):
        return next(tensors)
    if isinstance(value, (list, tuple)):
        items = [_rebuilt(item, tensors) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return {name: _rebuilt(item, tensors) for name, item in value.items()} if type(value) is dict else value


def _without_tensors(value: Any) -> Any:
    """`value` with empty tensors in place of its own, which would be kept alive as long as the plan."""
    import torch

    if _is_tensor(value):
        return torch.empty(0)
    if isinstance(value, (list, tuple)):
        items = [_without_tensors(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return {name: _without_tensors(item) for name, item in value.items()} if type(value) is dict else value


def call_of(args: Tuple[Any, ...], kwargs: Dict[str, Any], keep: bool = True) -> Call:
    """The call of a module with these arguments. `keep`: with the tensors, without their gradients, so that it can be repeated."""
    flat = _Flattened()
    named = dict(sorted(kwargs.items()))  # their order is none of the work
    facts = [flat.facts(tuple(args)), flat.facts(named)]
    plan = (_without_tensors(tuple(args)), _without_tensors(named))

    def rebuilt(tensors: Tuple[Any, ...]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        rest = iter(tensors)
        return _rebuilt(plan[0], rest), _rebuilt(plan[1], rest)

    return Call(facts, flat.tensors if keep else [], rebuilt, flat.objects)


# -- modules --------------------------------------------------------------------------------------------------------------


def _constants_of(module: Any) -> List[Any]:
    """All that a module holds beside what every module does."""
    import torch

    own = {name: value for name, value in vars(module).items() if name not in vars(torch.nn.Module()) and name != "forward"}
    return [[name, constant_facts(value, identity=True)] for name, value in sorted(own.items())]


def module_facts(module: Any, constants: bool) -> List[Any]:
    """The tree of modules: classes, mode, parameters and buffers by their metadata; and, on request, every constant attribute."""
    facts = []
    for name, part in module.named_modules():
        tensors = [[key, tensor_facts(value)] for key, value in [*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)]]
        facts.append([name, _name_of(type(part)), part.training, tensors, _constants_of(part) if constants else None])
    return facts


# -- graphs ---------------------------------------------------------------------------------------------------------------


def _tensors_of(value: Any) -> Tuple[Any, ...]:
    """The tensors of a result; what is none is no part of the graph."""
    if _is_tensor(value):
        return (value,)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return tuple(tensor for item in items for tensor in _tensors_of(item))


def traced(module: Any, call: Call) -> Any:
    """The torch.fx graph of operators, with overloads, that `module` runs when it is called like `call`. Raises Opaque, and what
    the tracer raises."""
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    if call.objects:
        raise Opaque(f"it is called with an object of {_name_of(call.objects[0])}")

    def work(*tensors: Any) -> Tuple[Any, ...]:
        args, kwargs = call.rebuilt(tensors)
        return _tensors_of(module(*args, **kwargs))

    with torch.no_grad():
        return make_fx(work)(*call.tensors)


class _Graph:
    """Facts of a torch.fx graph; nodes by their number in topological order."""

    def __init__(self, graph_module: Any, own: Any) -> None:
        self._module = graph_module
        self._own = {id(tensor) for tensor in own}  # parameters and buffers: their values do not count
        self._numbers = {node: number for number, node in enumerate(graph_module.graph.nodes)}
        self._attributes: Dict[int, int] = {}

    def facts(self) -> List[Any]:
        return [self._node(node) for node in self._numbers]

    def _node(self, node: Any) -> List[Any]:
        if node.op == "placeholder":
            return ["input"]
        if node.op == "get_attr":
            return ["attribute", self._attribute(node.target)]
        target = node.target if isinstance(node.target, str) else str(node.target)
        named = [[name, self._argument(value)] for name, value in sorted(node.kwargs.items())]
        return [node.op, target, self._argument(node.args), named, self._result(node)]

    def _argument(self, value: Any) -> Any:
        if hasattr(value, "graph") and value in self._numbers:
            return ["node", self._numbers[value]]
        if isinstance(value, (list, tuple)):
            return ["list", [self._argument(item) for item in value]]
        if _is_tensor(value):
            return self._tensor(value)
        return constant_facts(value)

    def _attribute(self, target: str) -> Any:
        value = self._module
        for part in target.split("."):
            value = getattr(value, part)
        return self._tensor(value) if _is_tensor(value) else constant_facts(value)

    def _tensor(self, tensor: Any) -> List[Any]:
        number = self._attributes.setdefault(id(tensor), len(self._attributes))
        return [number, *(tensor_facts(tensor) if id(tensor) in self._own else value_facts(tensor))]

    def _result(self, node: Any) -> Any:
        """Of each tensor of a result what the tracer noted, as older versions call it and as newer ones do."""
        noted = node.meta.get("val", node.meta.get("tensor_meta"))
        items = noted if isinstance(noted, (list, tuple)) and not hasattr(noted, "stride") else [noted]
        return [_noted_facts(item) for item in items]


def _noted_facts(item: Any) -> Any:
    if not hasattr(item, "shape") or not hasattr(item, "dtype"):
        return constant_facts(item) if isinstance(item, _SCALARS) else None
    strides = item.stride() if callable(item.stride) else item.stride
    return [[int(size) for size in item.shape], [int(step) for step in strides], str(item.dtype), str(getattr(item, "device", ""))]


def graph_facts(module: Any, call: Call) -> List[Any]:
    """The inputs of `call` and the graph of operators that `module` runs on them. Raises what `traced` raises."""
    graph_module = traced(module, call)
    own = [*module.parameters(), *module.buffers()]
    return [call.facts, _Graph(graph_module, own).facts()]
