"""GPU clocks held still while a capture runs, so that two captures can be compared: `ClockLock`.

    with ClockLock("probe") as lock:
        ...
    lock.result     # {"requested": "probe", "status": "locked", "graphics_mhz": 1410, "memory_mhz": 1215, ...}

It does what it can: needs nvidia-smi, and root or a sudo that asks no password. Where something is missing the work runs unlocked, and
`result` says why. Clocks are given back at the end of the block, by an exception, and by SIGTERM; not by SIGKILL:
``sudo nvidia-smi -rgc; sudo nvidia-smi -rmc``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import threading
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..recorder import say
from .records import written

CACHE = ".gpu_clock_lock.json"
CACHE_VALID_S = 6 * 3600.0
PROBE_SECONDS = 2.0
PROBE_SIZE = 8192  # rows and columns of the matrices that are multiplied
_BETWEEN_SAMPLES_S = 0.05
_PATIENCE_S = 20.0

Load = Callable[[Callable[[], bool]], None]  # works on the GPU until the function that it is given returns True


class ClocksUnavailable(Exception):
    """Why the clocks are not locked."""


class Clocks(NamedTuple):
    """Frequencies in MHz; None: left as it is."""

    graphics_mhz: int
    memory_mhz: Optional[int]


def parse_request(text: str) -> Union[str, Clocks]:
    """"probe", "max", or "1410,1215": graphics and memory clock in MHz. Raises ValueError."""
    if text in ("probe", "max"):
        return text
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdigit() and int(part) > 0 for part in parts):
        raise ValueError(f"expected probe, max or two clocks in MHz like 1410,1215, found {text!r}")
    return Clocks(int(parts[0]), int(parts[1]))


def gpu_of_process() -> str:
    """What `nvidia-smi -i` calls the first GPU of this process: the first of CUDA_VISIBLE_DEVICES, else 0."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip() or "0"


class NvidiaSmi:
    """The few questions and orders for nvidia-smi. Every method raises ClocksUnavailable with what nvidia-smi said."""

    def __init__(self, gpu: str, program: Optional[str] = None, sudo: Optional[Sequence[str]] = None) -> None:
        found = program or shutil.which("nvidia-smi")
        if found is None:
            raise ClocksUnavailable("there is no nvidia-smi")
        self._command = [found, "-i", gpu]
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self._sudo = list(sudo) if sudo is not None else [] if is_root else ["sudo", "-n"]

    def _run(self, command: List[str]) -> str:
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ClocksUnavailable(str(error)) from None
        if done.returncode:
            words = " ".join((done.stderr.strip() or done.stdout.strip()).split())
            raise ClocksUnavailable(f"{' '.join(command)}: exit code {done.returncode}: {words}")
        return done.stdout

    def query(self, *names: str) -> List[str]:
        """The values of `--query-gpu`."""
        answer = self._run([*self._command, "--query-gpu=" + ",".join(names), "--format=csv,noheader,nounits"])
        values = [value.strip() for value in answer.strip().splitlines()[0].split(",")] if answer.strip() else []
        if len(values) != len(names):
            raise ClocksUnavailable(f"nvidia-smi answers {answer.strip()!r} to {','.join(names)}")
        return values

    def supported(self) -> List[Clocks]:
        """Every pair that the GPU can be set to."""
        answer = self._run([*self._command, "--query-supported-clocks=gr,mem", "--format=csv,noheader,nounits"])
        rows = [[part.strip() for part in line.split(",")] for line in answer.splitlines()]
        return [Clocks(int(row[0]), int(row[1])) for row in rows if len(row) == 2 and row[0].isdigit() and row[1].isdigit()]

    def order(self, *arguments: str) -> None:
        """Sets something, which needs root."""
        self._run([*self._sudo, *self._command, *arguments])


# -- which clocks ---------------------------------------------------------------------------------------------------------


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
    while not is_over():
        torch.mm(a, b)
        torch.cuda.synchronize()  # or the queue would go on after the probe
    del a, b
    torch.cuda.empty_cache()


def probed(smi: NvidiaSmi, load: Load, seconds: float) -> Clocks:
    """The median clocks, in MHz, while `load` runs for `seconds`. The first half is warm-up."""
    samples: List[Tuple[int, int]] = []
    trouble: List[Exception] = []
    over = threading.Event()

    def sample() -> None:
        began = time.monotonic()
        try:
            while not over.is_set() and (time.monotonic() < began + seconds or not samples):
                graphics, memory = smi.query("clocks.gr", "clocks.mem")
                if time.monotonic() >= began + seconds / 2:
                    samples.append((int(graphics), int(memory)))
                over.wait(_BETWEEN_SAMPLES_S)
        except (ClocksUnavailable, ValueError) as error:
            trouble.append(error)
        finally:
            over.set()

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    try:
        load(over.is_set)
    except Exception as error:  # as out of memory: a capture does not fail for want of a probe
        trouble.append(error)
    finally:
        over.set()
        sampler.join()
    if not samples:
        raise ClocksUnavailable(f"the clocks could not be sampled: {trouble[0] if trouble else 'the load ended too early'}")
    return Clocks(int(statistics.median(one[0] for one in samples)), int(statistics.median(one[1] for one in samples)))


# -- the cache of the probe: before and after shall run at equal clocks -------------------------------------------------------


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


def _keep(path: str, gpu_name: str, clocks: Clocks, now: float) -> None:
    entry = {"gpu_name": gpu_name, "graphics_mhz": clocks.graphics_mhz, "memory_mhz": clocks.memory_mhz, "ts": now}
    try:
        written(path, entry)
    except OSError as error:
        say("fournex: the probed clocks are not kept: %s", error)


# -- the lock -------------------------------------------------------------------------------------------------------------


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
        _keep(self._cache, name, clocks, time.time())
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
