"""Analysis of the events of a run. The analysis is done by frx: see `fournex._native` for where it is searched.

    from fournex.analysis import summarize_run_with_steady_state
    summary = summarize_run_with_steady_state(events)
    summary["steady_state"]["diagnosis"]["user_facing_bottleneck"]     # "input_bound"

All functions take events as `get_local_events` or `load_run_record` give them. They raise FrxError when frx rejects the events
and FrxUnavailable when there is no frx.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Iterable, List, Optional

from ._native import FrxError, FrxUnavailable, result_of
from .events import Event, line_of
from .ncu import analyze_ncu_csv, analyze_ncu_csv_text, build_ncu_command, classify_ncu_bottlenecks
from .ptx import analyze_ptx_text, classify_ptx_bottlenecks

__all__ = [
    "FrxError",
    "FrxUnavailable",
    "analyze_ncu_csv",
    "analyze_ncu_csv_text",
    "analyze_ptx_text",
    "build_diagnosis_result",
    "build_ncu_command",
    "classify_bottlenecks",
    "classify_ncu_bottlenecks",
    "classify_ptx_bottlenecks",
    "compute_framework_abstraction_tax",
    "derive_run_summary",
    "derive_step_metrics",
    "select_steady_state_step_ids",
    "summarize_run",
    "summarize_run_with_steady_state",
    "summarize_steady_state",
]


def summarize_run_with_steady_state(events: Iterable[Event]) -> Dict[str, Any]:
    """The summary of a run as ``derived/summary.json`` has it: the scopes ``run`` and ``steady_state``, and their comparison."""
    with tempfile.TemporaryDirectory(prefix="frx-") as folder:
        os.mkdir(os.path.join(folder, "raw"))
        with open(os.path.join(folder, "raw", "trace.jsonl"), "w", encoding="ascii") as file:
            file.writelines(line_of(event) for event in events)
        return result_of(["analyze", folder], hide=folder)


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
