"""The one recorder of a process: events go in from any thread, lines of the trace come out.

Off (`init` was not called, and `frx collect` did not request it), every function of the SDK returns at `recorder.active`. On, an event is
made as a dictionary and queued; the queue is written out when a step ends, after 100 events, after a second, on `flush` and at
exit. So a process that is killed loses no finished step.

Nothing here raises into the observed program: an error is reported once through `logging` (logger ``fournex``), and training
goes on.
"""

from __future__ import annotations

import atexit
import collections
import itertools
import os
import sys
import threading
import time
from typing import Any, Callable, Deque, Dict, List, Optional, Union

from . import config
from .events import SCHEMA_VERSION, Event, line_of, quoted, text_of
from .sink import FileSink
from .system_info import system_info

BATCH = 100
BATCH_NS = 1_000_000_000


class ThreadState(threading.local):
    """The open steps and spans of a thread."""

    def __init__(self) -> None:
        self.tid = threading.get_native_id()
        self.step: Optional[Any] = None  # the open step, of steps.Step
        self.span_id: Optional[str] = None  # the innermost open span
        self.in_loader_span = False
        self.waits: List[Any] = []  # waits for a batch that no step has used yet, of loader_waits


def say(message: str, *values: Any) -> None:
    """A warning for the user of the program. Never raises."""
    try:
        import logging

        logging.getLogger("fournex").warning(message, *values)
    except Exception:  # a failing logging configuration of the program is not reported here
        pass


