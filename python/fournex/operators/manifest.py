"""manifest.json: the kernels of a capture in start order, each with the operators that launched it; and what a capture was of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from .records import NEW_IN_1_1, Document, Record


@dataclass(eq=False)
class NvtxRange(Record):
    """An NVTX range; times in nanoseconds of the capture's clock, `depth` counted from the outermost range of its thread, 0."""

    text: str
    depth: int
    start_ns: int
    end_ns: int
    domain: str = "default"


@dataclass(eq=False)
class CaptureMetadata(Record):
    """What was captured, with what, when. `input_shapes`: of each input tensor by its name."""

    model_name: str
    torch_version: str
    compile_mode: str  # "eager", or the name of the backend of torch.compile
    capture_timestamp_utc: str  # ISO 8601
    cuda_version: Optional[str] = None
    nsys_report_path: Optional[str] = None
    ncu_report_path: Optional[str] = None
    device_name: Optional[str] = None
    input_shapes: Optional[Dict[str, List[int]]] = field(default=None, metadata={"since": "manifest"})
    warmup_iters: Optional[int] = field(default=None, metadata=NEW_IN_1_1)
    measure_iters: Optional[int] = field(default=None, metadata=NEW_IN_1_1)
    clocks: Optional[Dict[str, Any]] = field(default=None, metadata=NEW_IN_1_1)  # the result of a ClockLock; frequencies in MHz
    gpu: Optional[Dict[str, Any]] = field(default=None, metadata=NEW_IN_1_1)
    tool_versions: Optional[Dict[str, str]] = field(default=None, metadata=NEW_IN_1_1)


@dataclass(eq=False)
class Attribution(Record):
    """Which operators launched a kernel. `source_operators`: innermost first."""

    method: str  # torch_profiler, nvtx, inductor_fusion, unattributed; 1.1 has more
    source_operators: List[str] = field(default_factory=list)
    nvtx_range: Optional[NvtxRange] = None
    confidence: str = "unattributed"  # high, medium, low, unattributed
    is_fused: bool = False
    all_enclosing_ranges: List[NvtxRange] = field(default_factory=list)
    fused_ops: List[str] = field(default_factory=list)


@dataclass(eq=False)
class ManifestKernel(Record):
    """A launch of a kernel; times in nanoseconds."""

    kernel_id: str  # k_00000, in start order
    kernel_name: str
    stream_id: int
    device_id: int
    start_ns: int
    end_ns: int
    duration_ns: int
    attribution: Attribution
    grid_dim: Optional[List[int]] = None
    block_dim: Optional[List[int]] = None
    layer_partition: Optional[str] = None  # the label of the layer that launched it
    is_unique_partition: bool = False
    mangled_name: Optional[str] = field(default=None, metadata=NEW_IN_1_1)
    registers_per_thread: Optional[int] = field(default=None, metadata=NEW_IN_1_1)
    dynamic_smem_bytes: Optional[int] = field(default=None, metadata=NEW_IN_1_1)  # of a block
    iteration: Optional[int] = field(default=None, metadata=NEW_IN_1_1)  # of the measured window, from 0
    before_window: Optional[bool] = field(default=None, metadata=NEW_IN_1_1)  # launched before it
    module: Optional[str] = field(default=None, metadata=NEW_IN_1_1)  # the innermost that launched it, or whose gradient it computes
    forward_operator: Optional[str] = field(default=None, metadata=NEW_IN_1_1)  # of the backward pass: whose gradient it computes


@dataclass(eq=False)
class Manifest(Document):
    """manifest.json: `Manifest.load(path)`."""

    schema_version: str
    capture_metadata: CaptureMetadata
    kernels: List[ManifestKernel] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)
