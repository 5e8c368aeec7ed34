"""The first event of every trace: the machine, and the offset of its two clocks.

Nothing is imported and no GPU is used for it: modules that the program has not loaded yet are left out.
"""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from typing import Any, Dict, List, Tuple

from ._version import __version__
from .ranks import distributed


def clock_pair() -> Tuple[int, int]:
    """The same moment in ns on the monotonic clock, of the timestamps of events, and since 1970, which traces of
    torch.profiler and GPU samples use. The closest of five readings: a few hundred ns apart."""
    best = None
    for _ in range(5):
        before = time.monotonic_ns()
        unix = time.time_ns()
        after = time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = (after - before, (before + after) // 2, unix)
    assert best is not None
    return best[1], best[2]


def _torch_facts() -> Dict[str, Any]:
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    facts: Dict[str, Any] = {}
    if isinstance(getattr(torch, "__version__", None), str):
        facts["pytorch_version"] = str(torch.__version__)
    runtime = getattr(getattr(torch, "version", None), "cuda", None)
    if isinstance(runtime, str):
        facts["cuda_runtime_version"] = runtime
    devices = gpu_names(torch)
    if devices:
        facts.update(gpu_count=len(devices), devices=devices)
    return facts


def gpu_names(torch: Any) -> List[str]:
    """The GPUs that the program uses, by index; none before it has begun to use them."""
    try:
        if not torch.cuda.is_initialized():
            return []
        return [str(torch.cuda.get_device_name(index)) for index in range(torch.cuda.device_count())]
    except Exception:
        return []


def system_info() -> Dict[str, Any]:
    """The payload. Beyond the keys of docs/contract.md: the clock pair, the rank, and the version of this package."""
    monotonic, unix = clock_pair()
    system = platform.uname()
    return {
        "hostname": socket.gethostname(),
        "platform": f"{system.system}-{system.release}-{system.machine}",
        "cpu_count": os.cpu_count() or 1,
        "python_version": platform.python_version(),
        **_torch_facts(),
        "clock_monotonic_ns": monotonic,
        "clock_unix_ns": unix,
        **distributed(),
        "sdk_version": __version__,
    }
