"""The interface from Python to frx, which does the analysis: the library in this process, or the program in another one.

Searched in this order: the library that FRX_LIBRARY names, ``libfrx.so`` in the folder of this package, the program that
FRX_PROGRAM names, ``bin/frx`` in the folder of this package, ``libfrx.so`` of the system, ``frx`` in PATH. A path from the environment
must exist.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .answers import Answer

HERE = Path(__file__).resolve().parent


class FrxUnavailable(RuntimeError):
    """Neither the library nor the program was found; the message lists the places that were searched."""


class FrxError(RuntimeError):
    """frx failed; the message is that of frx. `exit_code` is 1 for what cannot be read and 2 for wrong options."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Reply(NamedTuple):
    """The result of a run of frx."""

    exit_code: int
    output: str
    messages: str


Runner = Callable[[Sequence[str]], Reply]


class Library:
    """``libfrx.so``: calls ``frx_call`` of include/frx/frx.h. OSError or AttributeError when `path` is no such library."""

    def __init__(self, path: str) -> None:
        self.path = path
        library = ctypes.CDLL(path)
        self._call, self._free = library.frx_call, library.frx_free
        self._call.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p)]
        self._call.restype = ctypes.c_int
        self._free.argtypes = [ctypes.c_void_p]
        self._free.restype = None

    def __call__(self, arguments: Sequence[str]) -> Reply:
        return self._reply({"arguments": list(arguments)})

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        return self._reply({"path": path, "body": body})

    def _reply(self, asked: Mapping[str, Any]) -> Reply:
        request = json.dumps(asked).encode("utf-8", "surrogateescape")
        text = ctypes.c_void_p()
        code = self._call(request, len(request), ctypes.byref(text))
        if not text.value:
            raise FrxError(f"{self.path}: no reply (code {code})", 1)
        try:
            reply = json.loads(ctypes.string_at(text.value))
        finally:
            self._free(text)
        return Reply(reply["exit_code"], reply["output"], reply["messages"])


def _library_runner(path: str) -> Optional[Runner]:
    try:
        return Library(path)
    except (OSError, AttributeError):
        return None


