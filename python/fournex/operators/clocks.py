"""GPU clocks held still while a capture runs, so that two captures can be compared: `ClockLock`.

    with ClockLock("probe") as lock:
        ...
    lock.result     # {"requested": "probe", "status": "locked", "graphics_mhz": 1410, "memory_mhz": 1215, ...}

It does what it can: needs nvidia-smi, and root or a sudo that asks no password. Where something is missing the work runs unlocked, and
`result` says why. Clocks are given back at the end of the block, by an exception, and by SIGTERM; not by SIGKILL:
``sudo nvidia-smi -rgc; sudo nvidia-smi -rmc``.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ..recorder import say
from .clock_probe import Load, cached, keep, multiply_matrices, probed, snapped
from .nvidia_smi import Clocks, ClocksUnavailable, NvidiaSmi, gpu_of_process, parse_request

CACHE = ".gpu_clock_lock.json"
PROBE_SECONDS = 2.0


class ClockLock:
    """Locks the clocks of a GPU for a block. Never raises for want of a GPU, nvidia-smi or rights; `result` says what was done.

    request    "probe" (the clocks under load, or those of a probe of the last 6 hours), "max", or Clocks in MHz
    gpu        as `nvidia-smi -i` names it; None: the first of this process
    gpu_name   the name that PyTorch gives it; where nvidia-smi names another GPU nothing is locked
    program    nvidia-smi; None: of PATH.  sudo: put before it; None: "sudo -n", nothing for root
    cache      the file of the probe
    load       of the probe, which gets a function that tells whether it may end

    `result`: requested, status ("locked", "not_locked"), gpu_name, graphics_mhz, memory_mhz, source ("probe", "cache", "max", "given"), and
    notes, a list of what went wrong. None where it is not known or was not locked.
    """

    def __init__(
        self,
        request: Union[str, Clocks] = "probe",
        gpu: Optional[str] = None,
        gpu_name: Optional[str] = None,
        program: Optional[str] = None,
        sudo: Optional[Sequence[str]] = None,
        cache: str = CACHE,
        load: Load = multiply_matrices,
        probe_seconds: float = PROBE_SECONDS,
    ) -> None:
        self._request = parse_request(request) if isinstance(request, str) else Clocks(*request)
        self._gpu = gpu_of_process() if gpu is None else gpu
        self._expected_name = gpu_name
        self._program, self._sudo = program, sudo
        self._cache, self._load, self._probe_seconds = os.path.abspath(cache), load, probe_seconds
        self._smi: Optional[NvidiaSmi] = None
        self._undo: List[List[str]] = []  # orders that give back what was set, in the order of setting
        self._before: Any = None
        self._handles_sigterm = False
        shown = self._request if isinstance(self._request, str) else f"{self._request.graphics_mhz},{self._request.memory_mhz}"
        self.result: Dict[str, Any] = {
            "requested": shown,
            "status": "not_locked",
            "gpu_name": None,
            "graphics_mhz": None,
            "memory_mhz": None,
            "source": None,
            "notes": [],
        }

    def __enter__(self) -> "ClockLock":
        self._catch_sigterm()
        try:
            self._lock()
        except ClocksUnavailable as error:
            self.result["notes"].append(str(error))
            say("fournex: the GPU's clocks are not locked: %s", error)
            self._give_back()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        self._give_back()
        if self._handles_sigterm:
            signal.signal(signal.SIGTERM, self._before)
            self._handles_sigterm = False

    # -- lock and give back

    def _lock(self) -> None:
        self._smi = smi = NvidiaSmi(self._gpu, self._program, self._sudo)
        name, persistence = smi.query("name", "persistence_mode")
        self.result["gpu_name"] = name
        if self._expected_name is not None and self._expected_name != name:
            raise ClocksUnavailable(f"nvidia-smi -i {self._gpu} is {name}, and the program runs on {self._expected_name}")
        clocks, source = self._chosen(smi, name)
        if persistence != "Enabled":  # without it the driver forgets the lock when the last program ends
            smi.order("-pm", "1")
            self._undo.append(["-pm", "0"])
        smi.order("-lgc", f"{clocks.graphics_mhz},{clocks.graphics_mhz}")
        self._undo.append(["-rgc"])
        self.result.update(status="locked", graphics_mhz=clocks.graphics_mhz, source=source)
        self._lock_memory(smi, clocks)

    def _lock_memory(self, smi: NvidiaSmi, clocks: Clocks) -> None:
        """Many GPUs cannot lock it; the graphics clock alone is worth having."""
        if clocks.memory_mhz is None:
            return
        try:
            smi.order("-lmc", f"{clocks.memory_mhz},{clocks.memory_mhz}")
        except ClocksUnavailable as error:
            self.result["notes"].append(f"the memory clock is not locked: {error}")
            return
        self._undo.append(["-rmc"])
        self.result["memory_mhz"] = clocks.memory_mhz

    def _chosen(self, smi: NvidiaSmi, name: str) -> Tuple[Clocks, str]:
        if isinstance(self._request, Clocks):
            return self._request, "given"
        if self._request == "max":
            supported = smi.supported()
            if not supported:
                raise ClocksUnavailable("nvidia-smi names no supported clocks")
            return max(supported, key=lambda one: (one.memory_mhz or 0, one.graphics_mhz)), "max"
        known = cached(self._cache, name, time.time())
        if known is not None:
            return known, "cache"
        clocks = snapped(probed(smi, self._load, self._probe_seconds), smi.supported())
        keep(self._cache, name, clocks, time.time())
        return clocks, "probe"

    def _give_back(self) -> None:
        while self._undo:
            order = self._undo.pop()
            try:
                assert self._smi is not None
                self._smi.order(*order)
            except ClocksUnavailable as error:
                self.result["notes"].append(f"not given back: {error}")
                say("fournex: the GPU's clocks are still locked: %s", error)

    # -- SIGTERM, by which schedulers and timeouts end a program without its context managers

    def _catch_sigterm(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        is_ours = threading.current_thread() is threading.main_thread() and before not in (None, signal.SIG_IGN)
        if is_ours and not self._handles_sigterm:  # None: a handler of C, which could not be put back
            self._before = signal.signal(signal.SIGTERM, self._terminated)
            self._handles_sigterm = True

    def _terminated(self, number: int, frame: Any) -> None:
        before = self._before
        self.__exit__()
        if callable(before):
            before(number, frame)
        else:
            os.kill(os.getpid(), number)
