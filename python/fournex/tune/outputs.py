"""Outputs of a model beside those of the baseline.

The baseline keeps a tensor NAME in the folder `outputs` of its run: NAME.f64 has its elements as float64, little-endian, in logical order (row-major,
whatever the memory format of the tensor is), and NAME.json describes them: `sizes`, `dtype` of the tensor, `elements` in the file, `stride` (1, or N
where there are more than LARGEST elements and only each N-th was kept) and `steps` that the run had begun by then. There is no pickle in
it, and numpy is not needed.
"""

from __future__ import annotations

import array
import dataclasses
import json
import math
import os
import sys
import urllib.parse
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .. import steps
from ..recorder import recorder, say
from . import quality

FOLDER, FIRST_REPEAT = "outputs", "repeat_001"
LARGEST = 1 << 22  # elements of one tensor, 32 MiB in the file
MOST = 64  # outputs of one process
LONGEST_NAME = 120

_calls: Dict[str, int] = {}  # how often each name was checked
_said: set = set()


@dataclasses.dataclass
class Output:
    """A tensor as it is compared. `values`: float64, in logical order, each `stride`-th."""

    sizes: List[int]
    dtype: str
    stride: int
    values: array.array
    steps: int


def check_output(tensor: Any, name: str = "output") -> None:
    """Keeps `tensor` in the run of the baseline, and compares it with the one kept there in a trial.

    The largest difference is reported as max_output_abs_diff, and divided by the largest magnitude of the baseline's as max_output_rel_diff; of
    several outputs the largest counts. Another shape, and a NaN or an infinity on one side only, is an infinite difference. A tensor on a GPU is
    waited for.

    Call it where both runs have to agree: before the first step, in the mode of evaluation, with weights and inputs from a fixed seed, and within
    `knobs.autocast` if that is to be judged. After training steps it is compared only where both runs have made as many. The second call with
    one name is compared with the second one of the baseline.

    Nothing happens outside of a tuning and in ranks above 0. Raises TypeError for what is no tensor, number, or nested list of numbers, and
    for a name that is no text; ValueError for an empty or a long name. Everything else that goes wrong is a warning, and nothing is reported.
    """
    where = quality.folder()
    if where is None:
        return
    file = _file_of(name)
    if file is None:
        return
    output = _output_of(tensor, name)
    if output is None:
        return
    try:
        baseline = _baseline_folder(where)
        if baseline is None:
            _keep(os.path.join(where, FOLDER), file, output)
        else:
            _compare(where, baseline, file, name, output)
    except Exception as error:
        recorder.trouble(f"the output {name!r} was not checked", error)


def _file_of(name: Any) -> Optional[str]:
    """The name of the file for this call, without its ending; None where the process has checked enough."""
    if not isinstance(name, str):
        raise TypeError(f"check_output: expected a text as the name, found {type(name).__name__}")
    file = urllib.parse.quote(name, safe="")
    if not file or len(file) > LONGEST_NAME:
        raise ValueError(f"check_output: expected a name of 1 to {LONGEST_NAME} characters, found {len(file)}")
    if sum(_calls.values()) >= MOST:
        _say_once(f"fournex: more than {MOST} outputs; further ones are not checked", "most")
        return None
    _calls[name] = _calls.get(name, 0) + 1
    return file if _calls[name] == 1 else f"{file}#{_calls[name]}"


def _baseline_folder(where: str, environment: Mapping[str, str] = os.environ) -> Optional[str]:
    """The folder with the outputs that those of this run are compared with; None where this is the run that makes them."""
    text = environment.get(quality.BASELINE_DIR)
    if not text or os.path.realpath(text) == os.path.realpath(where):
        return None
    # Where each configuration is run several times, each run has a folder of its own below it.
    folders = [os.path.join(text, *below, FOLDER) for below in ((), (FIRST_REPEAT,))]
    return next((one for one in folders if os.path.isdir(one)), folders[0])


# -- values ------------------------------------------------------------------------------------------------------------


