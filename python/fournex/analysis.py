"""Analysis of the events of a run. The analysis is done by frx: see `fournex._native` for where it is searched.

    from fournex.analysis import summarize_run_with_steady_state
    summary = summarize_run_with_steady_state(events)
    summary["steady_state"]["diagnosis"]["user_facing_bottleneck"]     # "input_bound"

All functions take events as `get_local_events` or `load_run_record` give them. They raise FrxError when frx rejects the events
and FrxUnavailable when there is no frx.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, Optional

from ._native import FrxError, FrxUnavailable, Text, result_of
from .answers import Answer
from .bench import bench_compare, compile_kernel, profile_with_ncu, time_binary
from .compare import compare_implementations, diff_ncu_runs
from .cuda_source import (
    build_static_cuda_report,
    inspect_cuda_files,
    inspect_cuda_source,
    parse_cuda_kernels,
    parse_cuda_launches,
)
from .events import Event, line_of
from .explain import build_explain_prompt, build_explain_result, write_explain_files
from .gpus import (
    detect_gpu_model,
    device_limits_for_gpu,
    estimate_occupancy,
    get_arch_profile,
    resolve_sm_version,
)
from .ncu import (
    analyze_ncu_csv,
    analyze_ncu_csv_text,
    analyze_ncu_profile_dict,
    build_ncu_command,
    classify_ncu_bottlenecks,
    derive_ncu_run_summary,
    describe_ncu_presets,
    format_shell_command,
    get_ncu_preset,
    summarize_kernel_launches,
    validate_ncu_csv_text,
)
from .ptx import analyze_ptx_text, classify_ptx_bottlenecks, parse_ptx_text
from .reconciliation import reconcile_evidence, what_evidence_is_missing

__all__ = [
    "Answer",
    "FrxError",
    "FrxUnavailable",
    "analyze_ncu_csv",
    "analyze_ncu_csv_text",
    "analyze_ncu_profile_dict",
    "analyze_ptx_text",
    "bench_compare",
    "build_diagnosis_result",
    "build_explain_prompt",
    "build_explain_result",
    "build_ncu_command",
    "build_static_cuda_report",
    "classify_bottlenecks",
    "classify_ncu_bottlenecks",
    "classify_ptx_bottlenecks",
    "compare_implementations",
    "compile_kernel",
    "compute_framework_abstraction_tax",
    "derive_ncu_run_summary",
    "derive_run_summary",
    "derive_step_metrics",
    "describe_ncu_presets",
    "detect_gpu_model",
    "device_limits_for_gpu",
    "diff_ncu_runs",
    "estimate_occupancy",
    "format_shell_command",
    "get_arch_profile",
    "get_ncu_preset",
    "inspect_cuda_files",
    "inspect_cuda_source",
    "parse_cuda_kernels",
    "parse_cuda_launches",
    "parse_ptx_text",
    "profile_with_ncu",
    "reconcile_evidence",
    "resolve_sm_version",
    "select_steady_state_step_ids",
    "summarize_kernel_launches",
    "summarize_run",
    "summarize_run_with_steady_state",
    "summarize_steady_state",
    "time_binary",
    "validate_ncu_csv_text",
    "what_evidence_is_missing",
    "write_explain_files",
]


def summarize_run_with_steady_state(events: Iterable[Event]) -> Answer:
    """The summary of a run as ``derived/summary.json`` has it: the scopes ``run`` and ``steady_state``, and their comparison."""
    lines = "".join(line_of(event) for event in events)
    answer: Answer = result_of(["analyze", Text(lines, os.path.join("raw", "trace.jsonl"), is_folder=True)])
    return answer


def summarize_run(events: Iterable[Event]) -> Dict[str, Any]:
    """The scope of all steps."""
    return summarize_run_with_steady_state(events)["run"]


def summarize_steady_state(events: Iterable[Event]) -> Dict[str, Any]:
    """The scope of the steps after the warm-up steps."""
    return summarize_run_with_steady_state(events)["steady_state"]


def derive_step_metrics(events: Iterable[Event]) -> List[Dict[str, Any]]:
    """One entry per step; times in ns."""
    return summarize_run(events)["per_step"]


def derive_run_summary(events: Iterable[Event]) -> Dict[str, Any]:
    """Averages and sums over the run."""
    return summarize_run(events)["run_summary"]


def classify_bottlenecks(events: Iterable[Event]) -> List[Dict[str, Any]]:
    """The labels of the run, highest score first."""
    return summarize_run(events)["bottlenecks"]


def build_diagnosis_result(events: Iterable[Event]) -> Dict[str, Any]:
    """The diagnosis of the run: primary_bottleneck, confidence, why, recommendations."""
    return summarize_run(events)["diagnosis"]


def compute_framework_abstraction_tax(events: Iterable[Event]) -> Optional[Dict[str, Any]]:
    """The cost of the framework between kernels; None when no profiler window was recorded."""
    return summarize_run(events).get("framework_abstraction_tax")


def select_steady_state_step_ids(events: Iterable[Event]) -> List[int]:
    """The steps that count as steady state."""
    return summarize_steady_state(events)["scope"]["step_ids"]
