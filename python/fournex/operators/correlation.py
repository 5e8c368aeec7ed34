"""Which operator launched each kernel, as torch.profiler knows it: NAME.corr.json.

This runs without Nsight Systems, for only one of the two can have the GPU's activity records. A kernel is known by its name and by the how
manyth of that name it is since the measured window began, so that the capture's kernels, recorded in another run of the same iterations, can
be found in it.
"""

from __future__ import annotations

import collections
import json
import os
import re
import tempfile
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from .capture import say_once

SCHEMA_VERSION = "1.0"
_KERNEL = ("kernel",)
_CALL = ("cuda_runtime", "cuda_driver", "runtime")
_OPERATOR = ("cpu_op", "operator")
_NAME_OF_OPERATOR = re.compile(r"[A-Za-z_]\w*(::\w[\w.]*)+")  # no "autograd::engine::evaluate_function: MulBackward0"
_NO_OPERATORS = ("prims::", "torch::")  # they stand around operators, and are none


class Launch(NamedTuple):
    """A kernel and the call that launched it; `at` in µs of the trace, `thread` (process, thread), None where there is no such call."""

    at: float
    kernel_at: float
    kernel_name: str
    thread: Optional[Tuple[Any, Any]]


def _kind(event: Dict[str, Any]) -> str:
    return str(event.get("cat", "")).lower() if event.get("ph") == "X" else ""


def _correlation(event: Dict[str, Any]) -> Any:
    return (event.get("args") or {}).get("correlation")


def _calls(events: List[Dict[str, Any]]) -> Dict[Any, Dict[str, Any]]:
    """The call of each correlation number: of several the one that launches, of those the innermost, which is the latest."""
    calls: Dict[Any, Dict[str, Any]] = {}
    for event in events:
        if _kind(event) in _CALL and _correlation(event) is not None:
            known = calls.get(_correlation(event))
            if known is None or _rank_of_call(event) > _rank_of_call(known):
                calls[_correlation(event)] = event
    return calls


def _rank_of_call(event: Dict[str, Any]) -> Tuple[bool, float]:
    return "Launch" in event["name"], event["ts"]


def launches(events: List[Dict[str, Any]]) -> List[Launch]:
    """The kernels of a trace in the order in which they were launched; those of one launch of a graph in the order in which they ran."""
    calls = _calls(events)
    found = []
    for event in events:
        if _kind(event) in _KERNEL:
            call = calls.get(_correlation(event))
            at = event["ts"] if call is None else call["ts"]
            found.append(Launch(at, event["ts"], event["name"], None if call is None else (call["pid"], call["tid"])))
    return sorted(found, key=lambda one: (one.at, one.kernel_at))


def _innermost(stack: List[Tuple[float, str]]) -> Optional[str]:
    """The operator at the top of the open ranges of a thread; None where something else stands between it and the launch."""
    for _, name in reversed(stack):
        if not _NAME_OF_OPERATOR.fullmatch(name):
            return None
        if not name.startswith(_NO_OPERATORS):
            return name
    return None


def _operators_of_thread(operators: List[Tuple[float, float, str]], points: List[Tuple[float, int]]) -> Iterator[Tuple[int, Optional[str]]]:
    """For each point (time, number) the operator that encloses it; operators are (begin, end, name) and nest. In O(n log n)."""
    operators.sort(key=lambda one: (one[0], -one[1]))
    stack: List[Tuple[float, str]] = []
    following = 0
    for at, number in sorted(points):
        while following < len(operators) and operators[following][0] <= at:
            begin, end, name = operators[following]
            while stack and stack[-1][0] <= begin:
                stack.pop()
            stack.append((end, name))
            following += 1
        while stack and stack[-1][0] <= at:
            stack.pop()
        yield number, _innermost(stack)


def entries_of(trace: Union[Dict[str, Any], List[Any]]) -> Tuple[List[Dict[str, Any]], int]:
    """The entries of NAME.corr.json from a Chrome trace of torch.profiler, and how many kernels no operator launched.

    Kernels without an operator have no entry, but count among those of their name."""
    every = trace.get("traceEvents", []) if isinstance(trace, dict) else trace  # a bare list: PyTorch without Kineto
    events = [event for event in every if isinstance(event, dict)]
    operators: Dict[Any, List[Tuple[float, float, str]]] = collections.defaultdict(list)
    points: Dict[Any, List[Tuple[float, int]]] = collections.defaultdict(list)
    for event in events:
        if _kind(event) in _OPERATOR:
            operators[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event.get("dur", 0), event["name"]))
    ordered = launches(events)
    for number, launch in enumerate(ordered):
        if launch.thread is not None:
            points[launch.thread].append((launch.at, number))
    names: Dict[int, Optional[str]] = {}
    for thread, of_thread in points.items():
        names.update(_operators_of_thread(operators[thread], of_thread))
    return _counted(ordered, names)


def _counted(ordered: List[Launch], names: Dict[int, Optional[str]]) -> Tuple[List[Dict[str, Any]], int]:
    seen: Dict[str, int] = collections.Counter()
    entries = []
    for number, launch in enumerate(ordered):
        if names.get(number) is not None:
            entries.append({"kernel_name": launch.kernel_name, "invocation": seen[launch.kernel_name], "op_name": names[number]})
        seen[launch.kernel_name] += 1
    return entries, len(ordered) - len(entries)


def _traced(work: Callable[[], Any], iterations: int) -> Dict[str, Any]:
    import torch
    from torch.profiler import ProfilerActivity, profile

    has_cuda = torch.cuda.is_available()
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if has_cuda else [])
    with profile(activities=activities) as profiled:
        for _ in range(iterations):
            work()
        if has_cuda:
            torch.cuda.synchronize()
    descriptor, path = tempfile.mkstemp(suffix=".json")
    os.close(descriptor)
    try:
        profiled.export_chrome_trace(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            return json.load(file, strict=False)  # file names and annotations of the program are copied into it as they are
    finally:
        os.unlink(path)


def correlation_pass(work: Callable[[], Any], warmup_iters: int, measure_iters: int) -> Tuple[Dict[str, Any], int]:
    """The content of NAME.corr.json: `work` warms up, then runs under torch.profiler; and how many kernels no operator launched.

    Without CUDA there are no kernels, and one warning says so. Raises what `work` and torch.profiler raise."""
    import torch

    for _ in range(warmup_iters):
        work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    else:
        say_once("there is no CUDA here: torch.profiler sees no kernel")
    entries, without = entries_of(_traced(work, measure_iters))
    return {"schema_version": SCHEMA_VERSION, "entries": entries}, without
