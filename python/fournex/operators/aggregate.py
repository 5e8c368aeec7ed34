"""Aggregated counters of an operator, computed anew from its kernels, and what explains a file that says otherwise.

The rules: sums (bytes, instructions, spills), means weighted by the duration of the kernels that have the counter (rates, shares),
maxima (registers, shared memory). A counter that no kernel has gives None, except the instructions, which a file of 1.0 has as 0. Files with
units (1.1) weight hit rates by accesses and ratios by what they are ratios of, where every kernel has that, and have no counters for an
operator of which less than 80 % of the time was measured.
"""

from __future__ import annotations

import collections
import math
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .profile import AggregatedMetrics, KernelRecord, OperatorAttributedProfile, OperatorRecord
from .records import Number

Units = Optional[Dict[str, str]]


class Rule(NamedTuple):
    """How a member of `aggregated` comes from counters. `names`: spellings, best first; the first that a kernel has counts."""

    how: str  # sum, mean, max
    names: Tuple[str, ...]
    mistaken: Tuple[str, ...] = ()  # other quantities that were taken for this one
    is_size: bool = False  # bytes in base units
    weights: Tuple[str, ...] = ()  # of a mean, in files with units: counters that a kernel counts for, instead of its duration


_ISSUED = ("smsp__inst_issued.sum", "sm__inst_issued.sum")
_CYCLES = ("smsp__cycles_active.avg",)

RULES: Dict[str, Rule] = {
    "total_dram_bytes_read": Rule("sum", ("dram__bytes_read.sum", "dram__bytes_op_read.sum", "fbpa__dram_read_bytes.sum"), is_size=True),
    "total_dram_bytes_written": Rule("sum", ("dram__bytes_write.sum", "dram__bytes_op_write.sum", "fbpa__dram_write_bytes.sum"), is_size=True),
    "memory_throughput_pct": Rule(
        "mean",
        ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
    ),
    "dram_throughput_pct": Rule("mean", ("dram__throughput.avg.pct_of_peak_sustained_elapsed",)),
    "mem_busy_pct": Rule("mean", ("l1tex__throughput.avg.pct_of_peak_sustained_active",)),
    "l1_hit_rate": Rule("mean", ("l1tex__t_sector_hit_rate.pct",), weights=("l1tex__t_sectors.sum",)),
    "l2_hit_rate": Rule(
        "mean", ("lts__t_sector_hit_rate.pct",), mistaken=("lts__t_request_hit_rate.pct",), weights=("lts__t_sectors.sum",)
    ),
    "sm_throughput_pct": Rule("mean", ("sm__throughput.avg.pct_of_peak_sustained_elapsed",)),
    "tensor_core_active_pct": Rule(
        "mean",
        (
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
            "smsp__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
            "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
        ),
    ),
    "achieved_occupancy": Rule("mean", ("sm__warps_active.avg.pct_of_peak_sustained_active",)),
    "warp_cycles_per_instruction": Rule("mean", ("smsp__average_warp_latency_per_inst_issued.ratio",), weights=_ISSUED),
    "eligible_cycles_pct": Rule(
        "mean",
        (
            "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "sm__issue_active.avg.pct_of_peak_sustained_active",
            "sm__inst_issued.avg.pct_of_peak_sustained_active",
        ),
        weights=_CYCLES,
    ),
    "total_executed_instructions": Rule("sum", ("smsp__inst_executed.sum",)),
    "total_issued_instructions": Rule("sum", ("smsp__inst_issued.sum",)),
    "ipc_active": Rule("mean", ("smsp__inst_executed.avg.per_cycle_active",), weights=_CYCLES),
    "avg_threads_per_warp": Rule(
        "mean",
        ("smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__average_thread_inst_executed_per_inst_executed.ratio"),
        weights=("smsp__inst_executed.sum", "sm__inst_executed.sum"),
    ),
    "registers_per_thread": Rule("max", ("launch__registers_per_thread",)),
    "local_memory_spills": Rule(
        "sum", ("l1tex__data_pipe_lsu_wavefronts_mem_local.sum", "l1tex__t_output_wavefronts_pipe_lsu_mem_local.sum")
    ),
    "dynamic_smem_per_block": Rule("max", ("launch__shared_mem_per_block_dynamic",), is_size=True),
}

# Of the time of an operator that was measured; below, files with units have no counters for it.
_LEAST_COVERED = 0.8
_ZERO_WHEN_ABSENT = ("total_executed_instructions", "total_issued_instructions")
# Nsight Compute scales by thousands, in bytes as in everything else.
_PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def factor_to_bytes(unit: Optional[str]) -> Optional[float]:
    """1000 for "Kbyte" and "Kbyte/block"; None where the unit is unknown or no size."""
    word = (unit or "").split("/")[0]
    if word == "byte":
        return 1.0
    return _PREFIXES.get(word[0]) if word[1:] == "byte" else None


