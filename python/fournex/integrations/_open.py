"""Context managers that a framework opens in one callback and closes in another."""

from __future__ import annotations

from typing import Any, Dict


class Open:
    """The open contexts by name. Closing one that is not open does nothing: frameworks skip callbacks when a batch is skipped."""

    def __init__(self) -> None:
        self._open: Dict[str, Any] = {}

    def enter(self, name: str, context: Any) -> Any:
        self.leave(name)
        value = context.__enter__()
        self._open[name] = context
        return value

    def leave(self, name: str, error: Any = None) -> None:
        context = self._open.pop(name, None)
        if context is not None:
            context.__exit__(None if error is None else type(error), error, None)

    def leave_all(self, error: Any = None) -> None:
        for name in reversed(list(self._open)):
            self.leave(name, error)
