"""`NvtxCapture`: iterations of a model in a window that Nsight Systems and Nsight Compute record alike.

    with NvtxCapture(warmup_iters=2, warmup_fn=lambda: model(x)):
        model(x)                                        # frx::measure#0

    capture = NvtxCapture(warmup_iters=2, measure_iters=5, model=model, module_ranges=True)
    capture.run(lambda: model(x))                       # frx::measure#0 to #4

    @NvtxCapture(measure_iters=2)
    def work(): ...                                     # each call warms up, then measures

Run the program under ``nsys profile --capture-range=cudaProfilerApi`` or ``ncu --profile-from-start off``: docs/operators.md.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Iterator, Mapping, Optional, Set

from ..recorder import say
from . import cuda_driver
from .ranges import MEASURE, ModuleRanges, RangeStack

WARMUP_ITERS = 2
MEASURE_ITERS = 2

_said: Set[str] = set()


def say_once(words: str) -> None:
    if words not in _said:
        _said.add(words)
        say("fournex: %s", words)


class NvtxCapture:
    """A measured window, as a context manager, as a decorator, or by `run`.

    Warm-up iterations come first, outside of the window. In it, each iteration is an NVTX range ``frx::measure#N``, counted from 0,
    and every operator a range with its input shapes. Without CUDA the work runs just the same, and one warning says that nothing was
    recorded. An exception closes the window, takes the hooks from the model, and is passed on.

    warmup_iters   calls of `warmup_fn` before the window; `run` and the decorator warm up with the work itself
    warmup_fn      None: a with statement does not warm up
    measure_iters  of `run`, of the decorator (None: 2) and of `iterations()`; None: the block of a with statement is one iteration
    model          the nn.Module that `module_ranges` and `partition` are about
    module_ranges  a range ``nn.Module: NAME`` around the forward of each module; for eager execution, since hooks on modules inside
                   of a compiled model break its graph
    partition      {duplicate: unique} names of layers, or a LayerPartition: ranges ``layer::unique::L``, ``layer::duplicate::L``
    record_shapes  of operators

    Raises ValueError for negative counts, for ranges of modules without a model, and for layers that the model does not have;
    RuntimeError when it is entered while it is open.
    """

    def __init__(
        self,
        warmup_iters: int = WARMUP_ITERS,
        warmup_fn: Optional[Callable[[], Any]] = None,
        measure_iters: Optional[int] = None,
        model: Any = None,
        module_ranges: bool = False,
        partition: Optional[Mapping[str, str]] = None,
        record_shapes: bool = True,
    ) -> None:
        if warmup_iters < 0 or (measure_iters is not None and measure_iters < 1):
            raise ValueError(f"warmup_iters is 0 or more and measure_iters 1 or more, not {warmup_iters} and {measure_iters}")
        if model is None and (module_ranges or partition):
            raise ValueError("module_ranges and partition need the model")
        self.warmup_iters = warmup_iters
        self.warmup_fn = warmup_fn
        self.measure_iters = measure_iters
        self.recorded = False  # whether CUDA was there and profilers could record the latest window
        self._model = model
        self._module_ranges = module_ranges
        self._partition = dict(getattr(partition, "duplicates", partition) or {})
        self._record_shapes = record_shapes
        self._window: Optional[contextlib.ExitStack] = None
        self._ranges: Optional[RangeStack] = None

    # -- as a context manager

    def __enter__(self) -> "NvtxCapture":
        self._warm_up(self.warmup_fn)
        self._open(one_iteration=self.measure_iters is None)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        window, self._window = self._window, None
        assert window is not None
        try:
            window.__exit__(kind, error, trace)
        finally:
            self._ranges = None

    def iterations(self) -> Iterator[int]:
        """0 to measure_iters - 1, each in its range: ``for _ in capture.iterations(): model(x)``. Raises RuntimeError outside of
        the window, and where the block is the one iteration (measure_iters None)."""
        if self.measure_iters is None:
            raise RuntimeError("without measure_iters the block is the one iteration")
        return self._counted(self.measure_iters)

    def _counted(self, count: int) -> Iterator[int]:
        for index in range(count):
            if self._window is None:
                raise RuntimeError("iterations() belongs into the block of the NvtxCapture")
            self._begin(index)
            yield index
            self._end()

    # -- as a function

    def run(self, work: Callable[[], Any]) -> Any:
        """Warms up, then calls `work` for each iteration; the result of the last call."""
        self._warm_up(self.warmup_fn or work)
        self._open(one_iteration=False)
        result = None
        with contextlib.ExitStack() as closing:
            closing.push(self)
            for _ in self._counted(self.measure_iters or MEASURE_ITERS):
                result = work()
        return result

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def captured(*args: Any, **kwargs: Any) -> Any:
            return self.run(lambda: function(*args, **kwargs))

        return captured

    # -- the window

    def _warm_up(self, work: Optional[Callable[[], Any]]) -> None:
        if self._window is not None:
            raise RuntimeError("this NvtxCapture is open already")
        for _ in range(self.warmup_iters if work is not None else 0):
            work()  # type: ignore[misc]

    def _open(self, one_iteration: bool) -> None:
        driver = cuda_driver.find()
        self.recorded = driver is not None
        with contextlib.ExitStack() as stack:
            if driver is None:
                say_once("there is no CUDA here: the work runs, and no profiler records it")
            else:
                self._ranges = RangeStack(driver)
                stack.enter_context(driver.operator_ranges(self._record_shapes))
                if self._model is not None:
                    stack.enter_context(ModuleRanges(self._model, self._ranges, self._module_ranges, self._partition))
                stack.enter_context(cuda_driver.recorded(driver))
                stack.callback(self._end)
            if one_iteration:
                self._begin(0)
            self._window = stack.pop_all()

    def _begin(self, index: int) -> None:
        if self._ranges is not None:
            self._ranges.push(f"{MEASURE}{index}", self)

    def _end(self) -> None:
        if self._ranges is not None:
            self._ranges.close(self)