class Sample(NamedTuple):
    """One kernel's value of a counter, in base units where the unit is known, and its weight, the duration in ns."""

    value: float
    weight: float


def _number(value: object) -> Optional[float]:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return value if is_number else None  # type: ignore[return-value]


def _sample(kernel: KernelRecord, names: Tuple[str, ...], is_size: bool, units: Units) -> Optional[Sample]:
    for name in names:
        value = _number(kernel.metrics.raw.get(name))
        if value is not None:
            factor = factor_to_bytes((units or {}).get(name)) if is_size else None
            return Sample(value if factor is None else value * factor, kernel.duration_ns)
    return None  # "n/a", or not collected: absent, and never zero


def _mean(samples: List[Sample]) -> float:
    weights = sum(one.weight for one in samples)
    if weights <= 0:  # kernels without a duration count alike
        return sum(one.value for one in samples) / len(samples)
    return sum(one.value * one.weight for one in samples) / weights


_HOW: Dict[str, Callable[[List[Sample]], float]] = {
    "sum": lambda samples: sum(one.value for one in samples),
    "mean": _mean,
    "max": lambda samples: max(one.value for one in samples),
}


def combined(kernels: List[KernelRecord], rule: Rule, units: Units = None) -> Optional[Number]:
    """A counter of all kernels by `rule`; None when no kernel has it."""
    found = [_sample(kernel, rule.names, rule.is_size, units) for kernel in kernels]
    samples = [one for one in found if one is not None]
    if units and rule.weights:
        samples = _weighted(kernels, rule, samples)
    return _HOW[rule.how](samples) if samples else None


def _weighted(kernels: List[KernelRecord], rule: Rule, samples: List[Sample]) -> List[Sample]:
    having = [kernel for kernel in kernels if _sample(kernel, rule.names, False, None)]
    weights = [_sample(kernel, rule.weights, False, None) for kernel in having]
    if any(weight is None for weight in weights) or not any(weight.value > 0 for weight in weights if weight):
        return samples
    return [Sample(one.value, weight.value) for one, weight in zip(samples, weights) if weight]


def _is_withheld(kernels: List[KernelRecord], units: Units) -> bool:
    measured = sum(kernel.duration_ns for kernel in kernels if kernel.metrics.raw)
    return bool(units) and measured < _LEAST_COVERED * sum(kernel.duration_ns for kernel in kernels)


def longest(kernels: List[KernelRecord]) -> Optional[KernelRecord]:
    """The kernel with the longest duration, the first of several."""
    return max(kernels, key=lambda kernel: kernel.duration_ns) if kernels else None


def aggregated(kernels: List[KernelRecord], units: Units = None) -> AggregatedMetrics:
    """The aggregated counters of `kernels`. `units`: of the counters, so that sizes are bytes; without, numbers are taken as they are."""
    result = AggregatedMetrics(sum(kernel.duration_ns for kernel in kernels), len(kernels))
    dominant = longest(kernels)
    result.dominant_kernel_id = dominant.kernel_id if dominant else None
    for name, rule in RULES.items():
        value = None if _is_withheld(kernels, units) else combined(kernels, rule, units)
        setattr(result, name, 0 if value is None and not units and name in _ZERO_WHEN_ABSENT else value)
    return result


# -- a file against its own kernels ---------------------------------------------------------------------------------------

REASONS = {
    "other_metric": "the file has the value of another counter",
    "units_ignored": "the file adds numbers of several units as if they were of one",
    "unexplained": "no known error of the program that wrote the file gives this value",
}
CAVEATS = {
    "no_counters": "no kernel has a row of Nsight Compute: every counter is absent",
    "missing_rows": "some kernels have no row of Nsight Compute: sums lack their part and means leave them out",
    "scaled_unit": "a fraction of a byte cannot be: the numbers are in kilobytes or megabytes, and the file does not say which",
    "mixed_units": "kilobytes are added to megabytes: bytes per duration and DRAM share differ by more than a hundredfold between kernels",
}
# Rounding to two digits, caches and two tools' durations move the ratio of bytes to throughput by a few times; a wrong unit by 1000.
_OTHER_UNIT = 100.0
# A share of the DRAM's peak below this is mostly rounding: the files have two digits.
_LEAST_SHARE_PCT = 0.05


@dataclass
class AggregateCheck:
    """One member of one operator. `reason`: a key of REASONS where it differs, None where it is reproduced."""

    operator_id: str
    member: str
    in_file: object
    computed: object
    reason: Optional[str] = None


@dataclass
class AggregateCaveat:
    """What is wrong with the aggregates of an operator though they follow from its kernels. `kind`: a key of CAVEATS."""

    operator_id: str
    kind: str
    text: str


