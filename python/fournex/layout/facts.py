"""What a process says of itself beside its times: device, precision, compiler, distribution. What is not known is None, never 0."""

from __future__ import annotations

import math
import os
import sys
from typing import Any, Dict, List, Optional

# Modules of these packages are frameworks around a model: they cut it, or its tensors, over several processes.
_WRAPPERS = ("torch.distributed.", "torch.nn.parallel.", "deepspeed.", "megatron.", "fairscale.")


def device_of(model: Any) -> Any:
    """The device of the first parameter or buffer; the current one of CUDA, or the CPU, where there is none."""
    import torch

    for tensors in ((model.parameters(), model.buffers()) if model is not None else ()):
        for tensor in tensors:
            return tensor.device
    return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")


def device_facts(device: Any) -> Dict[str, Any]:
    import torch

    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        return {"kind": "cuda", "name": properties.name, "memory_bytes": int(properties.total_memory)}
    try:
        memory: Optional[int] = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        memory = None
    return {"kind": device.type, "name": None, "memory_bytes": memory if device.type == "cpu" else None}


def longest_sum(model: Any) -> Optional[int]:
    """How many terms the longest sum of a linear layer or convolution of `model` has; None where it has no such layer."""
    import torch

    terms = [one.in_features for one in model.modules() if isinstance(one, torch.nn.Linear)]
    convolutions = [one for one in model.modules() if isinstance(one, torch.nn.modules.conv._ConvNd)]
    terms += [one.in_channels // one.groups * math.prod(one.kernel_size) for one in convolutions]
    return max(terms, default=None)


def precision_facts(model: Any) -> Dict[str, Any]:
    import torch

    dtypes = sorted({str(one.dtype).rpartition(".")[2] for one in model.parameters()}) if model is not None else []
    return {
        "parameters": dtypes,
        "tf32_matmul": bool(torch.backends.cuda.matmul.allow_tf32),
        "tf32_cudnn": bool(torch.backends.cudnn.allow_tf32),
        "cudnn_benchmark": bool(torch.backends.cudnn.benchmark),
        "deterministic": bool(torch.are_deterministic_algorithms_enabled()),
        "longest_sum": longest_sum(model) if model is not None else None,
    }


def _recompiles() -> Optional[int]:
    """How often dynamo compiled a frame again; None where this version keeps no such record."""
    utils = sys.modules.get("torch._dynamo.utils")
    try:
        frames = [str(one.frame_key) for one in utils.get_compilation_metrics() if getattr(one, "frame_key", None)]  # type: ignore[union-attr]
    except Exception:
        return None
    return len(frames) - len(set(frames))


def compile_facts(model: Any) -> Dict[str, Any]:
    """Counters of torch._dynamo, where the program has compiled anything; they count from the start of the process."""
    facts: Dict[str, Any] = {"mode": "eager", "source": None, "unique_graphs": None, "graph_breaks": None, "recompiles": None, "cudagraph_skips": None}
    is_wrapped = model is not None and hasattr(model, "_orig_mod")
    utils = sys.modules.get("torch._dynamo.utils")
    counters = getattr(utils, "counters", None)
    if counters is None:
        facts["mode"] = "torch.compile" if is_wrapped else "eager"
        return facts
    graphs = int(counters.get("stats", {}).get("unique_graphs", 0))
    if graphs or is_wrapped:
        facts.update(mode="torch.compile", source="torch._dynamo", unique_graphs=graphs,
                     graph_breaks=sum(counters.get("graph_break", {}).values()), recompiles=_recompiles(),
                     cudagraph_skips=int(counters.get("inductor", {}).get("cudagraph_skips", 0)))
    return facts


def rank_of_process() -> int:
    """The rank by torch.distributed, else by the variable RANK, else 0."""
    distributed = _distributed()
    if distributed is not None:
        return int(distributed.get_rank())
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else 0


def _distributed() -> Any:
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    try:
        return distributed if distributed is not None and distributed.is_available() and distributed.is_initialized() else None
    except Exception:
        return None


def _group_count(distributed: Any) -> Optional[int]:
    c10d = getattr(distributed, "distributed_c10d", None)
    for holder, name in ((getattr(c10d, "_world", None), "pg_map"), (c10d, "_pg_map")):
        groups = getattr(holder, name, None)
        if groups is not None:
            return len(groups)
    return None


def _is_wrapper(module: Any) -> bool:
    return (type(module).__module__ + ".").startswith(_WRAPPERS)


def _wrappers_alive(torch: Any) -> List[Any]:
    """Wrappers that the program made around a model after it was handed over: the plan has to be applied before."""
    import gc

    found = []
    for one in gc.get_objects():
        try:
            if isinstance(one, torch.nn.Module) and _is_wrapper(one):
                found.append(one)
        except ReferenceError:  # a weak reference whose object is gone
            continue
    return found


def distributed_facts(model: Any) -> Dict[str, Any]:
    """Processes and wrappers that the program knows now. Looks at every object of the process where there are several processes."""
    import torch

    distributed = _distributed()
    modules = list(model.modules()) if model is not None else []
    parameters = list(model.parameters()) if model is not None else []
    candidates = [one for one in modules if _is_wrapper(one)] + (_wrappers_alive(torch) if distributed is not None else [])
    wrappers = sorted({type(one).__name__ for one in candidates})
    if any(type(one).__name__ == "DTensor" or type(one.data).__name__ == "DTensor" for one in parameters):
        wrappers.append("DTensor")
    if distributed is None:
        return {"initialised": False, "world_size": None, "backend": None, "groups": None, "wrappers": wrappers}
    return {"initialised": True, "world_size": int(distributed.get_world_size()), "backend": str(distributed.get_backend()),
            "groups": _group_count(distributed), "wrappers": wrappers}


class PeakMemory:
    """The most memory since `begin`: of PyTorch's allocator on a GPU, else of the whole process."""

    def __init__(self, device: Any) -> None:
        self._device = device

    def begin(self) -> None:
        if self._device.type == "cuda":
            import torch

            torch.cuda.reset_peak_memory_stats(self._device)
            return
        try:  # Linux forgets the peak so far; where it may not, the peak is that of the whole process
            with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
                file.write("5")
        except OSError:
            pass

    def facts(self) -> Dict[str, Any]:
        if self._device.type == "cuda":
            import torch

            return {"peak_bytes": int(torch.cuda.max_memory_allocated(self._device)), "of": "torch.cuda.max_memory_allocated"}
        try:
            with open("/proc/self/status", encoding="ascii") as file:
                lines = [line.split() for line in file if line.startswith("VmHWM:")]
            return {"peak_bytes": int(lines[0][1]) * 1024, "of": "resident memory of the process"}
        except (OSError, IndexError, ValueError):
            return {"peak_bytes": None, "of": None}
