"""The waits of the program for its data: a loader that measures every `next`.

    loader = fournex.instrument_dataloader(loader)

Works with anything that can be iterated; other attributes are those of the loader inside.
"""

from __future__ import annotations

import time
from typing import Any, Dict, Iterator, Optional

from . import loader_waits
from .events import LOADER_STAGES, one_of
from .recorder import recorder
from .spans import NOTHING


def describe_loader(loader: Any, loader_name: Optional[str] = None) -> Dict[str, Any]:
    """Properties of the loader: num_workers, prefetch_factor (batches per worker), pinned_memory, batch_size (items)."""
    payload: Dict[str, Any] = {}
    for key, attribute in (
        ("num_workers", "num_workers"),
        ("prefetch_factor", "prefetch_factor"),
        ("pinned_memory", "pin_memory"),
        ("batch_size", "batch_size"),
    ):
        value = getattr(loader, attribute, None)
        if isinstance(value, (int, bool)):
            payload[key] = value
    if loader_name is not None:
        payload["loader_name"] = str(loader_name)
    return payload


class _Iterator:
    """Measures each `next` of the iterator inside. The time to make that iterator (starting workers) counts for the first."""

    def __init__(self, inner: Any, about: Dict[str, Any], started_ns: int) -> None:
        self._inner = inner
        self._payload = {"stage": "next", **about}
        self._started: Optional[int] = started_ns

    def __iter__(self) -> "_Iterator":
        return self

    def __next__(self) -> Any:
        start = time.monotonic_ns() if self._started is None else self._started
        self._started = None
        batch = next(self._inner)
        if recorder.active and not recorder.thread.in_loader_span:
            loader_waits.waited(self._payload, start, time.monotonic_ns())
        return batch

    def __len__(self) -> int:
        return len(self._inner)

    def __getattr__(self, name: str) -> Any:
        if name == "_inner":  # while it is being copied or unpickled
            raise AttributeError(name)
        return getattr(self._inner, name)


def _measured(loader: Any, make_iterator: Any, loader_name: Optional[str]) -> Iterator[Any]:
    if not recorder.active:
        return make_iterator()
    start = time.monotonic_ns()
    about = describe_loader(loader, loader_name)
    recorder.emit("dataloader_span", {"stage": "transfer_ready", **about}, duration_ns=0)
    return _Iterator(make_iterator(), about, start)


class InstrumentedDataLoader:
    """A loader around `loader`: the same batches, length and attributes, each wait for a batch recorded."""

    def __init__(self, loader: Any, loader_name: Optional[str] = None) -> None:
        self.loader = loader
        self.loader_name = loader_name

    def __iter__(self) -> Iterator[Any]:
        return _measured(self.loader, lambda: iter(self.loader), self.loader_name)

    def __len__(self) -> int:
        return len(self.loader)

    def __getattr__(self, name: str) -> Any:
        if name == "loader":
            raise AttributeError(name)
        return getattr(self.loader, name)


def instrument_dataloader(loader: Any, loader_name: Optional[str] = None) -> Any:
    """`loader` with its waits recorded; one that is measured already is returned as it is."""
    return loader if is_instrumented(loader) else InstrumentedDataLoader(loader, loader_name)


def is_instrumented(loader: Any) -> bool:
    return isinstance(loader, InstrumentedDataLoader) or getattr(type(loader), "_fournex_instrumented", False)


def _becomes(thing: Any, **members: Any) -> bool:
    """`thing` becomes an instance of a subclass of its own class with `members`; False when its class does not allow that."""
    kind = type(thing)
    try:
        thing.__class__ = type(
            kind.__name__, (kind,), {**members, "_fournex_instrumented": True, "__module__": kind.__module__, "__slots__": ()}
        )
    except TypeError:
        return False
    return True


def instrument_in_place(loader: Any, loader_name: Optional[str] = None) -> bool:
    """Makes `loader` itself measure, for frameworks that keep a reference to it: it becomes an instance of a subclass of its own class.

    False when its class does not allow that; the loader is then unchanged.
    """
    if loader is None or is_instrumented(loader):
        return loader is not None
    kind = type(loader)

    def measured_iter(self: Any) -> Iterator[Any]:
        return _measured(self, lambda: kind.__iter__(self), loader_name)

    return _becomes(loader, __iter__=measured_iter)


def instrument_iterator_in_place(iterator: Any, loader_name: Optional[str] = None) -> bool:
    """The same for an iterator that a framework already uses: each `next` is a wait."""
    if not hasattr(type(iterator), "__next__") or is_instrumented(iterator):
        return hasattr(type(iterator), "__next__")
    kind = type(iterator)
    payload: Dict[str, Any] = {"stage": "next"}
    if loader_name is not None:
        payload["loader_name"] = str(loader_name)

    def measured_next(self: Any) -> Any:
        start = time.monotonic_ns()
        batch = kind.__next__(self)
        if recorder.active and not recorder.thread.in_loader_span:
            loader_waits.waited(payload, start, time.monotonic_ns())
        return batch

    return _becomes(iterator, __next__=measured_next)


class _LoaderSpan:
    """A wait that the program marks itself."""

    __slots__ = ("_payload", "_start", "_outer")

    def __init__(self, payload: Dict[str, Any]) -> None:
        self._payload = payload

    def __enter__(self) -> None:
        thread = recorder.thread
        self._outer, thread.in_loader_span = thread.in_loader_span, True
        self._start = time.monotonic_ns()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        end = time.monotonic_ns()
        recorder.thread.in_loader_span = self._outer
        if kind is None and recorder.active and not self._outer:
            loader_waits.waited(self._payload, self._start, end)


def dataloader_span(stage: str = "next") -> Any:
    """Around a fetch of the program's own: ``with fournex.dataloader_span(): batch = next(batches)``.

    Inside of it an instrumented loader does not count a second time. `stage`: "next", "collate" or "transfer_ready"; ValueError
    for others.
    """
    if not recorder.active:
        return NOTHING
    return _LoaderSpan({"stage": one_of("stage", stage, LOADER_STAGES)})