@dataclass
class AggregateReport:
    """What `OperatorAttributedProfile.check_aggregates` found."""

    checks: List[AggregateCheck] = field(default_factory=list)
    caveats: List[AggregateCaveat] = field(default_factory=list)

    def reproduced(self) -> int:
        return sum(one.reason is None for one in self.checks)

    def differences(self) -> List[AggregateCheck]:
        return [one for one in self.checks if one.reason is not None]

    def summary(self) -> str:
        """A line for the number of members that are reproduced, then one per kind of difference and of caveat."""
        lines = [f"{self.reproduced()} of {len(self.checks)} aggregates follow from the kernels of the file"]
        for (reason, name), count in sorted(collections.Counter((one.reason or "", one.member) for one in self.differences()).items()):
            lines.append(f"  {count} of `{name}` differ: {REASONS[reason]}")
        for kind, count in sorted(collections.Counter(one.kind for one in self.caveats).items()):
            lines.append(f"  {count} operators, {kind}: {CAVEATS[kind]}")
        return "\n".join(lines)


def _is_same(in_file: object, computed: object) -> bool:
    """Equal but for the last digits; a sum may have been cut to an integer."""
    if in_file is None or computed is None or isinstance(in_file, str) or isinstance(computed, str):
        return in_file == computed
    close = math.isclose(in_file, computed, rel_tol=1e-9, abs_tol=1e-12)  # type: ignore[arg-type]
    return close or (isinstance(in_file, int) and in_file == math.trunc(computed))  # type: ignore[arg-type]


def _reason(one: OperatorRecord, name: str, in_file: object, units: Units) -> str:
    rule = RULES.get(name)
    if rule is None:
        return "unexplained"
    if rule.mistaken and _is_same(in_file, combined(one.kernels, rule._replace(names=rule.mistaken), units)):
        return "other_metric"
    if rule.is_size and units and _is_same(in_file, combined(one.kernels, rule)):
        return "units_ignored"
    return "unexplained"


def _checks(one: OperatorRecord, units: Units) -> Iterator[AggregateCheck]:
    if one.aggregated is None:
        return
    computed = aggregated(one.kernels, units)
    for name in ("total_duration_ns", "kernel_count", "dominant_kernel_id", *RULES):
        in_file, ours = getattr(one.aggregated, name), getattr(computed, name)
        same = _is_same(in_file, ours)
        yield AggregateCheck(one.operator_id, name, in_file, ours, None if same else _reason(one, name, in_file, units))


def _missing_rows(one: OperatorRecord) -> Iterator[AggregateCaveat]:
    without = [kernel for kernel in one.kernels if not kernel.metrics.raw]
    if not without:
        return
    share = sum(kernel.duration_ns for kernel in without) / max(one.duration_ns(), 1)
    kind = "no_counters" if len(without) == len(one.kernels) else "missing_rows"
    text = f"{len(without)} of {len(one.kernels)} kernels, {100 * share:.0f} % of the time, have no counters"
    yield AggregateCaveat(one.operator_id, kind, text)


def _bytes_per_share(kernel: KernelRecord, rule: Rule) -> Optional[float]:
    """Bytes per nanosecond at the DRAM's peak, if the number is in bytes: the same for all kernels, but for its unit."""
    size = _sample(kernel, rule.names, False, None)
    share = _sample(kernel, RULES["dram_throughput_pct"].names, False, None)
    if size is None or share is None or size.value <= 0 or share.value < _LEAST_SHARE_PCT or kernel.duration_ns <= 0:
        return None
    return size.value / (share.value / 100 * kernel.duration_ns)


def _unit_trouble(one: OperatorRecord) -> Iterator[AggregateCaveat]:
    for name in ("total_dram_bytes_read", "total_dram_bytes_written", "dynamic_smem_per_block"):
        found = [_sample(kernel, RULES[name].names, False, None) for kernel in one.kernels]
        if any(sample is not None and sample.value != int(sample.value) for sample in found):
            yield AggregateCaveat(one.operator_id, "scaled_unit", f"{name}: {[sample.value for sample in found if sample]}")
            break
    ratios = [ratio for kernel in one.kernels if (ratio := _bytes_per_share(kernel, RULES["total_dram_bytes_read"])) is not None]
    if ratios and max(ratios) / min(ratios) > _OTHER_UNIT:
        text = f"total_dram_bytes_read: kernels differ {max(ratios) / min(ratios):.0f}-fold in bytes per DRAM throughput"
        yield AggregateCaveat(one.operator_id, "mixed_units", text)


def check(profile: OperatorAttributedProfile) -> AggregateReport:
    """See `OperatorAttributedProfile.check_aggregates`."""
    report = AggregateReport()
    for one in profile.operators:
        report.checks += _checks(one, profile.units)
        report.caveats += _missing_rows(one)
        if not profile.units:
            report.caveats += _unit_trouble(one)
    return report
