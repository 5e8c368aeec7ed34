"""Records the waits of a training run, for `frx collect` and `frx analyze`. Pure Python; PyTorch is optional.

    import fournex as frx

    frx.init(job_name="my-run")
    loader = frx.instrument_dataloader(loader)
    for step, batch in enumerate(loader):
        with frx.step_context(step=step, batch=batch, model=model):
            ...

Without `init` and outside of `frx collect` nothing is recorded, and every call returns at once.
"""

from . import runtime as _runtime
from ._version import __version__
from .dataloader import InstrumentedDataLoader, dataloader_span, instrument_dataloader, instrument_in_place
from .events import EVENT_LEVELS, EVENT_SOURCES, EVENT_TYPES, SCHEMA_VERSION, make_event
from .persistence import load_run_record, persist_local_trace, persist_run_artifacts, persist_run_summary
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

__all__ = [
    "AutopilotSession",
    "EVENT_LEVELS",
    "EVENT_SOURCES",
    "EVENT_TYPES",
    "InstrumentedDataLoader",
    "SCHEMA_VERSION",
    "__version__",
    "begin_span",
    "build_runtime_event",
    "clear_local_events",
    "configure_sampled_profiler",
    "dataloader_span",
    "describe_batch",
    "emit_event",
    "end_span",
    "extract_dtypes",
    "extract_shapes",
    "flush",
    "get_local_events",
    "get_profiler_controller",
    "get_runtime_config",
    "infer_batch_size",
    "infer_sequence_length",
    "init",
    "instrument_dataloader",
    "instrument_in_place",
    "load_run_record",
    "make_event",
    "persist_local_trace",
    "persist_run_artifacts",
    "persist_run_summary",
    "phase",
    "profiler_step_end",
    "profiler_step_start",
    "profiler_window",
    "shutdown",
    "step_context",
    "sync_wait",
    "time_memcpy",
    "time_phase",
    "time_region",
]

_runtime.start_if_collected()
