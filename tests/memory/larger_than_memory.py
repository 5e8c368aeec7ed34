#!/usr/bin/env python3
"""Traces that need more memory than may be used: the answer is that of a machine with enough, byte for byte.

    larger_than_memory.py --frx build/dev/frx [--trace-size 600M] [--memory 64M] [--only measure --cgroup FOLDER]

A trace is generated in a scratch folder ($TMPDIR), so that ctest needs some hundred megabytes of disk. `--only measure` prints time and
peak memory of the three ways to read it instead of checking small things: a file, a pipe, and gzip through a pipe (nothing on a disk
but what frx spills). `--cgroup` names a folder of a control group of memory (version 1 or 2) whose limit was set to that of `--memory`.
"""
import argparse
import hashlib
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GENERATOR = HERE.parent / "bench" / "gen_trace.py"
LAYOUT_GENERATOR = HERE.parent / "bench" / "gen_layout_trace.py"
MOST_BYTES_OF_AN_EVENT, BYTES_WITHOUT_EVENTS = 300, 64 << 20
SKIPPED = 77


class Run:
    """One run of frx: what it wrote, and the most memory it had resident."""

    def __init__(self, command, stdin=None, before=None, environment=None):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before, env=environment)
        digest, self.bytes = hashlib.sha256(), 0
        for part in iter(lambda: process.stdout.read(1 << 20), b""):
            digest.update(part)
            self.bytes += len(part)
        self.errors = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.code, self.digest, self.seconds = process.returncode, digest.hexdigest(), time.monotonic() - begin
        self.peak = usage.ru_maxrss << 10
        self.cpu = usage.ru_utime + usage.ru_stime


def expect(holds, message):
    if not holds:
        sys.exit(f"FAILED: {message}")


def generated(size, pack=False):
    """A pipe that the trace comes out of."""
    generator = subprocess.Popen([sys.executable, GENERATOR, size, "/dev/stdout"], stdout=subprocess.PIPE)
    if not pack:
        return generator.stdout
    packer = subprocess.Popen(["gzip", "-1"], stdin=generator.stdout, stdout=subprocess.PIPE)
    generator.stdout.close()
    return packer.stdout


def spills(folder):
    """Whether files may be made there that no memory is used for."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout.strip()
    return kind not in ("tmpfs", "ramfs")


def check(options, folder):
    trace = folder / "trace.json"
    subprocess.run([sys.executable, GENERATOR, options.trace_size, trace], check=True)
    scratch = folder / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    limited = [options.frx, "--memory", options.memory, "analyze", "--json"]

    whole = Run([options.frx, "analyze", "--json", trace])
    expect(whole.code == 0 and whole.bytes > 1000, f"no answer without a limit: {whole.errors}")
    small = Run([*limited, trace], environment=environment)
    expect(small.code == 0, f"no answer with {options.memory}: {small.errors}")
    expect(small.digest == whole.digest, "the answer differs from that of a machine with enough memory")
    expect(small.peak < whole.peak, f"the limit saves no memory: {small.peak >> 20} MB instead of {whole.peak >> 20} MB")
    expect(not list(scratch.iterdir()), "files are left behind")
    with generated(options.trace_size, pack=True) as pipe:
        packed = Run([*limited, "-"], stdin=pipe, environment=environment)
    expect(packed.code == 0, f"no answer from gzip through a pipe: {packed.errors}")
    plain = Run([options.frx, "analyze", "--json", "-"], stdin=open(trace, "rb"))
    expect(packed.digest == plain.digest, "the answer from gzip through a pipe differs")

    # A disk that takes no file of a block: an error with both reasons, no signal.
    full = Run([*limited, trace], environment=environment, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    expect(full.code == 1, f"code {full.code} where files may not grow")
    expect("needs more memory than the" in full.errors and "no file could hold it" in full.errors, full.errors)

    # A file without a name goes with its process.
    process = subprocess.Popen([*limited, trace], stdout=subprocess.DEVNULL, env=environment)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and f"{scratch}/" not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
        time.sleep(0.005)
    expect(process.poll() is None, "no block was seen in a file")
    process.send_signal(signal.SIGKILL)
    process.wait()
    expect(not list(scratch.iterdir()), "a killed process leaves files behind")
    print(f"peak {small.peak >> 20} MB with {options.memory}, {whole.peak >> 20} MB without; {whole.bytes} bytes of JSON are equal")


def check_layouts(options, folder):
    """The layout advisor keeps the inputs of each operator, once where they are equal."""
    trace = folder / "layouts.json"
    subprocess.run([sys.executable, LAYOUT_GENERATOR, "150000", trace], check=True)
    with open(trace, "rb") as file:
        events = sum(b'"ph"' in line for line in file)
    run = Run([options.frx, "layout", "analyze", "--json", trace])
    expect(run.code == 0, f"no answer about layouts: {run.errors}")
    each = (run.peak - BYTES_WITHOUT_EVENTS) / events
    expect(each < MOST_BYTES_OF_AN_EVENT, f"layouts of {events} events take {run.peak >> 20} MB: {each:.0f} bytes an event beside 64 MB")
    print(f"layouts of {events} events: peak {run.peak >> 20} MB")


def measure(options, folder):
    def enter():
        if options.cgroup:
            (pathlib.Path(options.cgroup) / "cgroup.procs").write_text(str(os.getpid()))

    digests = set()
    for size in options.trace_size.split(","):
        trace = folder / "trace.json"
        subprocess.run([sys.executable, GENERATOR, size, trace], check=True)
        digests.clear()
        for name, memory, source in (("file, no limit", [], trace), ("file", ["--memory", options.memory], trace)):
            run = Run([options.frx, *memory, "analyze", "--json", source], before=enter if memory else None)
            digests.add(run.digest)
            print(f"{size} {name}: {run.seconds:.1f} s, CPU {run.cpu:.1f} s, peak {run.peak >> 20} MB, code {run.code}", flush=True)
        expect(len(digests) == 1, "the answers differ")
        trace.unlink()
        for pack in (False, True):
            with generated(size, pack) as pipe:
                run = Run([options.frx, "--memory", options.memory, "analyze", "--json", "-"], stdin=pipe, before=enter)
            print(f"{size} {'gzip through a pipe' if pack else 'pipe'}: {run.seconds:.1f} s, CPU {run.cpu:.1f} s, peak {run.peak >> 20} MB, "
                  f"code {run.code}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frx", required=True)
    parser.add_argument("--trace-size", default="600M", help="several for `measure`, with commas")
    parser.add_argument("--memory", default="64M")
    parser.add_argument("--only", choices=["check", "measure"], default="check")
    parser.add_argument("--cgroup")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="frx-memory-") as name:
        if not spills(name):
            print("the folder for temporary files lies in memory")
            return SKIPPED
        if options.only == "measure":
            measure(options, pathlib.Path(name))
        else:
            check(options, pathlib.Path(name))
            check_layouts(options, pathlib.Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
