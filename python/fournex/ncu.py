"""Nsight Compute profiles. The analysis is done by frx: see `fournex._native` for where it is searched."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._native import FrxError, FrxUnavailable, analyze_text, gpu_options, result_of

__all__ = ["FrxError", "FrxUnavailable", "analyze_ncu_csv", "analyze_ncu_csv_text", "build_ncu_command", "classify_ncu_bottlenecks"]


def analyze_ncu_csv(
    path: str, gpu_model: Optional[str] = None, environment: Optional[Mapping[str, Any]] = None
) -> Dict[str, Any]:
    """The result of ``frx analyze FILE --json`` (data/schemas/ncu_analysis_v1.json) for an export or a report of ncu.

    Raises FrxError when it is no profile or cannot be read, FrxUnavailable without frx.
    """
    return result_of(["analyze", os.fspath(path), *gpu_options(gpu_model, environment)])


def analyze_ncu_csv_text(
    text: str, gpu_model: Optional[str] = None, environment: Optional[Mapping[str, Any]] = None
) -> Dict[str, Any]:
    """As `analyze_ncu_csv`, for the text of an export."""
    return analyze_text(text, "profile.csv", gpu_options(gpu_model, environment))


def classify_ncu_bottlenecks(text: str, gpu_model: Optional[str] = None) -> List[Dict[str, Any]]:
    """Only the ranked labels of `analyze_ncu_csv_text`."""
    return list(analyze_ncu_csv_text(text, gpu_model)["bottlenecks"])


def build_ncu_command(preset: str = "full", command: Sequence[str] = ()) -> List[str]:
    """The ncu command that collects `preset` ("memory", "tensor", "occupancy", "stalls", "full") for `command`, as arguments."""
    behind = ["--", *command] if command else []
    return list(result_of(["ncu-command", preset, "--json", *behind], json_option=False)["command"])
