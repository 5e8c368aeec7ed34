"""Two implementations, or two profiles of Nsight Compute, compared. It is done by frx: see `fournex._native` for where it is searched."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

from ._native import Argument, FrxError, FrxUnavailable, Text, gpu_options, post, result_of
from .answers import Answer

__all__ = ["FrxError", "FrxUnavailable", "compare_implementations", "diff_ncu_runs"]

Path = Union[str, "os.PathLike[str]"]

_MEMBERS = ("label", "cuda_source", "ptx_text", "ptx", "ncu_csv", "cuda_filename", "ptx_filename", "kernel")


def compare_implementations(
    a: Mapping[str, Any], b: Mapping[str, Any], gpu_model: Optional[str] = None, *, pedantic: bool = False
) -> Answer:
    """Which of two implementations is better, as far as their layers tell (``comparison_v1``).

    `a` and `b` are objects as ``POST /compare`` takes them: label, and texts as cuda_source, ptx_text (or ptx) and ncu_csv, whichever
    there are; cuda_filename and ptx_filename name them, kernel is one of several. The result has data_availability, static_diff,
    ptx_diff, ncu_diff, scorecard (scores from 0 to 1 by dimension), verdict and tradeoffs; what a side lacks is null and compared
    with nothing. It is done by libfrx.so, in this process.

    Raises ValueError for a member that is not known, FrxError for a side without a layer and for a text that is not what it is given
    for, FrxUnavailable without libfrx.so.
    """
    for name, side in (("a", a), ("b", b)):
        for member in side:
            if member not in _MEMBERS:
                raise ValueError(f"{name}: {member!r} is not known; known are {', '.join(_MEMBERS)}")
    answer: Answer = post("/compare", {"a": dict(a), "b": dict(b), "gpu_model": gpu_model, "pedantic": pedantic})
    return answer


def diff_ncu_runs(
    baseline: Path,
    optimized: Path,
    *,
    label_baseline: Optional[str] = None,
    label_optimized: Optional[str] = None,
    gpu_model: Optional[str] = None,
) -> Answer:
    """What changed between two profiles of Nsight Compute (``ncu_comparison_v1``).

    Each is the path of a report or an export, or the text of an export. The result has bottleneck_diff (resolved, new, persistent,
    improved), metric_deltas (baseline, optimized, delta, direction by metric; a metric that was not measured is null), kernel_time
    (microseconds) and verdict (outcome: improved, regressed, mixed or neutral; answer: what the times prove).

    Raises FrxError when one is no profile or cannot be read, FrxUnavailable.
    """
    sides = (_profile(baseline, "baseline"), _profile(optimized, "optimized"))
    labels = ["--label-a", label_baseline or "baseline", "--label-b", label_optimized or "optimized"]
    answer: Answer = result_of(["compare", *sides, *labels, *gpu_options(gpu_model)])
    return answer


def _profile(given: Path, name: str) -> Argument:
    text = os.fspath(given)
    return Text(text, f"{name}.csv") if "\n" in text else text
