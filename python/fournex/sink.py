"""The file that events go to: complete lines only, whatever happens to the process.

* Lines are appended by one ``write`` per batch. What was written survives ``kill -9``.
* One process writes one file. The second process that is given the same path (a rank, a DataLoader worker, a program started
  by the workload) gets a file of its own beside it: ``trace.rank3.jsonl``, ``trace.pid4711.jsonl``.
* A descriptor that the program closed (daemons close all of them) is detected: nothing is ever written into
  a foreign file.
"""

from __future__ import annotations

import errno
import os
from typing import Optional, Tuple

from .ranks import rank_above_zero

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# File systems without locks; the file is then assumed to be ours.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


def sibling(path: str, mark: str) -> str:
    """``sibling("raw/trace.jsonl", "rank3")`` is ``raw/trace.rank3.jsonl``."""
    stem, ending = os.path.splitext(path)
    return f"{stem}.{mark}{ending}"


def path_for_this_process(path: str, is_child: bool) -> str:
    """The file of a process that was given `path`: ranks above 0, and forked children, have files of their own."""
    rank = rank_above_zero()
    if rank is not None:
        path = sibling(path, f"rank{rank}")
    return sibling(path, f"pid{os.getpid()}") if is_child else path


def _is_ours(descriptor: int) -> bool:
    """Takes the lock of the file; False when another process holds it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


def _open(path: str) -> int:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)


class FileSink:
    """An open trace file. Every method may raise OSError; the caller handles it."""

    def __init__(self, path: str, *, keep_existing: bool, is_child: bool = False) -> None:
        self.path = path_for_this_process(path, is_child)
        self._descriptor = _open(self.path)
        if not _is_ours(self._descriptor):
            os.close(self._descriptor)
            self.path = path_for_this_process(path, True)
            self._descriptor = _open(self.path)
            _is_ours(self._descriptor)
        if not keep_existing:
            os.ftruncate(self._descriptor, 0)
        self._end_a_torn_line()
        self._identity = self._found()

    def _found(self) -> Optional[Tuple[int, int]]:
        try:
            status = os.fstat(self._descriptor)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _end_a_torn_line(self) -> None:
        """A process that was killed while it wrote may have left half a line; the next one begins on a line of its own."""
        size = os.fstat(self._descriptor).st_size
        if size > 0 and hasattr(os, "pread") and os.pread(self._descriptor, 1, size - 1) != b"\n":
            os.write(self._descriptor, b"\n")

    def write(self, lines: bytes) -> None:
        """Appends `lines`, which end in a line end."""
        if self._found() != self._identity:  # closed by the program, and perhaps another file by now
            self._descriptor = _open(self.path)
            self._identity = self._found()
        view = memoryview(lines)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def close(self) -> None:
        """Closes the file. In a forked child this leaves the file, and the lock, of the parent alone."""
        if self._found() == self._identity:
            os.close(self._descriptor)
        self._identity = None
