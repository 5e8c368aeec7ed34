"""Tensors as raw bytes beside a JSON description: no pickle, so that frx reads them without running anything.

A tensor NAME is the file NAME.bin: its elements in logical order (row-major, whatever the memory format of the tensor is), little-endian,
without a header. The description has `dtype` ("float32"), `sizes`, `elements` (of the file) and `stride`: 1, or N where the tensor has
more than LARGEST elements and only each N-th was kept. bfloat16 has two bytes an element, the upper ones of float32; bool has one.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Tuple

LARGEST = 1 << 24  # elements of one tensor


def tensors_in(value: Any, name: str) -> Iterator[Tuple[str, Any]]:
    """The tensors of `value` with their names, in tuples, lists and dictionaries: "logits", "logits.0"."""
    import torch

    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, dict):
        for key in value:
            yield from tensors_in(value[key], f"{name}.{key}")
    elif isinstance(value, (tuple, list)):
        for index, one in enumerate(value):
            yield from tensors_in(one, f"{name}.{index}")


def _bytes_of(flat: Any) -> bytes:
    import torch

    if flat.dtype == torch.bfloat16:
        flat = flat.view(torch.int16)
    return bytes(flat.numpy().tobytes())


def write_tensor(folder: str, file: str, name: str, tensor: Any) -> Dict[str, Any]:
    """Writes `tensor` to `folder`/`file` and returns its description. Raises OSError, and what torch raises."""
    tensor = tensor.detach()
    flat = tensor.contiguous().reshape(-1)
    step = max(1, -(-flat.numel() // LARGEST))
    flat = flat[::step].contiguous().cpu()
    with open(os.path.join(folder, file), "wb") as out:
        out.write(_bytes_of(flat))
    return {"name": name, "file": file, "dtype": str(tensor.dtype).rpartition(".")[2], "sizes": list(tensor.shape),
            "elements": flat.numel(), "stride": step}