def _program_runner(path: str) -> Runner:
    def run(arguments: Sequence[str]) -> Reply:
        # As the library, the program reads no file of settings: an answer does not depend on the folder in which it is asked for.
        env = {**os.environ, "FRX_NO_CONFIG": "1"}
        try:
            done = subprocess.run([path, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False, env=env)
        except OSError as error:
            raise FrxUnavailable(f"{path} cannot be run: {error.strerror}") from error
        return Reply(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    return run


def find_runner(environment: Mapping[str, str] = os.environ) -> Runner:
    """The first of the places above that works. Raises FrxUnavailable."""
    return _find(environment.get("FRX_LIBRARY") or "", environment.get("FRX_PROGRAM") or "", environment.get("PATH") or "")


@functools.lru_cache(maxsize=8)
def _find(library: str, program: str, path: str) -> Runner:
    if library:
        runner = _library_runner(library)
        if runner is None:
            raise FrxUnavailable(f"FRX_LIBRARY names {library}, which is no library with frx_call in it")
        return runner
    runner = _library_runner(str(HERE / "libfrx.so")) if (HERE / "libfrx.so").exists() else None
    if runner is not None:
        return runner
    if program:
        found = shutil.which(program, path=path)
        if found is None:
            raise FrxUnavailable(f"FRX_PROGRAM names {program}, which is no program")
        return _program_runner(found)
    own = HERE / "bin" / "frx"
    if own.exists():
        return _program_runner(str(own))
    system = ctypes.util.find_library("frx")
    runner = _library_runner(system) if system else None
    found = None if runner is not None else shutil.which("frx", path=path)
    if runner is None and found is None:
        raise FrxUnavailable(
            "the analysis is done by frx, and neither its library libfrx.so (FRX_LIBRARY, the folder of this package, the system) "
            "nor the program frx (FRX_PROGRAM, PATH) was found"
        )
    return runner if runner is not None else _program_runner(str(found))


class Text(NamedTuple):
    """A text that stands among the arguments of frx for the file that holds it, or for the folder with that file."""

    content: str
    filename: str
    is_folder: bool = False


Argument = Union[str, Text]


@contextlib.contextmanager
def _files_of(arguments: Sequence[Argument]) -> Iterator[Tuple[List[str], str]]:
    """The arguments with texts as files of a temporary folder, and that folder; "" where there are no texts."""
    if not any(isinstance(one, Text) for one in arguments):
        yield [str(one) for one in arguments], ""
        return
    with tempfile.TemporaryDirectory(prefix="frx-") as folder:
        named = []
        for one in arguments:
            if isinstance(one, Text):
                path = Path(folder, one.filename if one.is_folder else os.path.basename(one.filename))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(one.content.encode("utf-8", "surrogateescape"))
                named.append(folder if one.is_folder else str(path))
            else:
                named.append(str(one))
        yield named, folder


def find_program(environment: Mapping[str, str] = os.environ) -> Optional[Runner]:
    """The program frx, for commands that start programs of their own; None where only the library is there."""
    own = HERE / "bin" / "frx"
    name = environment.get("FRX_PROGRAM") or (str(own) if own.exists() else "frx")
    found = shutil.which(name, path=environment.get("PATH") or "")
    return _program_runner(found) if found is not None else None


def result_of(arguments: Sequence[Argument], json_option: bool = True) -> Any:
    """The ``result`` of ``frx ARGUMENTS --json``, an Answer where it is an object; the folder of texts is removed from the paths in
    it. Without `json_option` the arguments select JSON themselves.

    Raises FrxError with the message of frx when it printed no result, and FrxUnavailable.
    """
    with _files_of(arguments) as (named, folder):
        stamps = _stamps_of(arguments)
        reply = _without(folder, find_runner()([*named, "--json"] if json_option else named))
    result = answer_in(reply)
    if not isinstance(result, dict):
        return result
    return Answer(result).with_page(lambda: _page_of(arguments, stamps))


def answer_in(reply: Reply) -> Any:
    """The ``result`` of what frx printed with --json. Raises FrxError with its message when it printed none."""
    try:
        answer = json.loads(reply.output)
    except ValueError:
        raise _failure(reply) from None
    return answer["result"] if isinstance(answer, dict) and "result" in answer else answer


def _without(folder: str, reply: Reply) -> Reply:
    if not folder:
        return reply
    return reply._replace(output=reply.output.replace(folder + "/", ""), messages=reply.messages.replace(folder + "/", ""))


def _failure(reply: Reply) -> FrxError:
    return FrxError(reply.messages.strip() or f"frx ended with exit code {reply.exit_code} and said nothing", reply.exit_code)


def _stamps_of(arguments: Sequence[Argument]) -> Dict[str, Tuple[int, int]]:
    """Of the arguments that are files: when they were changed, and how long they are."""
    stamps = {}
    for one in arguments:
        try:
            if not isinstance(one, Text):
                status = os.stat(one)
                stamps[one] = (status.st_mtime_ns, status.st_size)
        except (OSError, ValueError):
            continue
    return stamps


def _page_of(arguments: Sequence[Argument], stamps: Mapping[str, Tuple[int, int]]) -> Optional[str]:
    """The page of ``frx ARGUMENTS --format html``; None where a file has changed since, or frx makes none."""
    if _stamps_of(arguments) != stamps:
        return None
    with _files_of(arguments) as (named, folder):
        page = _without(folder, find_runner()([*named, "--format", "html"])).output
    return page if page.startswith("<!doctype html>") else None


def post(path: str, body: Mapping[str, Any]) -> Any:
    """What ``POST path`` of the HTTP API (docs/http-api.md) answers to the object `body`, in this process.

    Raises FrxError with the message of frx, and FrxUnavailable where only the program is there: texts in memory need the library.
    """
    runner = find_runner()
    if not isinstance(runner, Library):
        raise FrxUnavailable("results that are in memory are analysed by libfrx.so, and only the program frx was found (FRX_LIBRARY names it)")
    reply = runner.post(path, body)
    if reply.exit_code != 0:
        raise _failure(reply)
    return Answer(json.loads(reply.output)).with_page(functools.partial(_posted_page, runner, path, body))


def _posted_page(runner: "Library", path: str, body: Mapping[str, Any]) -> Optional[str]:
    page = runner.post(path + "?format=html", body).output
    return page if page.startswith("<!doctype html>") else None


def analyze_text(text: str, filename: str, options: Sequence[str] = ()) -> Any:
    """``frx analyze`` of `text` as if it were a file called `filename`."""
    return result_of(["analyze", Text(text, filename), *options])


def gpu_options(gpu_model: Optional[str], environment: Optional[Mapping[str, Any]] = None) -> List[str]:
    """``--gpu-model`` from the argument, or from gpu_model or gpu_type of an environment as run_config.yaml has it."""
    known = environment or {}
    model = gpu_model or known.get("gpu_model") or known.get("gpu_type")
    return ["--gpu-model", str(model)] if model else []
