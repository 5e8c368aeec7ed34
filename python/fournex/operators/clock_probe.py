"""The clocks that a GPU keeps up under load, and the file that they are kept in: a run before a change and one after it need the same."""

from __future__ import annotations

import json
import statistics
import threading
import time
from typing import Callable, Iterable, List, Optional, Tuple

from ..recorder import say
from .nvidia_smi import Clocks, ClocksUnavailable, NvidiaSmi
from .records import written

CACHE_VALID_S = 6 * 3600.0
PROBE_SIZE = 8192  # rows and columns of the matrices that are multiplied
_BETWEEN_SAMPLES_S = 0.05

# Works on the GPU until the function that it is given returns True. The first call of that function begins the probe: by then it works.
Load = Callable[[Callable[[], bool]], None]


def snapped(clocks: Clocks, supported: List[Clocks]) -> Clocks:
    """The highest supported clocks that are not above `clocks`; the lowest where all are. First the memory, which decides what the
    graphics clock can be."""
    if not supported:
        return clocks
    memory = _at_most([one.memory_mhz for one in supported if one.memory_mhz], clocks.memory_mhz)
    return Clocks(_at_most([one.graphics_mhz for one in supported if one.memory_mhz == memory], clocks.graphics_mhz), memory)


def _at_most(values: Iterable[int], limit: Optional[int]) -> int:
    every = sorted(set(values))
    below = [value for value in every if limit is None or value <= limit]
    return below[-1] if below else every[0]


def multiply_matrices(is_over: Callable[[], bool]) -> None:
    """The load of the probe: products of two matrices of 8192 x 8192 float32 on the current GPU."""
    import torch

    if not torch.cuda.is_available():
        raise ClocksUnavailable("PyTorch sees no GPU to probe")
    a = torch.randn(PROBE_SIZE, PROBE_SIZE, device="cuda")
    b = torch.randn(PROBE_SIZE, PROBE_SIZE, device="cuda")
    torch.mm(a, b)  # makes the library ready, which takes longer than many products
    torch.cuda.synchronize()
    while not is_over():
        torch.mm(a, b)
        torch.cuda.synchronize()  # or the queue would go on after the probe
    del a, b
    torch.cuda.empty_cache()


def probed(smi: NvidiaSmi, load: Load, seconds: float) -> Clocks:
    """The median clocks, in MHz, while `load` runs for `seconds`. The first half is warm-up."""
    samples: List[Tuple[int, int]] = []
    trouble: List[Exception] = []
    begun, over = threading.Event(), threading.Event()

    def is_over() -> bool:
        begun.set()
        return over.is_set()

    def sample() -> None:
        begun.wait()
        began = time.monotonic()
        try:
            while not over.is_set() and (time.monotonic() < began + seconds or not samples):
                graphics, memory = smi.query("clocks.gr", "clocks.mem")
                if time.monotonic() >= began + seconds / 2 and not over.is_set():  # else the GPU may be idle already
                    samples.append((int(graphics), int(memory)))
                over.wait(_BETWEEN_SAMPLES_S)
        except (ClocksUnavailable, ValueError) as error:
            trouble.append(error)
        finally:
            over.set()

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    try:
        load(is_over)
    except Exception as error:  # as out of memory: a capture does not fail for want of a probe
        trouble.append(error)
    finally:
        over.set()
        begun.set()
        sampler.join()
    if not samples or trouble:
        raise ClocksUnavailable(f"the clocks could not be sampled: {trouble[0] if trouble else 'the load ended too early'}")
    return Clocks(int(statistics.median(one[0] for one in samples)), int(statistics.median(one[1] for one in samples)))


def cached(path: str, gpu_name: str, now: float) -> Optional[Clocks]:
    """The clocks of the latest probe of such a GPU, unless it is older than 6 hours or the file is none of ours."""
    try:
        with open(path, encoding="utf-8") as file:
            entry = json.load(file)
        age = now - entry["ts"]
        if entry["gpu_name"] == gpu_name and 0 <= age <= CACHE_VALID_S:
            return Clocks(int(entry["graphics_mhz"]), int(entry["memory_mhz"]))
    except (OSError, ValueError, TypeError, KeyError):
        pass
    return None


def keep(path: str, gpu_name: str, clocks: Clocks, now: float) -> None:
    entry = {"gpu_name": gpu_name, "graphics_mhz": clocks.graphics_mhz, "memory_mhz": clocks.memory_mhz, "ts": now}
    try:
        written(path, entry)
    except OSError as error:
        say("fournex: the probed clocks are not kept: %s", error)
