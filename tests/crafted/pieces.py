"""What crafted inputs are made of: the smallest piece of each format that is read."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MEBIBYTE = 1 << 20
PTX_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TALL_HEAD = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
NVPROF_HEAD = "==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling result:\n"
NSYS_HEAD = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
NCU_TEXT = ("  {name} (4, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n    Section: {section}\n"
            "    ----------- ----------- ------------\n    Metric Name Metric Unit Metric Value\n"
            "    ----------- ----------- ------------\n    Duration             us         7.50\n"
            "    ----------- ----------- ------------\n")


@dataclass(frozen=True)
class Crafted:
    """One input: `make` writes it to a path (a file, or a folder), `arguments` are those of frx before it."""

    trick: str
    format: str
    name: str
    make: Callable[[Path], None]
    arguments: tuple[str, ...] = ("analyze",)


def text(content: str | bytes) -> Callable[[Path], None]:
    data = content.encode() if isinstance(content, str) else content
    return lambda path: path.write_bytes(data) and None


def sparse(size: int, head: bytes) -> Callable[[Path], None]:
    """A file of `size` bytes of which only `head` is stored."""

    def make(path: Path) -> None:
        with path.open("wb") as out:
            out.write(head)
            out.truncate(size)

    return make


# ---- pieces of the formats


def event(name="k", category="kernel", begin=0.0, duration=1.0, thread=7, **arguments) -> str:
    return json.dumps({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": thread, "ts": begin, "dur": duration,
                       "args": arguments})


def trace(events: str, before: str = "") -> str:
    return '{"schemaVersion": 1, ' + before + '"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": [' + events + "]}"


def kernel(body: str, name: str = "k") -> str:
    return PTX_HEAD + f".visible .entry {name}(.param .u64 p)\n{{\n{body}\nret;\n}}\n"


def cuda(body: str) -> str:
    return "__global__ void k(float* a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body + "\n}\n"


def bundle(**files: str) -> Callable[[Path], None]:
    """A run bundle as a folder; `metadata` and `events` are its two files, others go beside them."""

    def make(path: Path) -> None:
        path.mkdir(parents=True)
        for name, content in files.items():
            target = path / {"metadata": "metadata.json", "events": "raw/trace.jsonl", "gpu": "raw/gpu_metrics.jsonl"}.get(name, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)

    return make


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


RUN_EVENT = json.dumps({"schema_version": "v0", "event_type": "step_end", "step_id": 1, "timestamp_ns": 1, "duration_ns": 5})
METADATA = json.dumps({"run_id": "r", "command": ["python", "t.py"], "exit_code": 0})