def _output_of(value: Any, name: str) -> Optional[Output]:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        try:
            return _of_tensor(torch, value)
        except Exception as error:  # sparse and quantised tensors, and those without memory, refuse one operation or another
            recorder.trouble(f"the output {name!r} was not checked", error)
            return None
    tolist = getattr(value, "tolist", None)  # numpy, and other arrays
    sizes: List[int] = []
    flat = array.array("d")
    dtype = str(getattr(value, "dtype", "float64"))
    try:
        _flatten(value if tolist is None else tolist(), 0, sizes, flat)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise TypeError(f"check_output: expected a tensor or numbers, found {type(value).__name__}") from None
    stride = max(1, -(-len(flat) // LARGEST))
    return Output(sizes, dtype, stride, flat[::stride], _steps_begun())


def _of_tensor(torch: Any, tensor: Any) -> Output:
    import ctypes

    sizes, dtype = list(tensor.shape), str(tensor.dtype).rpartition(".")[2]
    tensor = tensor.detach()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    flat = tensor.contiguous().reshape(-1)
    stride = max(1, -(-flat.numel() // LARGEST))
    flat = flat[::stride].cpu().to(torch.float64).contiguous()
    values = array.array("d")
    if flat.numel():
        values.frombytes(ctypes.string_at(flat.data_ptr(), 8 * flat.numel()))
    return Output(sizes, dtype, stride, values, _steps_begun())


def _flatten(value: Any, depth: int, sizes: List[int], flat: array.array) -> None:
    """Appends the numbers of nested lists to `flat`; `sizes` are those of their levels. Raises ValueError where they are ragged."""
    if not isinstance(value, (list, tuple)):
        if depth != len(sizes) or isinstance(value, (str, bytes)):
            raise ValueError
        flat.append(float(value))
        return
    if depth == len(sizes):
        if flat:
            raise ValueError
        sizes.append(len(value))
    elif sizes[depth] != len(value):
        raise ValueError
    for one in value:
        _flatten(one, depth + 1, sizes, flat)


def _steps_begun() -> int:
    return steps.numbering.last_id + 1


# -- the baseline ------------------------------------------------------------------------------------------------------


def _keep(folder: str, file: str, output: Output) -> None:
    os.makedirs(folder, exist_ok=True)
    values = output.values
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    _write(os.path.join(folder, file + ".f64"), values.tobytes())
    about = {"sizes": output.sizes, "dtype": output.dtype, "elements": len(values), "stride": output.stride, "steps": output.steps}
    _write(os.path.join(folder, file + ".json"), json.dumps(about).encode("ascii"))


def _write(path: str, content: bytes) -> None:
    part = f"{path}.{os.getpid()}.part"
    with open(part, "wb") as out:
        out.write(content)
    os.replace(part, path)


def _kept(folder: str, file: str) -> Optional[Output]:
    """What the baseline kept; None where it kept nothing, or where the files are not whole."""
    try:
        with open(os.path.join(folder, file + ".json"), "rb") as about_file:
            about = json.loads(about_file.read(1 << 16))
        values = array.array("d")
        with open(os.path.join(folder, file + ".f64"), "rb") as value_file:
            values.frombytes(value_file.read(8 * LARGEST))
        if len(values) != about["elements"]:
            return None
        if sys.byteorder == "big":
            values.byteswap()
        return Output(list(about["sizes"]), str(about["dtype"]), int(about["stride"]), values, int(about["steps"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


# -- the comparison ----------------------------------------------------------------------------------------------------


def _compare(where: str, folder: str, file: str, name: str, output: Output) -> None:
    kept = _kept(folder, file)
    if kept is None:
        _say_once(f"fournex: the baseline kept no output {name!r}; it was not checked", name)
        return
    if kept.steps != output.steps:
        _say_once(f"fournex: the output {name!r} was not checked: it is of step {output.steps}, and that of the baseline of step {kept.steps}", name)
        return
    absolute, relative = differences(kept, output)
    quality.merge(where, {"max_output_abs_diff": _largest(where, "max_output_abs_diff", absolute),
                          "max_output_rel_diff": _largest(where, "max_output_rel_diff", relative)})


def _largest(where: str, name: str, value: float) -> float:
    before = quality.read_value(where, name)
    return value if before is None or not before > value else before


def differences(first: Output, second: Output) -> Tuple[float, float]:
    """The largest difference, and that divided by the largest finite magnitude of the first; infinite for other shapes."""
    if first.sizes != second.sizes or first.stride != second.stride or len(first.values) != len(second.values):
        return math.inf, math.inf
    torch = sys.modules.get("torch")
    absolute, magnitude = (_with_torch(torch, first.values, second.values) if torch is not None and len(first.values)
                           else _without_torch(first.values, second.values))
    return absolute, absolute / magnitude if magnitude > 0 else math.inf if absolute > 0 else 0.0


def _with_torch(torch: Any, first: array.array, second: array.array) -> Tuple[float, float]:
    a, b = (torch.frombuffer(one, dtype=torch.float64) for one in (first, second))
    # Equal infinities, and NaN on both sides, are no difference.
    same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(same, torch.zeros_like(a), (a - b).abs()).nan_to_num(nan=math.inf, posinf=math.inf)
    magnitude = torch.where(a.isfinite(), a.abs(), torch.zeros_like(a))
    return float(apart.max()), float(magnitude.max())


def _without_torch(first: array.array, second: array.array) -> Tuple[float, float]:
    absolute = magnitude = 0.0
    for a, b in zip(first, second):
        if math.isfinite(a):
            magnitude = max(magnitude, abs(a))
        if a == b or (a != a and b != b):
            continue
        apart = abs(a - b)
        absolute = max(absolute, math.inf if apart != apart else apart)
    return absolute, magnitude


def _say_once(message: str, key: str) -> None:
    if key not in _said:
        _said.add(key)
        say("%s", message)


def _forget() -> None:
    _calls.clear()
    _said.clear()


recorder.on_new_run.append(_forget)
