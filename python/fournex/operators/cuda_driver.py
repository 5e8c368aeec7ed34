"""The few calls of CUDA that a measured window makes, in one place, so that tests can put a stand-in there."""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager, Iterator, Optional


class CudaDriver:
    """NVTX ranges of this thread, and the switch of the profilers. Every method may raise what PyTorch raises."""

    def push(self, text: str) -> None:
        import torch

        torch.cuda.nvtx.range_push(text)

    def pop(self) -> None:
        import torch

        torch.cuda.nvtx.range_pop()

    def synchronize(self) -> None:
        import torch

        torch.cuda.synchronize()

    def start(self) -> None:
        """cudaProfilerStart: from here on `nsys --capture-range=cudaProfilerApi` and `ncu --profile-from-start off` record."""
        import torch

        torch.cuda.profiler.start()

    def stop(self) -> None:
        """cudaProfilerStop."""
        import torch

        torch.cuda.profiler.stop()

    def operator_ranges(self, record_shapes: bool) -> ContextManager[Any]:
        """An NVTX range around every operator of PyTorch."""
        import torch

        return torch.autograd.profiler.emit_nvtx(record_shapes=record_shapes)


def find() -> Optional[CudaDriver]:
    """None where PyTorch is missing or sees no GPU."""
    try:
        import torch
    except ImportError:
        return None
    return CudaDriver() if torch.cuda.is_available() else None


@contextlib.contextmanager
def recorded(driver: CudaDriver) -> Iterator[None]:
    """The profilers record the block and all that it launched; work from before is done when it begins."""
    driver.synchronize()
    driver.start()
    try:
        yield
        driver.synchronize()  # what is still running would be cut off
    finally:
        driver.stop()
