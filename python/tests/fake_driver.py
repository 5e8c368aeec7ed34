"""A stand-in for the calls of CUDA that a measured window makes: it notes them in their order.

It shows what is called, and that every range closes; what nsys and ncu make of it on a GPU it cannot show.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, Optional
from unittest import mock

from fournex.operators import cuda_driver


class FakeDriver:
    """`calls`: "push TEXT", "pop TEXT", "synchronize", "start", "stop", "operators" and "end of operators"."""

    def __init__(self) -> None:
        self.calls: List[str] = []
        self.open: List[str] = []
        self.fails_at: Optional[str] = None

    def _note(self, call: str) -> None:
        self.calls.append(call)
        if call == self.fails_at:
            raise RuntimeError(f"CUDA error in {call}")

    def push(self, text: str) -> None:
        self._note(f"push {text}")
        self.open.append(text)

    def pop(self) -> None:
        self._note(f"pop {self.open.pop()}")

    def synchronize(self) -> None:
        self._note("synchronize")

    def start(self) -> None:
        self._note("start")

    def stop(self) -> None:
        self._note("stop")

    @contextlib.contextmanager
    def operator_ranges(self, record_shapes: bool) -> Iterator[None]:
        assert record_shapes
        self._note("operators")
        try:
            yield
        finally:
            self._note("end of operators")

    def work(self, name: str) -> Any:
        """Something to run that is noted, too."""
        return lambda: self._note(name)


@contextlib.contextmanager
def fake_driver() -> Iterator[FakeDriver]:
    """While this lasts, windows use the stand-in."""
    driver = FakeDriver()
    with mock.patch.object(cuda_driver, "find", lambda: driver):
        yield driver
