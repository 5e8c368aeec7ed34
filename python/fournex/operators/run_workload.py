"""Runs a workload for Nsight Systems, Nsight Compute or torch.profiler: ``python -m fournex.operators.run_workload --workload FILE``.

Without --correlation-pass: the iterations of an NvtxCapture with the clocks locked, and NAME.capture.json, which says what was run. With it:
torch.profiler over the same iterations, and NAME.corr.json. Both write NAME.part.json, the duplicates among the layers. Three runs are
to be compared kernel by kernel (torch.profiler, nsys, ncu), so all of them take the same --warmup-iters and --measure-iters.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import sys
from typing import Any, ContextManager, Dict, List, Optional

from .capture import MEASURE_ITERS, WARMUP_ITERS, NvtxCapture
from .clocks import ClockLock
from .correlation import correlation_pass
from .layers import LayerPartition, find_layers
from .manifest import CaptureMetadata
from .nvidia_smi import parse_request
from .records import written
from .workload import Workload, WorkloadError, input_shapes, prepare, stem_of

CAPTURE_VERSION = "1.1"


def _tell(words: str) -> None:
    print(f"fournex: {words}", file=sys.stderr)


def _count(least: int) -> Any:
    def count(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a number from {least} on, found {text!r}")
        return int(text)

    return count


def _clocks(text: str) -> Any:
    try:
        return parse_request(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fournex.operators.run_workload", description="Runs the iterations of a workload in a window that nsys and ncu record."
    )
    parser.add_argument("--workload", required=True, metavar="FILE", help="a Python file, or a module, with get_model_and_input()")
    parser.add_argument("--warmup-iters", type=_count(0), default=WARMUP_ITERS, metavar="N", help="before the window (%(default)s)")
    parser.add_argument("--measure-iters", type=_count(1), default=MEASURE_ITERS, metavar="N", help="in the window (%(default)s)")
    parser.add_argument("--output-prefix", metavar="PREFIX", help="of the files that are written (the name of the workload)")
    parser.add_argument("--inductor-debug-dir", metavar="DIR", help="where Inductor puts the code that it generates")
    parser.add_argument("--compile-backend", metavar="NAME", help="compile the model by torch.compile, as with inductor")
    parser.add_argument("--correlation-pass", action="store_true", help="torch.profiler instead of a window; not under nsys or ncu")
    parser.add_argument("--no-lock-clocks", action="store_true", help="leave the GPU's clocks alone")
    parser.add_argument(
        "--lock-clocks-freq",
        type=_clocks,
        default="probe",
        metavar="probe|max|GR,MEM",
        help="lock the clocks to those under load (the default), the highest, or these, in MHz",
    )
    return parser


def _keep_generated_code(folder: Optional[str], backend: Optional[str]) -> None:
    """Tells Inductor where to put its code, which it must know before PyTorch is imported."""
    if folder is None:
        return
    if backend is None:
        _tell("--inductor-debug-dir: without --compile-backend nothing is compiled, and the folder stays empty")
    path = os.path.abspath(folder)
    os.makedirs(path, exist_ok=True)
    os.environ.update(TORCH_COMPILE_DEBUG="1", TORCH_COMPILE_DEBUG_DIR=path, TORCHINDUCTOR_CACHE_DIR=path)


def _layers(workload: Workload) -> LayerPartition:
    """The layers of the model as it was before it was compiled."""
    partition = find_layers(workload.eager, lambda: workload.once(workload.eager))
    _tell(partition.note())
    return partition


def _versions(torch: Any) -> Dict[str, str]:
    from .. import __version__

    versions = {"python": platform.python_version(), "fournex": __version__, "torch": torch.__version__}
    cudnn = torch.backends.cudnn.version() if torch.cuda.is_available() else None
    return {**versions, "cudnn": str(cudnn)} if cudnn is not None else versions


def _gpu(torch: Any) -> Optional[Dict[str, Any]]:
    """The GPU of the capture; memory in bytes."""
    if not torch.cuda.is_available():
        return None
    facts = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {
        "name": facts.name,
        "compute_capability": f"{facts.major}.{facts.minor}",
        "sm_count": facts.multi_processor_count,
        "memory_bytes": facts.total_memory,
    }


def _metadata(workload: Workload, options: argparse.Namespace, clocks: Dict[str, Any]) -> CaptureMetadata:
    import torch

    gpu = _gpu(torch)
    return CaptureMetadata(
        model_name=workload.name,
        torch_version=torch.__version__,
        compile_mode=options.compile_backend or "eager",
        capture_timestamp_utc=datetime.datetime.now(datetime.timezone.utc).isoformat(),
        cuda_version=torch.version.cuda,
        device_name=gpu["name"] if gpu else None,
        input_shapes=input_shapes(workload.inputs),
        warmup_iters=options.warmup_iters,
        measure_iters=options.measure_iters,
        clocks=clocks,
        gpu=gpu,
        tool_versions=_versions(torch),
    )


def _lock(options: argparse.Namespace) -> ContextManager[Optional[ClockLock]]:
    import torch

    if options.no_lock_clocks or not torch.cuda.is_available():
        return contextlib.nullcontext()
    return ClockLock(options.lock_clocks_freq, gpu_name=torch.cuda.get_device_name())


def _capture(workload: Workload, partition: LayerPartition, options: argparse.Namespace) -> Dict[str, Any]:
    """The window; what was run, for NAME.capture.json."""
    # Hooks inside of a compiled model would break its graph, and the run would be another one.
    layers = {} if options.compile_backend else partition.duplicates
    model = None if options.compile_backend else workload.eager
    capture = NvtxCapture(options.warmup_iters, None, options.measure_iters, model, module_ranges=model is not None, partition=layers)
    with _lock(options) as lock:
        capture.run(workload.once)
    why_not = "--no-lock-clocks" if options.no_lock_clocks else "there is no CUDA here"
    clocks = lock.result if lock else {"requested": None, "status": "not_locked", "notes": [why_not]}  # after giving back, which it notes
    return {
        "schema_version": CAPTURE_VERSION,
        "capture_metadata": _metadata(workload, options, clocks).to_dict(),
        "recorded": capture.recorded,
        "layers": {"note": partition.note(), "methods": partition.methods},
    }


def _correlate(workload: Workload, options: argparse.Namespace) -> Dict[str, Any]:
    content, without = correlation_pass(workload.once, options.warmup_iters, options.measure_iters)
    _tell(f"{len(content['entries'])} kernels have an operator, {without} have none")
    return content


def run(options: argparse.Namespace) -> Dict[str, Any]:
    """Runs the workload; what is to be written, by the ends of the files' names. Raises WorkloadError and what the workload raises."""
    workload = prepare(options.workload, options.compile_backend)
    partition = _layers(workload)
    if options.correlation_pass:
        return {".corr.json": _correlate(workload, options), ".part.json": partition.duplicates}
    return {".capture.json": _capture(workload, partition, options), ".part.json": partition.duplicates}


def main(arguments: Optional[List[str]] = None) -> int:
    """0; 1 when a file cannot be written; 2 for wrong arguments and a workload that does not keep to its contract. Errors of the workload
    itself are passed on with their traceback."""
    options = _parser().parse_args(arguments)
    prefix = options.output_prefix or stem_of(options.workload)
    try:
        _keep_generated_code(options.inductor_debug_dir, options.compile_backend)
        import torch  # noqa: F401
    except (ImportError, OSError) as error:
        _tell(f"PyTorch cannot be used: {error}" if isinstance(error, ImportError) else f"--inductor-debug-dir: {error}")
        return 2
    try:
        files = run(options)
    except WorkloadError as error:
        _tell(str(error))
        return 2
    try:
        for ending, content in files.items():
            written(prefix + ending, content)
    except OSError as error:
        _tell(f"{prefix}: {error.strerror or error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
