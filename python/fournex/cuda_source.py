"""CUDA source, inspected without compiling it. The analysis is done by frx: see `fournex._native` for where it is searched."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence

from ._native import FrxError, FrxUnavailable, analyze_text, gpu_options, result_of
from .answers import Answer

__all__ = [
    "FrxError",
    "FrxUnavailable",
    "build_static_cuda_report",
    "inspect_cuda_files",
    "inspect_cuda_source",
    "parse_cuda_kernels",
    "parse_cuda_launches",
]


def _options(gpu_model: Optional[str], pedantic: bool) -> List[str]:
    return ["--with-ptx=no", *gpu_options(gpu_model), *(["--pedantic"] if pedantic else [])]


def inspect_cuda_source(
    text: str, filename: str = "kernel.cu", gpu_model: Optional[str] = None, *, pedantic: bool = False
) -> Answer:
    """The result of ``frx analyze FILE.cu --json`` (data/schemas/cuda_static_v1.json); `pedantic` adds style, and guesses that the
    source alone does not settle. Raises FrxError, FrxUnavailable."""
    answer: Answer = analyze_text(text, filename, _options(gpu_model, pedantic))
    return answer


def inspect_cuda_files(paths: Sequence[str], gpu_model: Optional[str] = None, *, pedantic: bool = False) -> Answer:
    """The same for files and folders of one program, as ``frx analyze PATH... --json`` has it. Raises FrxError, FrxUnavailable."""
    answer: Answer = result_of(["analyze", *(os.fspath(one) for one in paths), *_options(gpu_model, pedantic)])
    return answer


build_static_cuda_report = inspect_cuda_source


def parse_cuda_kernels(text: str, filename: str = "kernel.cu") -> List[Dict[str, Any]]:
    """Only the kernels of `inspect_cuda_source`: name, line, params, patterns of access, barriers. Raises FrxError, FrxUnavailable."""
    return list(inspect_cuda_source(text, filename)["kernels"])


def parse_cuda_launches(text: str, filename: str = "kernel.cu") -> List[Dict[str, Any]]:
    """Only the launches of `inspect_cuda_source`: kernel, line, grid and block as written. Raises FrxError, FrxUnavailable."""
    return list(inspect_cuda_source(text, filename)["launches"])
