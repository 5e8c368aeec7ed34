"""Nsight Compute profiles. The analysis is done by frx: see `fournex._native` for where it is searched."""

from __future__ import annotations

import functools
import json
import os
import shlex
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._native import FrxError, FrxUnavailable, analyze_text, gpu_options, result_of
from .answers import Answer
from .compare import diff_ncu_runs

__all__ = [
    "FrxError",
    "FrxUnavailable",
    "NCU_METRIC_PRESETS",
    "analyze_ncu_csv",
    "analyze_ncu_csv_text",
    "analyze_ncu_profile_dict",
    "build_ncu_command",
    "classify_ncu_bottlenecks",
    "derive_ncu_run_summary",
    "describe_ncu_presets",
    "diff_ncu_runs",
    "format_shell_command",
    "get_ncu_preset",
    "summarize_kernel_launches",
    "validate_ncu_csv_text",
]

NCU_METRIC_PRESETS: Dict[str, Dict[str, Any]]  # `get_ncu_preset` by name; read from frx when it is first asked for


def analyze_ncu_csv(path: str, gpu_model: Optional[str] = None, environment: Optional[Mapping[str, Any]] = None) -> Answer:
    """The result of ``frx analyze FILE --json`` (``ncu_analysis_v1``) for an export or a report of ncu.

    It has bottlenecks (label, score from 0 to 1, evidence with the place where each value was read), kernels, ncu_run_summary,
    kernel_attribution and recommendations; names end in their units (``_pct``, ``_us``, ``_gbps``), and what was not measured
    is None. Raises FrxError when it is no profile or cannot be read, FrxUnavailable without frx.
    """
    answer: Answer = result_of(["analyze", os.fspath(path), *gpu_options(gpu_model, environment)])
    return answer


def analyze_ncu_csv_text(text: str, gpu_model: Optional[str] = None, environment: Optional[Mapping[str, Any]] = None) -> Answer:
    """As `analyze_ncu_csv`, for the text of an export. `environment` is that of a run, of which gpu_model or gpu_type is used."""
    answer: Answer = analyze_text(text, "profile.csv", gpu_options(gpu_model, environment))
    return answer


def analyze_ncu_profile_dict(profile: Mapping[str, Any], gpu_model: Optional[str] = None) -> Answer:
    """The same for counters in a dictionary: ``{"KERNEL": {"COUNTER": value}}``, or that under "metrics"; values in base units
    (seconds are not: ``gpu__time_duration.sum`` is in ns). Raises FrxError when there are no counters in it, FrxUnavailable."""
    counters = profile["metrics"] if isinstance(profile.get("metrics"), dict) else profile
    answer: Answer = analyze_text(json.dumps({"metrics": counters}), "profile.json", gpu_options(gpu_model))
    return answer


def classify_ncu_bottlenecks(text: str, gpu_model: Optional[str] = None) -> List[Dict[str, Any]]:
    """Only the ranked labels of `analyze_ncu_csv_text`."""
    return list(analyze_ncu_csv_text(text, gpu_model)["bottlenecks"])


def derive_ncu_run_summary(text: str, gpu_model: Optional[str] = None) -> Dict[str, Any]:
    """Only the averages over the kernels, weighted by their time (`ncu_run_summary`); None for what was not measured."""
    return dict(analyze_ncu_csv_text(text, gpu_model)["ncu_run_summary"])


def summarize_kernel_launches(text: str, gpu_model: Optional[str] = None) -> List[Dict[str, Any]]:
    """Only the kernels with their metrics and launch attributes (`kernel_summaries`)."""
    return list(analyze_ncu_csv_text(text, gpu_model)["kernel_summaries"])


def validate_ncu_csv_text(text: str, preset: Optional[str] = None) -> Dict[str, Any]:
    """Whether `text` is an export of ncu, and which metrics of the presets it lacks, as ``validation`` of ``ncu_analysis_v1``.

    valid, preset, present_metrics, missing_metrics_by_preset, warnings, errors. With `preset` it is valid only when no metric of that
    preset is missing. A text that cannot be read is not valid, with the message of frx among errors; nothing is raised for it.
    Raises ValueError for a preset that is not known, FrxUnavailable.
    """
    if preset is not None and preset not in _presets():
        raise ValueError(f"preset {preset!r} is not known; known are {', '.join(_presets())}")
    try:
        found = dict(analyze_ncu_csv_text(text)["validation"], preset=preset)
    except FrxError as error:
        nothing: Dict[str, List[str]] = {}
        return {
            "valid": False,
            "preset": preset,
            "present_metrics": [],
            "missing_metrics_by_preset": nothing,
            "warnings": [],
            "errors": [str(error)],
        }
    if preset is not None and found["missing_metrics_by_preset"].get(preset):
        found["valid"] = False
        found["errors"] = [*found["errors"], f"{preset}: not in the file: {', '.join(found['missing_metrics_by_preset'][preset])}"]
    return found


def build_ncu_command(preset: str = "full", command: Sequence[str] = ()) -> List[str]:
    """The ncu command that collects `preset` ("memory", "tensor", "occupancy", "stalls", "full") for `command`, as arguments.

    Raises FrxError for a preset that is not known, FrxUnavailable."""
    behind = ["--", *command] if command else []
    return list(result_of(["ncu-command", preset, "--json", *behind], json_option=False)["command"])


def format_shell_command(command: Sequence[str]) -> str:
    """Arguments as one line for a shell: of `build_ncu_command`, what can be pasted."""
    return " ".join(shlex.quote(one) for one in command)


@functools.lru_cache(maxsize=1)
def _presets() -> Dict[str, Dict[str, Any]]:
    return {one["name"]: one for one in result_of(["ncu-command", "--list", "--json"], json_option=False)["presets"]}


def get_ncu_preset(name: str) -> Dict[str, Any]:
    """A preset: name, description, metrics (names of counters), required_canonical_metrics. Raises KeyError, FrxUnavailable."""
    if name not in _presets():
        raise KeyError(f"{name!r}; known are {', '.join(_presets())}")
    return dict(_presets()[name])


def describe_ncu_presets() -> List[Dict[str, Any]]:
    """All presets, each as `get_ncu_preset` has it. Raises FrxUnavailable."""
    return [dict(one) for one in _presets().values()]


def __getattr__(name: str) -> Any:
    if name == "NCU_METRIC_PRESETS":
        return {preset["name"]: preset for preset in describe_ncu_presets()}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
