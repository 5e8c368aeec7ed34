"""Whether the results of a trial are still right, in numbers: `quality.json` in the folder of the run, which `frx tune` reads.

The file is one object, ``{"validation_loss": 2.31, "max_output_abs_diff": "inf"}``: names as below, numbers, and the texts "nan", "inf" and
"-inf" for what JSON has no number for. What was not reported is not in it.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Union

from ..ranks import rank_above_zero
from ..recorder import recorder

FILE = "quality.json"
MAX_STEPS, BASELINE_DIR = "FRX_TUNE_MAX_STEPS", "FRX_TUNE_BASELINE_DIR"
WORDS = ("nan", "inf", "-inf")

Number = Union[float, str]


def folder(environment: Mapping[str, str] = os.environ) -> Optional[str]:
    """Where this process writes what it tells frx tune; None outside of a tuning, and in ranks above 0 of a distributed run."""
    if not environment.get(MAX_STEPS) or not environment.get("FRX_OUTPUT_DIR") or rank_above_zero(environment) is not None:
        return None
    return os.path.abspath(environment["FRX_OUTPUT_DIR"])


def report_quality(
    validation_loss: Any = None,
    accuracy: Any = None,
    perplexity: Any = None,
    gradient_norm: Any = None,
    parameter_norm: Any = None,
    max_output_abs_diff: Any = None,
    max_output_rel_diff: Any = None,
) -> None:
    """Tells `frx tune` what says whether the results are still right; a later value of the same name replaces an earlier one.

    Values are numbers or tensors with one element; a tensor on a GPU is waited for. Losses and perplexity are better when they are lower,
    accuracy when it is higher; differences are those to the outputs of the baseline (`check_output` finds them itself).
    Nothing happens outside of a tuning. Raises TypeError, which names the value, for what is no number; a file that cannot be written is a
    warning.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    where = folder()
    if where is None or not given:
        return
    merge(where, {name: as_float(name, value) for name, value in given.items()})


def as_float(name: str, value: Any) -> float:
    detach = getattr(value, "detach", None)
    try:
        return float(value if detach is None else detach())
    except (TypeError, ValueError, RuntimeError, OverflowError):
        pass
    raise TypeError(f"{name}: expected a number or a tensor with one element, found {type(value).__name__}")


def merge(where: str, values: Mapping[str, float]) -> None:
    """Adds `values` to the file in the folder `where`; the file is whole at every moment. Never raises."""
    path = os.path.join(where, FILE)
    try:
        kept: Dict[str, Any] = {**_read(path), **{name: _written(value) for name, value in values.items()}}
        os.makedirs(where, exist_ok=True)
        part = f"{path}.{os.getpid()}.part"
        with open(part, "w", encoding="ascii") as file:
            json.dump(kept, file, indent=1, allow_nan=False)
        os.replace(part, path)
    except OSError as error:
        recorder.trouble(f"{path} cannot be written", error)


def read_value(where: str, name: str) -> Optional[float]:
    """What was reported before under `name`; None where nothing was."""
    value = _read(os.path.join(where, FILE)).get(name)
    return float(value) if isinstance(value, (int, float)) or value in WORDS else None


def _read(path: str) -> Dict[str, Any]:
    """What other programs of the same run reported; nothing where the file is not there, or is none of ours."""
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read(1 << 16))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _written(value: float) -> Number:
    return value if value == value and abs(value) != float("inf") else str(value)