class Recorder:
    """See the head of this file. `recorder` below is the only one."""

    def __init__(self) -> None:
        self.active = False
        self.is_child = False  # of a fork
        self.settings: Dict[str, Any] = config.resolve({}, {})
        self._name_run()
        # Called before lines are written, and when recording ends (with True): it returns spans timed by the GPU.
        self.before_flush: List[Callable[[bool], None]] = []
        # Called when a run begins, and in a forked child: other modules clear their state of the run before.
        self.on_new_run: List[Callable[[], None]] = []
        # Called in a forked child only.
        self.on_fork: List[Callable[[], None]] = []
        self._local: Deque[str] = collections.deque(maxlen=config.LOCAL_EVENTS_ALONE)
        self._sink: Optional[FileSink] = None
        self._streaming = False
        self._begin_process()

    # -- beginning and end -------------------------------------------------------------------------------------------

    def _begin_process(self) -> None:
        self.lock = threading.RLock()
        self.thread = ThreadState()
        self.pid = os.getpid()
        self.open_spans: Dict[str, Any] = {}
        self._queue: Deque[str] = collections.deque()  # lines that are not in the file yet
        self._unwritten = b""
        self._written_at = time.monotonic_ns()
        self._introduced = False
        self._said_trouble = False
        self._id_prefix = "evt-" + os.urandom(8).hex()
        self._ids = itertools.count()
        self._short_id_base = int.from_bytes(os.urandom(4), "little")
        self._short_ids = itertools.count()

    def start(self, settings: Dict[str, Any]) -> None:
        """Begins to record with `settings` of `config.resolve`; earlier events are written first."""
        with self.lock:
            if self.active:
                self.flush(final=True)
            self._close_sink()
            self.settings = settings
            self._name_run()
            self._local = collections.deque(maxlen=settings["local_event_limit"])
            self._queue.clear()
            self._unwritten = b""
            self._introduced = False
            self._said_trouble = False
            self._streaming = bool(settings["stream_trace"])
            for forget in self.on_new_run:
                forget()
            self.active = True

    def _name_run(self) -> None:
        self._names = f'"job_id":{quoted(self.settings["job_name"])},"run_id":{quoted(self.settings["run_id"])}'

    def stop(self) -> None:
        """Writes the remaining events and closes the file. Recording can be started again."""
        with self.lock:
            if not self.active:
                return
            self.flush(final=True)
            self.active = False
            self._close_sink()

    def _close_sink(self) -> None:
        if self._sink is not None:
            try:
                self._sink.close()
            except OSError as error:
                self.trouble("cannot close the trace", error)
            self._sink = None

    def introduce(self) -> None:
        """The first event of a process describes the machine and the clocks of the others."""
        self._introduced = True
        if self.is_child:
            _flush_when_this_worker_ends()
        self.emit("system_info", system_info())

    # -- events ------------------------------------------------------------------------------------------------------

    def emit(
        self,
        event_type: str,
        payload: Union[Dict[str, Any], str],
        step_id: Optional[int] = None,
        span_id: Optional[str] = None,
        parent_span_id: Optional[str] = None,
        duration_ns: Optional[int] = None,
        level: str = "info",
        gpu_id: Optional[int] = None,
        timestamp_ns: Optional[int] = None,
    ) -> None:
        """Records an event; the caller guarantees a valid type and level. `payload` may be JSON already. Only while `active`.

        The line is made here, once, without a dictionary: this is the main cost of an instrumented program.
        """
        if not self._introduced:
            self.introduce()
        self._queue_line(
            f'{{"schema_version":"{SCHEMA_VERSION}","event_id":"{self._id_prefix}{next(self._ids):016x}",'
            f'"timestamp_ns":{time.monotonic_ns() if timestamp_ns is None else timestamp_ns},'
            f'"pid":{self.pid},"tid":{self.thread.tid},{self._names},"event_type":"{event_type}","event_source":"python_sdk",'
            f'"level":"{level}","payload":{payload if isinstance(payload, str) else text_of(payload)},'
            f'"gpu_id":{"null" if gpu_id is None else gpu_id},"step_id":{"null" if step_id is None else step_id},'
            f'"span_id":{"null" if span_id is None else quoted(span_id)},'
            f'"parent_span_id":{"null" if parent_span_id is None else quoted(parent_span_id)},'
            f'"duration_ns":{"null" if duration_ns is None else duration_ns}}}\n'
        )

    def add(self, event: Event) -> None:
        """Records an event that the program made."""
        if not self._introduced:
            self.introduce()
        try:
            self._queue_line(line_of(event))
        except (TypeError, ValueError, RecursionError) as error:
            self.trouble("an event cannot be written as JSON", error)

    def _queue_line(self, line: str) -> None:
        self._local.append(line)
        if not self._streaming:
            return
        queue = self._queue
        queue.append(line)
        if len(queue) >= BATCH or time.monotonic_ns() - self._written_at > BATCH_NS:
            self.write()

    def short_id(self) -> str:
        """8 hexadecimal digits that this process has not used yet."""
        return f"{(self._short_id_base + next(self._short_ids) * 0x9E3779B1) & 0xFFFFFFFF:08x}"

    def lines(self) -> List[str]:
        """The latest events, oldest first, as lines of a trace."""
        while True:
            try:
                return list(self._local)
            except RuntimeError:  # another thread has just recorded something
                continue

    def clear_events(self) -> None:
        self._local.clear()

    # -- writing -----------------------------------------------------------------------------------------------------

    def flush(self, final: bool = False) -> None:
        """Writes all that is queued; `final` also closes spans that the GPU has not finished."""
        with self.lock:
            for bring in self.before_flush:
                try:
                    bring(final)
                except Exception as error:
                    self.trouble("a span could not be finished", error)
            self.write()

    def write(self) -> None:
        """Queued events become lines of the file, in one write."""
        if not self._streaming:
            return
        with self.lock:
            self._written_at = time.monotonic_ns()
            try:
                self._take_lines()
                if self._unwritten:
                    self._opened_sink().write(self._unwritten)
                    self._unwritten = b""
            except OSError as error:
                self._give_up_writing(error)
            except Exception as error:
                self.trouble("events could not be written", error)

    def _take_lines(self) -> None:
        lines = []
        queue = self._queue
        while queue:
            try:
                lines.append(queue.popleft())
            except IndexError:  # another thread has just written it
                break
        self._unwritten += "".join(lines).encode("ascii")

    def _opened_sink(self) -> FileSink:
        if self._sink is None:
            self._sink = FileSink(
                self.settings["raw_trace_path"], keep_existing=self.settings["keep_existing_trace"], is_child=self.is_child
            )
        return self._sink

    def _give_up_writing(self, error: OSError) -> None:
        """Full disk, read-only folder: reports it once and stops writing; the program continues."""
        path = self._sink.path if self._sink is not None else self.settings["raw_trace_path"]
        say("fournex: the trace ends here, because %s cannot be written: %s", path, error.strerror or error)
        self._streaming = False
        self._queue.clear()
        self._unwritten = b""
        self._close_sink()

    def trouble(self, what: str, error: BaseException) -> None:
        """An internal error, reported once per run."""
        if not self._said_trouble:
            self._said_trouble = True
            say("fournex: %s: %s: %s", what, type(error).__name__, error)

    @property
    def trace_path(self) -> Optional[str]:
        """The file that this process writes, None before the first line and when nothing is written."""
        return self._sink.path if self._sink is not None else None

    # -- fork --------------------------------------------------------------------------------------------------------

    def in_forked_child(self) -> None:
        """The child begins with nothing recorded, and writes a file of its own if it records events."""
        sink, self._sink = self._sink, None
        self.is_child = True
        self._begin_process()
        self._local = collections.deque(maxlen=self._local.maxlen)
        if sink is not None:
            try:
                sink.close()
            except OSError:
                pass
        for forget in self.on_new_run + self.on_fork:
            forget()


recorder = Recorder()


def new_span_id(name: str) -> str:
    return f"{name}-{recorder.short_id()}"


def _flush_when_this_worker_ends() -> None:
    """Processes of `multiprocessing` end without atexit; they run finalizers instead."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, recorder.stop, exitpriority=10)


if hasattr(os, "register_at_fork"):
    # Nothing before the fork: a program that forks must not wait for a disk. The child keeps nothing anyway.
    os.register_at_fork(after_in_child=recorder.in_forked_child)
atexit.register(recorder.stop)
