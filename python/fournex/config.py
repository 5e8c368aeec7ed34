"""The sources of the settings of a run: keyword of `init`, then environment, then default.

`frx collect` sets the variables for the workload that it starts; paths in them are absolute.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional

DEFAULT_SAMPLE_INTERVAL_MS = 1000
# Events kept for `get_local_events`, of about 1 kB each; when there is a file, older ones are only in the file.
LOCAL_EVENTS_BESIDE_A_FILE = 1_000
LOCAL_EVENTS_ALONE = 100_000

KEYWORDS = (
    "job_name",
    "output_dir",
    "raw_output_dir",
    "derived_output_dir",
    "sample_interval_ms",
    "run_id",
    "raw_trace_path",
    "derived_summary_path",
    "enable_cupti",
    "cupti_debug_mode",
    "stream_trace",
    "local_event_limit",
)


def is_on(value: Optional[str]) -> bool:
    """Whether a switch of the environment is on: set, and not 0, false or empty."""
    return value is not None and value.strip().lower() not in ("", "0", "false", "no", "off")


def wants_auto_persist(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether `frx collect` requests the events of this process."""
    return is_on(environment.get("FRX_AUTO_PERSIST"))


def positive_int(text: Any, default: int) -> int:
    """`text` as a number above zero; another value of a variable counts as not set."""
    try:
        value = int(text)
    except (TypeError, ValueError):
        return default
    return value if value > 0 else default


def resolve(given: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Dict[str, Any]:
    """The settings of a run as one dictionary with every key of `KEYWORDS`, and `auto_persist`.

    Paths are made absolute, so that a workload that changes its folder still writes to them.
    Raises TypeError for an unknown keyword.
    """
    unknown = sorted(set(given) - set(KEYWORDS))
    if unknown:
        raise TypeError(f"init() got an unexpected keyword argument {unknown[0]!r}; known are {', '.join(KEYWORDS)}")

    def setting(keyword: str, variable: str, default: Any) -> Any:
        if given.get(keyword) is not None:
            return given[keyword]
        return environment.get(variable) or default

    output = setting("output_dir", "FRX_OUTPUT_DIR", "./traces")
    raw = given.get("raw_output_dir") or output
    derived = given.get("derived_output_dir") or output
    run_id = str(setting("run_id", "FRX_RUN_ID", "run-" + os.urandom(6).hex()))
    auto_persist = wants_auto_persist(environment)
    streams = _streams(given, environment, auto_persist)
    return {
        "job_name": str(setting("job_name", "FRX_JOB_NAME", "unknown-job")),
        "run_id": run_id,
        "output_dir": os.path.abspath(output),
        "raw_output_dir": os.path.abspath(raw),
        "derived_output_dir": os.path.abspath(derived),
        "raw_trace_path": os.path.abspath(setting("raw_trace_path", "FRX_RAW_TRACE_PATH", os.path.join(raw, run_id + ".jsonl"))),
        "derived_summary_path": os.path.abspath(
            setting("derived_summary_path", "FRX_DERIVED_SUMMARY_PATH", os.path.join(derived, run_id + "_summary.json"))
        ),
        "sample_interval_ms": positive_int(
            setting("sample_interval_ms", "FRX_SAMPLE_INTERVAL_MS", DEFAULT_SAMPLE_INTERVAL_MS), DEFAULT_SAMPLE_INTERVAL_MS
        ),
        # Accepted for compatibility (docs/contract.md); there is no CUPTI in pure Python.
        "enable_cupti": bool(given.get("enable_cupti") or False),
        "cupti_debug_mode": bool(given.get("cupti_debug_mode") or False),
        "stream_trace": streams,
        "local_event_limit": positive_int(
            given.get("local_event_limit"), LOCAL_EVENTS_BESIDE_A_FILE if streams else LOCAL_EVENTS_ALONE
        ),
        "auto_persist": auto_persist,
        # A file named by the environment belongs to a collected run, which several programs may write one after the other.
        "keep_existing_trace": given.get("raw_trace_path") is None and bool(environment.get("FRX_RAW_TRACE_PATH")),
    }


def _streams(given: Mapping[str, Any], environment: Mapping[str, str], auto_persist: bool) -> bool:
    if given.get("stream_trace") is not None:
        return bool(given["stream_trace"])
    if environment.get("FRX_STREAM_TRACE") is not None:
        return is_on(environment["FRX_STREAM_TRACE"])
    return auto_persist
