"""Layers that do the same work: a signature of each, and the map of duplicates to the one that stands for them.

Two layers are duplicates when the graphs of operators that they run are equal: the operators with their overloads, which result goes
where, every constant, and shape, stride, dtype and device of every tensor. Values of parameters and buffers do not count.
The graph is traced by torch.fx on the layer's own inputs (method "fx"). Where that fails, the module tells what it is: classes,
attributes, parameters, and the inputs that it was called with (method "structure"). That is the stricter of the two: a number of the
layer, or an object of its own, makes layers different that do the same.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple

from .signatures import Call, call_of, graph_facts, module_facts

# Containers that only hold layers have no forward; a layer without any parameter costs no replay worth saving.
Candidates = List[Tuple[str, Any]]
_MOST_OF_A_REASON = 200  # characters; tracers tell long stories


@dataclass
class LayerPartition:
    """Layers by the names of their modules. `duplicates`: {duplicate: unique}, as in NAME.part.json. `methods`: "fx" or "structure"
    for each layer. `troubles`: why layers could not be traced, each reason once."""

    duplicates: Dict[str, str] = field(default_factory=dict)
    methods: Dict[str, str] = field(default_factory=dict)
    troubles: List[str] = field(default_factory=list)

    def note(self) -> str:
        """How many layers, and how they were compared."""
        counts = collections.Counter(self.methods.values())
        words = {"fx": "by their graphs of operators (torch.fx)", "structure": "by the structure of their modules"}
        how = ", ".join(f"{counts[method]} {words[method]}" for method in ("fx", "structure") if counts[method])
        unique = len(set(self.duplicates.values()))
        found = "no layer does the same work as another one"
        if self.duplicates:
            found = f"{unique + len(self.duplicates)} layers, {unique} unique; compared: {how}"
        return f"{found}; torch.fx could not trace: {'; '.join(self.troubles)}" if self.troubles else found


def _digest(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def untouched(model: Any) -> Iterator[None]:
    """Afterwards the buffers of `model` and the generators of random numbers are as they were before."""
    import torch
    from torch.nn.parameter import is_lazy

    buffers = [(module, name, buffer) for module in model.modules() for name, buffer in module._buffers.items() if buffer is not None]
    saved = [(module, name, buffer, buffer.detach().clone()) for module, name, buffer in buffers if not is_lazy(buffer)]
    devices = sorted({tensor.device.index for tensor in model.parameters() if tensor.is_cuda})
    with torch.random.fork_rng(devices=devices):
        try:
            yield
        finally:
            with torch.no_grad():
                for module, name, buffer, value in saved:
                    buffer.copy_(value)
                    module._buffers[name] = buffer


def _with_twins(model: Any) -> Set[str]:
    """The names of modules that have a sibling of the same classes all the way down: only these can be duplicates."""
    names: Set[str] = set()
    for prefix, parent in model.named_modules():
        kinds: Dict[str, List[str]] = collections.defaultdict(list)
        for name, child in parent.named_children():
            kinds[repr([(inner, type(part)) for inner, part in child.named_modules()])].append(f"{prefix}.{name}" if prefix else name)
        names.update(name for alike in kinds.values() if len(alike) > 1 for name in alike)
    return names


def recorded_calls(model: Any, run_once: Callable[[], Any]) -> Dict[str, List[Call]]:
    """The calls of each module of `model` while `run_once` runs, by name. The model is afterwards as it was. Inputs are kept of modules
    that can be duplicates; those of all would be every activation of the model.

    `forward` is replaced for the while, since hooks of older versions of PyTorch do not see keyword arguments."""
    calls: Dict[str, List[Call]] = collections.defaultdict(list)
    replaced: List[Tuple[Any, Any]] = []
    kept = _with_twins(model)

    def watch(name: str, module: Any) -> None:
        forward = module.forward

        def recording(*args: Any, **kwargs: Any) -> Any:
            calls[name].append(call_of(args, kwargs, keep=name in kept))
            return forward(*args, **kwargs)

        replaced.append((module, module.__dict__.get("forward")))
        module.__dict__["forward"] = recording

    try:
        for name, module in model.named_modules():
            watch(name, module)
        run_once()
    finally:
        for module, before in replaced:
            del module.__dict__["forward"]
            if before is not None:
                module.__dict__["forward"] = before
    return calls


def signature(module: Any, calls: List[Call], troubles: Optional[List[str]] = None) -> Tuple[str, str]:
    """The signature of a layer that was called so, and its method: "fx" or "structure", whose reason is added to `troubles`."""
    try:
        graphs = {}
        for one in calls:
            key = _digest(one.facts)
            if key not in graphs:
                graphs[key] = graph_facts(module, one)
        # The classes too: kernels that a layer launches behind PyTorch's back are in no graph.
        facts = [graphs[_digest(one.facts)] for one in calls]
        return _digest(["fx", module_facts(module, constants=False), facts]), "fx"
    except Exception as error:  # whatever a tracer raises: control flow that depends on values, objects that it does not know
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:_MOST_OF_A_REASON]
        if troubles is not None and reason not in troubles:
            troubles.append(reason)
        return _digest(["structure", module_facts(module, constants=True), [one.facts for one in calls]]), "structure"


class _Search:
    def __init__(self, calls: Mapping[str, List[Call]]) -> None:
        self._calls = calls
        self.found = LayerPartition()

    def visit(self, parent: Any, prefix: str) -> None:
        """Compares the children of `parent`; what has no duplicate among them is searched for layers itself."""
        children = [(f"{prefix}{name}", child) for name, child in parent.named_children()]
        taken = set()
        for group in self._alike(children):
            for same in self._equal(group):
                labels = [label for label, _, _ in same]
                taken.update(labels)
                self.found.methods.update({label: method for label, _, method in same})
                self.found.duplicates.update({label: labels[0] for label in labels[1:]})
        for label, child in children:
            if label not in taken:
                self.visit(child, f"{label}.")

    def _alike(self, children: Candidates) -> List[Candidates]:
        """Groups that may be equal: tracing costs a run of the layer, so what differs at first sight is left out."""
        groups: Dict[str, Candidates] = collections.defaultdict(list)
        for label, child in children:
            calls = self._calls.get(label)
            if calls and next(child.parameters(), None) is not None:
                groups[_digest([module_facts(child, constants=False), [one.facts for one in calls]])].append((label, child))
        return [group for group in groups.values() if len(group) > 1]

    def _equal(self, group: Candidates) -> List[List[Tuple[str, Any, str]]]:
        classes: Dict[str, List[Tuple[str, Any, str]]] = collections.defaultdict(list)
        for label, child in group:
            key, method = signature(child, self._calls[label], self.found.troubles)
            classes[key].append((label, child, method))
        return [same for same in classes.values() if len(same) > 1]


def find_layers(model: Any, run_once: Callable[[], Any]) -> LayerPartition:
    """Runs `run_once`, one iteration of `model`, and compares sibling modules that were called in it, outermost first.

    Modules without parameters are no layers. Buffers and random numbers are put back; what an optimizer changed is not. Raises
    what `run_once` raises."""
    with untouched(model):
        search = _Search(recorded_calls(model, run_once))
        search.visit(model, "")
    return search.found


def load_partition(path: Any) -> Dict[str, str]:
    """Reads NAME.part.json: {duplicate: unique}. Raises OSError, and FormatError naming the file."""
    from .records import FormatError, parsed

    with open(path, "rb") as file:
        text = file.read()
    try:
        value = parsed(text)
        if not isinstance(value, dict) or not all(isinstance(unique, str) for unique in value.values()):
            raise FormatError("$: expected an object whose members are texts, {duplicate: unique}")
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    return value


