"""A stand-in for the few calls of torch.cuda that the SDK makes: a GPU whose progress the test decides.

It shows when the SDK asks and that it never waits; whether real CUDA answers like this it cannot show.
"""

from __future__ import annotations

import contextlib
import sys
import types
from typing import Any, Iterator, List


class FakeGpu:
    """`now_ms` is the GPU's clock. Events are marked when they are recorded and pass when the test calls `catch_up`."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.waited = 0  # calls that would block the host
        self.made = 0  # events that were created
        self.capturing = False
        self.initialized = True
        self.broken = False
        self._recorded: List[Any] = []

    def run(self, ms: float) -> None:
        """Work of so many milliseconds is queued on the GPU."""
        self.now_ms += ms

    def catch_up(self) -> None:
        for event in self._recorded:
            event.passed = True
        self._recorded.clear()


def _event_class(gpu: FakeGpu) -> Any:
    class Event:
        def __init__(self, enable_timing: bool = False) -> None:
            gpu.made += 1
            self.at = 0.0
            self.passed = False

        def record(self, stream: Any = None) -> None:
            self.at, self.passed = gpu.now_ms, False
            gpu._recorded.append(self)

        def query(self) -> bool:
            if gpu.broken:
                raise RuntimeError("CUDA error: an illegal memory access was encountered")
            return self.passed

        def synchronize(self) -> None:
            gpu.waited += 1

        def elapsed_time(self, end: Any) -> float:
            return end.at - self.at

    return Event


class CudaTensor:
    """A loss that is still being computed on the GPU."""

    is_cuda = True
    dtype = "torch.float32"
    device = "cuda:0"

    def __init__(self, gpu: FakeGpu, value: float) -> None:
        self._gpu, self.value = gpu, value

    def detach(self) -> "CudaTensor":
        return self

    def reshape(self, shape: Any) -> "CudaTensor":
        return self

    def __float__(self) -> float:
        self._gpu.waited += 1
        return self.value


class _Pinned:
    def __init__(self) -> None:
        self.value = 0.0

    def copy_(self, there: CudaTensor, non_blocking: bool) -> None:
        assert non_blocking
        self.value = there.value

    def __float__(self) -> float:
        return self.value


@contextlib.contextmanager
def fake_torch() -> Iterator[FakeGpu]:
    """While this lasts, `torch` is the stand-in."""
    gpu = FakeGpu()

    def synchronize() -> None:
        gpu.waited += 1

    cuda = types.SimpleNamespace(
        Event=_event_class(gpu),
        is_initialized=lambda: gpu.initialized,
        current_device=lambda: 0,
        current_stream=lambda device=None: ("stream", device),
        is_current_stream_capturing=lambda: gpu.capturing,
        device_count=lambda: 2,
        get_device_name=lambda index: f"Fake GPU {index}",
        synchronize=synchronize,
    )
    module = types.ModuleType("torch")
    module.cuda = cuda  # type: ignore[attr-defined]
    module.empty = lambda shape, dtype, pin_memory: _Pinned()  # type: ignore[attr-defined]
    before = sys.modules.get("torch")
    sys.modules["torch"] = module
    try:
        yield gpu
    finally:
        if before is None:
            del sys.modules["torch"]
        else:
            sys.modules["torch"] = before
