"""The interface from Python to frx, which does the analysis: the library in this process, or the program in another one.

Searched in this order: the library that FRX_LIBRARY names, ``libfrx.so`` in the folder of this package, the program that
FRX_PROGRAM names, ``bin/frx`` in the folder of this package, ``libfrx.so`` of the system, ``frx`` in PATH. A path from the environment
must exist.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence

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


def _library_runner(path: str) -> Optional[Runner]:
    """Calls ``frx_call`` of include/frx/frx.h; None when `path` is no such library."""
    try:
        library = ctypes.CDLL(path)
        call, free = library.frx_call, library.frx_free
    except (OSError, AttributeError):
        return None
    call.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p)]
    call.restype = ctypes.c_int
    free.argtypes = [ctypes.c_void_p]
    free.restype = None

    def run(arguments: Sequence[str]) -> Reply:
        request = json.dumps({"arguments": list(arguments)}).encode("utf-8", "surrogateescape")
        text = ctypes.c_void_p()
        code = call(request, len(request), ctypes.byref(text))
        if not text.value:
            raise FrxError(f"{path}: no reply (code {code})", 1)
        try:
            reply = json.loads(ctypes.string_at(text.value))
        finally:
            free(text)
        return Reply(reply["exit_code"], reply["output"], reply["messages"])

    return run


def _program_runner(path: str) -> Runner:
    def run(arguments: Sequence[str]) -> Reply:
        try:
            done = subprocess.run([path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
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


def result_of(arguments: Sequence[str], hide: str = "", json_option: bool = True) -> Any:
    """The ``result`` of ``frx ARGUMENTS --json``; the folder `hide` is removed from the paths in it. Without `json_option` the
    arguments select JSON themselves.

    Raises FrxError with the message of frx when it printed no result, and FrxUnavailable.
    """
    reply = find_runner()([*arguments, "--json"] if json_option else arguments)
    text = reply.output.replace(hide + "/", "") if hide else reply.output
    try:
        answer = json.loads(text)
    except ValueError:
        said = reply.messages.replace(hide + "/", "") if hide else reply.messages
        raise FrxError(said.strip() or f"frx ended with exit code {reply.exit_code} and said nothing", reply.exit_code) from None
    return answer["result"] if isinstance(answer, dict) and "result" in answer else answer


def analyze_text(text: str, filename: str, options: Sequence[str] = ()) -> Any:
    """``frx analyze`` of `text` as if it were a file called `filename`."""
    with tempfile.TemporaryDirectory(prefix="frx-") as folder:
        path = os.path.join(folder, os.path.basename(filename))
        Path(path).write_bytes(text.encode("utf-8", "surrogateescape"))
        return result_of(["analyze", path, *options], hide=folder)


def gpu_options(gpu_model: Optional[str], environment: Optional[Mapping[str, Any]] = None) -> List[str]:
    """``--gpu-model`` from the argument, or from gpu_model or gpu_type of an environment as run_config.yaml has it."""
    known = environment or {}
    model = gpu_model or known.get("gpu_model") or known.get("gpu_type")
    return ["--gpu-model", str(model)] if model else []
