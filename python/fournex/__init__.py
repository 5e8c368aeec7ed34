"""Records the waits of a training run, and asks frx for its analyses. Pure Python; PyTorch is optional.

    import fournex as frx

    frx.init(job_name="my-run")
    loader = frx.instrument_dataloader(loader)
    for step, batch in enumerate(loader):
        with frx.step_context(step=step, batch=batch, model=model):
            ...

Without `init` and outside of `frx collect` nothing is recorded, and every call returns at once.

Analyses are those of frx, by libfrx.so in this process; answers are dictionaries as data/schemas describes them:

    frx.analyze_ncu_csv("report.csv")["primary_bottleneck"]
    frx.what_evidence_is_missing(static=frx.inspect_cuda_source(source))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import runtime as _runtime
from ._version import __version__
from .dataloader import InstrumentedDataLoader, dataloader_span, instrument_dataloader, instrument_in_place
from .events import EVENT_LEVELS, EVENT_SOURCES, EVENT_TYPES, SCHEMA_VERSION, make_event
from .persistence import (
    load_run_record,
    persist_local_trace,
    persist_run_artifacts,
    persist_run_summary,
    persist_run_with_steady_state_summary,
)
from .runtime import (
    begin_span,
    build_runtime_event,
    clear_local_events,
    emit_event,
    end_span,
    flush,
    get_local_events,
    get_runtime_config,
    init,
    shutdown,
)
from .sampled_profiler import (
    configure_sampled_profiler,
    get_profiler_controller,
    profiler_step_end,
    profiler_step_start,
    profiler_window,
)
from .session import AutopilotSession
from .shapes import describe_batch, extract_dtypes, extract_shapes, infer_batch_size, infer_sequence_length
from .spans import phase, sync_wait, time_memcpy, time_phase, time_region
from .steps import step_context

if TYPE_CHECKING:
    from ._native import FrxError, FrxUnavailable
    from .analysis import summarize_run_with_steady_state
    from .answers import Answer
    from .bench import bench_compare, compile_kernel, profile_with_ncu, time_binary
    from .compare import compare_implementations, diff_ncu_runs
    from .cuda_source import inspect_cuda_files, inspect_cuda_source
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
        validate_ncu_csv_text,
    )
    from .ptx import analyze_ptx_text
    from .reconciliation import reconcile_evidence, what_evidence_is_missing

# What asks frx, by the module it is in, which is loaded when it is first asked for: a program that only records has no use for it.
_ASKING = {
    "Answer": "answers",
    "FrxError": "_native",
    "FrxUnavailable": "_native",
    "analyze_ncu_csv": "ncu",
    "analyze_ncu_csv_text": "ncu",
    "analyze_ncu_profile_dict": "ncu",
    "analyze_ptx_text": "ptx",
    "bench_compare": "bench",
    "build_explain_prompt": "explain",
    "build_explain_result": "explain",
    "build_ncu_command": "ncu",
    "classify_ncu_bottlenecks": "ncu",
    "compare_implementations": "compare",
    "compile_kernel": "bench",
    "detect_gpu_model": "gpus",
    "device_limits_for_gpu": "gpus",
    "diff_ncu_runs": "compare",
    "estimate_occupancy": "gpus",
    "get_arch_profile": "gpus",
    "inspect_cuda_files": "cuda_source",
    "inspect_cuda_source": "cuda_source",
    "profile_with_ncu": "bench",
    "reconcile_evidence": "reconciliation",
    "resolve_sm_version": "gpus",
    "summarize_run_with_steady_state": "analysis",
    "time_binary": "bench",
    "validate_ncu_csv_text": "ncu",
    "what_evidence_is_missing": "reconciliation",
    "write_explain_files": "explain",
}

__all__ = [
    "Answer",
    "AutopilotSession",
    "EVENT_LEVELS",
    "EVENT_SOURCES",
    "EVENT_TYPES",
    "FrxError",
    "FrxUnavailable",
    "InstrumentedDataLoader",
    "SCHEMA_VERSION",
    "__version__",
    "analyze_ncu_csv",
    "analyze_ncu_csv_text",
    "analyze_ncu_profile_dict",
    "analyze_ptx_text",
    "begin_span",
    "bench_compare",
    "build_explain_prompt",
    "build_explain_result",
    "build_ncu_command",
    "build_runtime_event",
    "classify_ncu_bottlenecks",
    "clear_local_events",
    "compare_implementations",
    "compile_kernel",
    "configure_sampled_profiler",
    "dataloader_span",
    "describe_batch",
    "detect_gpu_model",
    "device_limits_for_gpu",
    "diff_ncu_runs",
    "emit_event",
    "end_span",
    "estimate_occupancy",
    "extract_dtypes",
    "extract_shapes",
    "flush",
    "get_arch_profile",
    "get_local_events",
    "get_profiler_controller",
    "get_runtime_config",
    "infer_batch_size",
    "infer_sequence_length",
    "init",
    "inspect_cuda_files",
    "inspect_cuda_source",
    "instrument_dataloader",
    "instrument_in_place",
    "load_run_record",
    "make_event",
    "persist_local_trace",
    "persist_run_artifacts",
    "persist_run_summary",
    "persist_run_with_steady_state_summary",
    "phase",
    "profile_with_ncu",
    "profiler_step_end",
    "profiler_step_start",
    "profiler_window",
    "reconcile_evidence",
    "resolve_sm_version",
    "shutdown",
    "step_context",
    "summarize_run_with_steady_state",
    "sync_wait",
    "time_binary",
    "time_memcpy",
    "time_phase",
    "time_region",
    "validate_ncu_csv_text",
    "what_evidence_is_missing",
    "write_explain_files",
]


def __getattr__(name: str) -> Any:
    if name not in _ASKING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module("." + _ASKING[name], __name__), name)


_runtime.start_if_collected()
