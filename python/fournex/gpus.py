"""GPUs: which ones this machine has, what is known of one, and how many blocks of a launch fit on it."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ._native import FrxError, FrxUnavailable, result_of
from .answers import Answer

__all__ = [
    "FrxError",
    "FrxUnavailable",
    "detect_gpu_model",
    "device_limits_for_gpu",
    "estimate_occupancy",
    "get_arch_profile",
    "resolve_sm_version",
]


def detect_gpu_model(name: Optional[str] = None) -> Optional[str]:
    """The id of a GPU as ``frx gpu list`` has it: "h100-sxm5-80gb" of "NVIDIA H100 80GB HBM3".

    Without `name`, of the first visible GPU of this machine, as NVML or nvidia-smi tells it. A name that fits several products is
    answered with their common name where they have one ("h100"), since their limits are the same. None where there is no GPU, and
    for one that is not known: no default is assumed. Raises FrxUnavailable.
    """
    if name is None:
        gpus = _unless_unknown(["gpu", "detect"])
        visible = [one for one in gpus["gpus"] if one["visible"]] if gpus else []
        return _model_of(visible[0]["match"], None) if visible else None
    shown = _unless_unknown(["gpu", "show", name])
    if shown is None:
        return None
    return _model_of(shown["match"], _capability_of(shown))


def get_arch_profile(gpu_model: str) -> Answer:
    """What is known of a GPU (``gpu_v1``): peaks in TFLOP/s (dense), bandwidth in GB/s, limits of an SM, and the source of each number.

    `gpu_model` is a name as the driver prints it, an id, or a compute capability ("sm_90", which has limits and no peaks). Of a name that
    fits several products ``gpu`` is None and ``candidates`` has them. Raises FrxError for a GPU that is not known, FrxUnavailable.
    """
    answer: Answer = result_of(["gpu", "show", gpu_model])
    return answer


def resolve_sm_version(gpu_model: str) -> str:
    """The compute capability of a GPU: "sm_90" of "H100". Raises FrxError where it is not known or not one, FrxUnavailable."""
    capability = _capability_of(get_arch_profile(gpu_model))
    if capability is None:
        raise FrxError(f"'{gpu_model}' fits GPUs of several compute capabilities", 3)
    return "sm_" + capability.replace(".", "")


def device_limits_for_gpu(gpu_model: str) -> Dict[str, Any]:
    """Limits of an SM: threads_per_sm, warps_per_sm, blocks_per_sm, registers_per_sm, shared_memory_per_sm_bytes, and their source.

    Raises FrxError for a GPU that is not known, FrxUnavailable.
    """
    return dict(estimate_occupancy(gpu_model, threads_per_block=32, registers_per_thread=1)["device_limits"])


def estimate_occupancy(
    gpu_model: str,
    *,
    threads_per_block: int,
    registers_per_thread: int,
    static_shared_bytes: int = 0,
    dynamic_shared_bytes: int = 0,
) -> Answer:
    """How many blocks of a launch are resident on one SM, what limits them, and what would allow more (``gpu_occupancy_v1``).

    Computed from the allocation rules of the hardware; nothing is measured. occupancy_pct is None, and launch_fails says why,
    where the GPU refuses such a launch. Registers are those that ptxas reports, shared memory is in bytes per block.
    Raises FrxError for a GPU that is not known or numbers out of range, FrxUnavailable.
    """
    numbers = {
        "--threads": threads_per_block,
        "--registers": registers_per_thread,
        "--static-shared": static_shared_bytes,
        "--dynamic-shared": dynamic_shared_bytes,
    }
    arguments = [word for option, number in numbers.items() for word in (option, str(number))]
    answer: Answer = result_of(["gpu", "occupancy", gpu_model, *arguments])
    return answer


def _unless_unknown(arguments: Any) -> Optional[Answer]:
    try:
        answer: Answer = result_of(arguments)
    except FrxError as error:
        if error.exit_code == 3:
            return None
        raise
    return answer


def _capability_of(shown: Answer) -> Optional[str]:
    """The one compute capability of a GPU or of all products of its name."""
    records = [shown["gpu"]] if shown["gpu"] else shown["candidates"]
    capabilities = {record["compute_capability"] for record in records}
    return capabilities.pop() if len(capabilities) == 1 else None


def _model_of(match: Dict[str, Any], capability: Optional[str]) -> Optional[str]:
    if match["product"]:
        return str(match["product"])
    candidates = [str(one) for one in match["candidates"]]
    families = {one.split("-")[0] for one in candidates}
    if len(families) == 1:
        return families.pop()
    return "sm_" + capability.replace(".", "") if capability else None
