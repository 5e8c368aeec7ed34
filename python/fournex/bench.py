"""Two CUDA programs, built and timed: which one is faster. `bench_compare` is ``frx bench``; the rest are its steps, one by one."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time
from typing import Any, Dict, List, Optional, Sequence

from ._native import FrxError, FrxUnavailable, Reply, answer_in, find_program, find_runner, result_of
from .answers import Answer

__all__ = ["FrxError", "FrxUnavailable", "bench_compare", "compile_kernel", "profile_with_ncu", "time_binary"]

_KERNEL_TIME = re.compile(r"^FRX_KERNEL_US:\s*([0-9.eE+-]+)\s*$", re.MULTILINE)
_BUILD_FLAGS = "-DBUILD_EXECUTABLE"  # as frx bench has it


def bench_compare(
    before_src: str,
    after_src: str,
    *,
    runs: Optional[int] = None,
    warmup: Optional[int] = None,
    arch: Optional[str] = None,
    build_flags: Optional[str] = None,
    gpu_model: Optional[str] = None,
    with_ncu: bool = False,
    noise_floor_pct: Optional[float] = None,
    time_limit_s: Optional[float] = None,
) -> Answer:
    """Builds two CUDA programs with nvcc, runs them in turn, and says which one is faster (``frx_bench_v0``).

    before and after have the source and its timing (median_ms, min_ms, max_ms, stdev_ms, runs, warmup); speedup_x is
    before / after, above 1 where `after_src` is faster; verdict says whether that is proven; ncu_diff is what `diff_ncu_runs` returns,
    with `with_ncu` on a GPU, else None; compile_errors has what did not compile, in which case the times are None.

    Raises FrxError when a file is missing, a program fails, or there is no nvcc (exit_code 4); FrxUnavailable.
    """
    given = {
        "--runs": runs,
        "--warmup": warmup,
        "--arch": arch,
        "--build-flags": build_flags,
        "--gpu-model": gpu_model,
        "--noise-floor": noise_floor_pct,
        "--time-limit": time_limit_s,
    }
    options = [f"{name}={value}" for name, value in given.items() if value is not None]
    return _ran(["bench", os.fspath(before_src), os.fspath(after_src), *options, *(["--with-ncu"] if with_ncu else [])])


def profile_with_ncu(
    command: Sequence[str], preset: str = "full", *, launch_count: Optional[int] = None, gpu_model: Optional[str] = None
) -> Answer:
    """Runs a program under ncu and analyses what it measured (``ncu_analysis_v1``): ``frx profile --preset PRESET -- COMMAND``.

    Raises FrxError when ncu is missing, fails or may not read the counters, FrxUnavailable."""
    given = {"--launch-count": launch_count, "--gpu-model": gpu_model}
    options = [f"{name}={value}" for name, value in given.items() if value is not None]
    return _ran(["profile", "--preset", preset, *options, "--json", "--", *command])


def _ran(arguments: List[str]) -> Answer:
    """The result of a command that starts programs: by the program frx where there is one, for the library takes over signals."""
    program = find_program()
    with_json = arguments if "--json" in arguments else [*arguments, "--json"]
    reply: Reply = (program or find_runner())(with_json)
    return Answer(answer_in(reply))


def compile_kernel(
    src: str, out: Optional[str] = None, *, arch: Optional[str] = None, build_flags: str = _BUILD_FLAGS, nvcc: str = "nvcc"
) -> Dict[str, Any]:
    """Builds a program of CUDA with ``nvcc SRC -o OUT``; ``frx_bench.cuh``, which times kernels, is found by it.

    Returns src, binary (its path, None where it did not compile), compile_ms (wall clock) and error (the words of the compiler, else
    None). `out` is a path; without it the program lies in a new temporary folder, which the caller removes. `build_flags` are words
    as a shell parts them, and no shell sees them. Raises FrxError without nvcc (exit_code 4) or `src` (1), FrxUnavailable.
    """
    found = shutil.which(nvcc)
    if found is None:
        raise FrxError(f"{nvcc} is not in PATH", 4)
    if not os.path.isfile(src):
        raise FrxError(f"{src}: there is no such file", 1)
    binary = os.path.abspath(out or os.path.join(tempfile.mkdtemp(prefix="frx-bench-"), "program"))
    with tempfile.TemporaryDirectory(prefix="frx-") as headers:
        result_of(["bench", "--emit-harness", os.path.join(headers, "frx_bench.cuh")])
        command = [found, src, "-o", binary, "-I", headers, *([f"-arch={arch}"] if arch else []), *shlex.split(build_flags)]
        begun = time.perf_counter()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        took_ms = (time.perf_counter() - begun) * 1e3
    said = (done.stderr + done.stdout).decode("utf-8", "replace").strip()
    failed = done.returncode != 0
    return {
        "src": src,
        "binary": None if failed else binary,
        "compile_ms": round(took_ms, 3),
        "error": (said or f"{nvcc} ended with exit code {done.returncode}") if failed else None,
    }


def time_binary(
    command: Sequence[str], runs: int = 5, warmup: int = 2, time_limit_s: float = 120.0
) -> Dict[str, Any]:
    """Runs a program `warmup` + `runs` times, one after the other, and times each from its start to its end by the wall clock.

    Returns median_ms, min_ms, max_ms, stdev_ms (of the sample; 0 of one run), runs, warmup, and kernel_event_us, the median of what
    the program prints as ``FRX_KERNEL_US: MICROSECONDS``, None where it prints none. The program has to wait for its GPU before it
    ends. `command` is a path or the words of a command. Raises ValueError for fewer than one run, FrxError when the program cannot
    be started, ends with another code than 0, or takes longer than `time_limit_s`.
    """
    if runs < 1 or warmup < 0:
        raise ValueError(f"expected at least 1 run and 0 of warm-up, found {runs} and {warmup}")
    words = [command] if isinstance(command, (str, os.PathLike)) else list(command)
    times: List[float] = []
    kernels: List[float] = []
    for number in range(warmup + runs):
        took_ms, output = _timed(words, time_limit_s)
        if number >= warmup:
            times.append(took_ms)
            kernels += [value for value in map(float, _KERNEL_TIME.findall(output)) if math.isfinite(value)]
    return {
        "median_ms": round(statistics.median(times), 4),
        "min_ms": round(min(times), 4),
        "max_ms": round(max(times), 4),
        "stdev_ms": round(statistics.stdev(times), 4) if len(times) > 1 else 0.0,
        "runs": runs,
        "warmup": warmup,
        "kernel_event_us": round(statistics.median(kernels), 3) if kernels else None,
    }


def _timed(words: Sequence[str], time_limit_s: float) -> Any:
    begun = time.perf_counter()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=time_limit_s, check=False)
    except subprocess.TimeoutExpired:
        raise FrxError(f"{words[0]}: still running after {time_limit_s:g} s", 1) from None
    except OSError as error:
        raise FrxError(f"{words[0]}: cannot be started: {error.strerror}", 1) from error
    took_ms = (time.perf_counter() - begun) * 1e3
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise FrxError(f"{words[0]}: the program failed, exit code {done.returncode}" + (f": {said[-1]}" if said else ""), 1)
    return took_ms, done.stdout.decode("utf-8", "replace")
