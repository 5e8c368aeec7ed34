"""profile.json: the operators of a capture with their kernels and the counters of these.

    profile = OperatorAttributedProfile.load("profile.json")
    for one in sorted(profile.operators, key=OperatorRecord.duration_ns, reverse=True)[:5]:
        print(one.operator_name, one.duration_ns() / 1e6, "ms")
    print(profile.check_aggregates().summary())
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Dict, List, Optional, Type, Union

from .manifest import CaptureMetadata, NvtxRange
from .records import NEW_IN_1_1, Document, Number, Record

if TYPE_CHECKING:
    from .aggregate import AggregateReport

RawValue = Union[int, float, str, None]


@dataclass(eq=False)
class KernelMetrics(Record):
    """Counters of Nsight Compute by their full names; units as in `OperatorAttributedProfile.units`, unknown in 1.0."""

    raw: Dict[str, RawValue] = field(default_factory=dict)


@dataclass(eq=False)
class KernelRecord(Record):
    """A launch of a kernel; times in nanoseconds, as Nsight Systems measured them."""

    kernel_id: str
    kernel_name: str
    stream_id: int
    device_id: int
    start_ns: int
    end_ns: int
    duration_ns: int
    demangled_name: Optional[str] = None
    grid_dim: Optional[List[int]] = None
    block_dim: Optional[List[int]] = None
    metrics: KernelMetrics = field(default_factory=KernelMetrics)
    attribution_method: Optional[str] = None
    confidence: Optional[str] = None
    nvtx_range: Optional[NvtxRange] = None
    match_quality: Optional[str] = field(default=None, metadata=NEW_IN_1_1)  # how the row of counters was found
    iteration: Optional[int] = field(default=None, metadata=NEW_IN_1_1)  # of the measured window, from 0
    inferred: Optional[bool] = field(default=None, metadata=NEW_IN_1_1)  # its counters are those of a layer that does the same
    module: Optional[str] = field(default=None, metadata=NEW_IN_1_1)  # the innermost that launched it, or whose gradient it computes
    forward_operator: Optional[str] = field(default=None, metadata=NEW_IN_1_1)  # of the backward pass: whose gradient it computes


@dataclass(eq=False)
class AggregatedMetrics(Record):
    """Counters of all kernels of an operator: sums, means weighted by duration, maxima. None: no kernel has the counter.

    Rates and shares are percent, 0 to 100; times nanoseconds; sizes bytes, in files of 1.0 of an unknown unit."""

    total_duration_ns: int
    kernel_count: int
    dominant_kernel_id: Optional[str] = None  # the longest
    total_dram_bytes_read: Optional[Number] = None
    total_dram_bytes_written: Optional[Number] = None
    memory_throughput_pct: Optional[float] = None
    dram_throughput_pct: Optional[float] = None
    mem_busy_pct: Optional[float] = None
    l1_hit_rate: Optional[float] = None
    l2_hit_rate: Optional[float] = None
    sm_throughput_pct: Optional[float] = None
    tensor_core_active_pct: Optional[float] = None
    achieved_occupancy: Optional[float] = None
    warp_cycles_per_instruction: Optional[float] = None
    eligible_cycles_pct: Optional[float] = None
    total_executed_instructions: Optional[Number] = 0
    total_issued_instructions: Optional[Number] = 0
    ipc_active: Optional[float] = None
    avg_threads_per_warp: Optional[float] = None
    registers_per_thread: Optional[Number] = None
    local_memory_spills: Optional[Number] = None
    dynamic_smem_per_block: Optional[Number] = None
    counter_coverage_pct: Optional[float] = field(default=None, metadata=NEW_IN_1_1)  # of its time, of kernels with counters


@dataclass(eq=False)
class OperatorRecord(Record):
    """An operator and the kernels that it launched."""

    operator_id: str  # <name>_<call_index>
    operator_name: str
    call_index: int
    is_fused: bool = False
    fused_with: List[str] = field(default_factory=list)
    nvtx_range: Optional[NvtxRange] = None
    kernels: List[KernelRecord] = field(default_factory=list)
    aggregated: Optional[AggregatedMetrics] = None

    def duration_ns(self) -> int:
        """The sum over the kernels."""
        return sum(kernel.duration_ns for kernel in self.kernels)


@dataclass(eq=False)
class OperatorAttributedProfile(Document):
    """profile.json: `OperatorAttributedProfile.load(path)`, `save(path)`, `to_dict()`."""

    schema_version: str
    capture_metadata: CaptureMetadata
    operators: List[OperatorRecord] = field(default_factory=list)
    unattributed_kernels: List[KernelRecord] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)
    units: Optional[Dict[str, str]] = field(default=None, metadata=NEW_IN_1_1)  # of the counters, by name
    init_kernels: Optional[List[KernelRecord]] = field(default=None, metadata=NEW_IN_1_1)  # launched before the measured window

    @classmethod
    def model_validate_json(cls: Type["OperatorAttributedProfile"], text: Union[str, bytes]) -> "OperatorAttributedProfile":
        """`from_json`, by the name that scripts written for the Operator Profiler call."""
        return cls.from_json(text)

    def aggregates(self) -> Dict[str, AggregatedMetrics]:
        """The aggregated counters of each operator, by its id, computed anew from its kernels."""
        from .aggregate import aggregated

        return {one.operator_id: aggregated(one.kernels, self.units) for one in self.operators}

    def check_aggregates(self) -> "AggregateReport":
        """Compares the `aggregated` of the file with what its kernels give, and says why they differ."""
        from .aggregate import check

        return check(self)
