"""The structure of a batch: the shapes and types of the tensors in it, found by walking mappings and sequences.

Names are paths: ``batch``, ``batch.input_ids``, ``batch[0]``, ``batch[1].mask``. Values are never read, so nothing is copied
from a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Optional, Tuple

# A batch with more tensors than this, or nested deeper, is described by its first ones.
MOST_TENSORS = 64
DEEPEST = 6

Found = Tuple[str, List[int], Optional[str]]  # name, shape, type of the elements


def _shape_of(value: Any) -> Optional[List[int]]:
    shape = getattr(value, "shape", None)
    if shape is None or callable(shape):
        return None
    try:
        return [int(size) for size in shape]
    except (TypeError, ValueError):
        return None


def _members(name: str, value: Any) -> Iterator[Tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield f"{name}.{key}", one
    elif isinstance(value, (list, tuple)):
        for index, one in enumerate(value[:MOST_TENSORS]):
            yield f"{name}[{index}]", one


def walk(batch: Any) -> List[Found]:
    """The tensors of `batch` in order: name, shape (ints), type of the elements as text."""
    found: List[Found] = []
    _walk("batch", batch, 0, found)
    return found


def _walk(name: str, value: Any, depth: int, found: List[Found]) -> None:
    if len(found) >= MOST_TENSORS or depth > DEEPEST:
        return
    shape = _shape_of(value)
    if shape is not None:
        dtype = getattr(value, "dtype", None)
        found.append((name, shape, None if dtype is None else str(dtype)))
        return
    for inner, one in _members(name, value):
        _walk(inner, one, depth + 1, found)


def extract_shapes(batch: Any) -> Dict[str, List[int]]:
    """Name to shape."""
    return {name: shape for name, shape, _ in walk(batch)}


def extract_dtypes(batch: Any) -> Dict[str, str]:
    """Name to type of the elements, such as "torch.float32"; tensors without one are left out."""
    return {name: dtype for name, _, dtype in walk(batch) if dtype is not None}


def infer_batch_size(batch: Any) -> int:
    """The first dimension of the first tensor that has one; 0 when there is none."""
    return next((shape[0] for _, shape, _ in walk(batch) if shape), 0)


def infer_sequence_length(batch: Any) -> Optional[int]:
    """The second dimension of the first tensor with at least two; None when there is none."""
    return next((shape[1] for _, shape, _ in walk(batch) if len(shape) >= 2), None)


def describe_batch(batch: Any) -> Dict[str, Any]:
    """The payload of a shape_snapshot: batch_size (items), shapes, sequence_length and dtypes where known."""
    found = walk(batch)
    described: Dict[str, Any] = {
        "batch_size": next((shape[0] for _, shape, _ in found if shape), 0),
        "shapes": {name: shape for name, shape, _ in found},
    }
    length = next((shape[1] for _, shape, _ in found if len(shape) >= 2), None)
    if length is not None:
        described["sequence_length"] = length
    dtypes = {name: dtype for name, _, dtype in found if dtype is not None}
    if dtypes:
        described["dtypes"] = dtypes
    return described
