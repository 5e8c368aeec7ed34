"""Analysis of the kernels of a PTX file. The analysis is done by frx: see `fournex._native` for where it is searched.

    from fournex.ptx import analyze_ptx_text
    analyze_ptx_text(text)["primary_bottleneck"]    # "ptx_register_pressure", or None
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._native import FrxError, FrxUnavailable, analyze_text, gpu_options
from .answers import Answer

__all__ = ["FrxError", "FrxUnavailable", "analyze_ptx_text", "classify_ptx_bottlenecks", "parse_ptx_text"]


def analyze_ptx_text(text: str, filename: str = "kernel.ptx", gpu_model: Optional[str] = None) -> Answer:
    """The result of ``frx analyze FILE.ptx --json`` (data/schemas/ptx_analysis_v1.json).

    Raises FrxError when `text` is no PTX or the GPU is unknown, FrxUnavailable without frx.
    """
    name = filename if filename.endswith(".ptx") else filename + ".ptx"
    answer: Answer = analyze_text(text, name, gpu_options(gpu_model))
    return answer


def classify_ptx_bottlenecks(text: str, gpu_model: Optional[str] = None) -> List[Dict[str, Any]]:
    """Only the ranked labels of `analyze_ptx_text`."""
    return list(analyze_ptx_text(text, gpu_model=gpu_model)["bottlenecks"])


def parse_ptx_text(text: str, filename: str = "kernel.ptx") -> List[Dict[str, Any]]:
    """Only the kernels of `analyze_ptx_text`: registers, spills, instruction mix. Raises FrxError, FrxUnavailable."""
    return list(analyze_ptx_text(text, filename)["kernels"])
