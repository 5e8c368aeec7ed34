#!/usr/bin/env python3
"""Writes a synthetic but realistic Nsight Compute CSV; the same arguments give the same bytes.

    gen_ncu_csv.py tall|wide SIZE OUT [--kernels K] [--seed N]        SIZE: 200M, 1G (decimal)

tall: `ncu --csv`, one row per launch and metric. wide: `ncu --csv --page raw`, a row of units under the
header, then one row per launch. Every field is quoted and thousands are grouped, as the tool does. Kernel
names look like those of PyTorch, CUTLASS, CUB and Triton: long, with commas, braces and parentheses.
"""
import argparse
import random

IDENTITY = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
RULES = ["Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]

# How the values of a metric look: percentage, decimal, count, small whole number.
PERCENT, DECIMAL, COUNT, SMALL = "percent", "decimal", "count", "small"

TALL = {
    "GPU Speed Of Light Throughput": [
        ("DRAM Frequency", "Ghz", DECIMAL), ("SM Frequency", "Ghz", DECIMAL), ("Elapsed Cycles", "cycle", COUNT),
        ("Memory Throughput", "%", PERCENT), ("DRAM Throughput", "%", PERCENT), ("Duration", "us", DECIMAL),
        ("L1/TEX Cache Throughput", "%", PERCENT), ("L2 Cache Throughput", "%", PERCENT),
        ("SM Active Cycles", "cycle", DECIMAL), ("Compute (SM) Throughput", "%", PERCENT)],
    "Launch Statistics": [
        ("Block Size", "", SMALL), ("Grid Size", "", COUNT), ("Registers Per Thread", "register/thread", SMALL),
        ("Shared Memory Configuration Size", "Kbyte", DECIMAL), ("Dynamic Shared Memory Per Block", "byte/block", COUNT),
        ("Static Shared Memory Per Block", "byte/block", COUNT), ("Threads", "thread", COUNT), ("Waves Per SM", "", DECIMAL)],
    "Occupancy": [
        ("Block Limit SM", "block", SMALL), ("Block Limit Registers", "block", SMALL),
        ("Block Limit Shared Mem", "block", SMALL), ("Block Limit Warps", "block", SMALL),
        ("Theoretical Active Warps per SM", "warp", SMALL), ("Theoretical Occupancy", "%", PERCENT),
        ("Achieved Occupancy", "%", PERCENT), ("Achieved Active Warps Per SM", "warp", DECIMAL)],
    "Command line profiler metrics": [
        ("gpu__time_duration.sum", "us", DECIMAL), ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", PERCENT),
        ("l1tex__t_sector_hit_rate.pct", "%", PERCENT), ("lts__t_sector_hit_rate.pct", "%", PERCENT),
        ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request", DECIMAL),
        ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("sm__warps_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("sm__issue_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("smsp__warps_eligible.avg.per_cycle_active", "warp", DECIMAL), ("launch__block_size", "", SMALL),
        ("launch__registers_per_thread", "register/thread", SMALL),
        ("launch__shared_mem_per_block_static", "byte/block", COUNT),
        ("launch__shared_mem_per_block_dynamic", "byte/block", COUNT)] +
       [(f"smsp__pcsamplingdata_pct_of_utilization_issue_stalled_{reason}", "%", PERCENT)
        for reason in ("memory_throttle", "long_scoreboard", "mio", "lg", "barrier", "wait", "short_scoreboard", "not_selected")],
}

STALLS = ["barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard",
          "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected",
          "short_scoreboard", "sleeping", "tex_throttle", "wait"]
PIPES = ["adu", "alu", "cbu", "fma", "fmaheavy", "fp16", "fp64", "lsu", "tensor", "tex", "uniform", "xu"]


def wide_metrics():
    metrics = []
    for form, unit, kind in (("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", "inst", DECIMAL),
                             ("smsp__average_warp_latency_issue_stalled_{}.ratio", "cycle", DECIMAL),
                             ("smsp__pcsamp_warps_issue_stalled_{}", "warp", COUNT),
                             ("smsp__pcsamp_warps_issue_stalled_{}_not_issued", "warp", COUNT)):
        metrics += [(form.format(reason), unit, kind) for reason in STALLS]
    metrics += [(f"smsp__warp_issue_stalled_{reason}_per_warp_active.pct", "%", PERCENT)
                for reason in ("barrier", "long_scoreboard", "lg_throttle", "wait", "short_scoreboard", "not_selected")]
    for pipe in PIPES:
        metrics += [(f"sm__inst_executed_pipe_{pipe}.sum", "inst", COUNT),
                    (f"sm__inst_executed_pipe_{pipe}.avg.pct_of_peak_sustained_active", "%", PERCENT)]
    for what in ("request", "sector", "byte"):
        metrics += [(f"l1tex__t_{what}s_pipe_lsu_mem_{memory}_op_{op}.sum", what, COUNT)
                    for memory in ("global", "local", "shared") for op in ("ld", "st", "atom")]
    for what, unit in (("requests", "request"), ("sectors", "sector"), ("sectors_lookup_hit", "sector"), ("sectors_lookup_miss", "sector")):
        metrics += [(f"lts__t_{what}_op_{op}.sum", unit, COUNT) for op in ("read", "write", "atom", "red")]
    metrics += [("dram__bytes_read.sum", "Mbyte", DECIMAL), ("dram__bytes_write.sum", "Mbyte", DECIMAL),
                ("dram__bytes_read.sum.per_second", "Gbyte/second", DECIMAL),
                ("dram__bytes_write.sum.per_second", "Gbyte/second", DECIMAL),
                ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", PERCENT),
                ("dram__cycles_elapsed.avg.per_second", "cycle/nsecond", DECIMAL)]
    metrics += [(f"launch__{name}", unit, COUNT) for name, unit in (
        ("block_size", ""), ("grid_size", ""), ("registers_per_thread", "register/thread"),
        ("shared_mem_per_block_static", "byte/block"), ("shared_mem_per_block_dynamic", "Kbyte/block"),
        ("occupancy_limit_blocks", "block"), ("occupancy_limit_registers", "block"),
        ("occupancy_limit_shared_mem", "block"), ("occupancy_limit_warps", "block"), ("thread_count", "thread"),
        ("waves_per_multiprocessor", ""))]
    return metrics + [
        ("gpu__time_duration.sum", "usecond", DECIMAL),
        ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", PERCENT),
        ("l1tex__t_sector_hit_rate.pct", "%", PERCENT), ("lts__t_sector_hit_rate.pct", "%", PERCENT),
        ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request", DECIMAL),
        ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("sm__warps_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("sm__maximum_warps_per_active_cycle_pct", "%", PERCENT),
        ("sm__issue_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("smsp__warps_eligible.avg.per_cycle_active", "warp", DECIMAL),
        ("smsp__issue_active.avg.pct_of_peak_sustained_active", "%", PERCENT),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", PERCENT),
        ("smsp__thread_inst_executed_per_inst_executed.ratio", "", DECIMAL), ("smsp__inst_executed.sum", "inst", COUNT),
        ("sm__cycles_active.avg", "cycle", DECIMAL), ("smsp__cycles_active.avg", "cycle", DECIMAL)]


TYPES = ["float", "double", "c10::Half", "c10::BFloat16"]


def functor(rng):
    name = rng.choice(["AddFunctor", "MulFunctor", "DivFunctor", "CompareFunctor", "FillFunctor", "GeluFunctor"])
    if rng.random() < 0.4:
        return (f"at::native::{name}(at::TensorIteratorBase&)::{{lambda()#{rng.randint(1, 3)}}}::operator()() const::"
                f"{{lambda({rng.choice(TYPES)})#1}}")
    t = rng.choice(TYPES)
    return f"at::native::BinaryFunctor<{t}, {t}, {t}, at::native::binary_internal::{name}<{t}> >"


def kernel_name(rng):
    kind, t = rng.random(), rng.choice(TYPES)
    if kind < 0.35:
        f = functor(rng)
        return (f"void at::native::vectorized_elementwise_kernel<{rng.choice([2, 4, 8])}, {f}, at::detail::Array<char*, 3> >"
                f"(int, {f}, at::detail::Array<char*, 3>)")
    if kind < 0.55:
        f = f"at::native::gpu_kernel_impl<{functor(rng)}>(at::TensorIteratorBase&)::{{lambda(int)#{rng.randint(1, 8)}}}"
        return f"void at::native::elementwise_kernel<128, {rng.choice([2, 4])}, {f}>(int, {f})"
    if kind < 0.65:
        op = f"at::native::ReduceOp<{t}, at::native::func_wrapper_t<{t}, at::native::sum_functor<{t}, float, {t}> >, unsigned int, {t}, 4>"
        return f"void at::native::reduce_kernel<{rng.choice([128, 256, 512])}, 1, {op} >({op})"
    if kind < 0.78:
        tile = (f"cutlass_{rng.choice([70, 75, 80, 90])}_tensorop_{rng.choice(['s1688', 'f16_s16816', 'bf16_s16816'])}gemm_"
                f"{rng.choice([64, 128, 256])}x{rng.choice([32, 64, 128])}_{rng.choice([32, 64])}x{rng.randint(2, 6)}_nn_align{rng.choice([1, 4, 8])}")
        return f"void cutlass::Kernel<{tile}>({tile}::Params)"
    if kind < 0.85:
        return f"ampere_{rng.choice(['sgemm', 'fp16_s16816gemm'])}_{rng.choice([32, 64, 128])}x{rng.choice([32, 64, 128])}_{rng.choice(['nn', 'nt', 'tn'])}"
    if kind < 0.93:
        scan = f"cub::DeviceScanKernel<cub::DeviceScanPolicy<{t}>::Policy{rng.choice([350, 520, 600])}, {t} const*, {t}*, cub::Sum, int>"
        return f"void {scan}({t} const*, {t}*, cub::ScanTileState<{t}, true>, int, cub::Sum, int)"
    words = [rng.choice(["add", "native_layer_norm", "mul", "gelu", "view", "sum", "clone", "permute"]) for _ in range(4)]
    return f"triton_{rng.choice(['poi', 'red', 'per'])}_fused_{'_'.join(words)}_{rng.randint(0, 99)}"


class Launches:
    """Kernels as in a real run: few of them take most launches."""

    def __init__(self, rng, kernels):
        names = {}
        while len(names) < kernels:
            names[kernel_name(rng)] = None
        self.rng, self.names, self.count = rng, list(names), 0
        self.weights = [(i + 1) ** -0.9 for i in range(kernels)]

    def next(self):
        rng = self.rng
        name = rng.choices(self.names, self.weights)[0]
        block = f"({rng.choice([64, 128, 256, 512])}, {rng.choice([1, 1, 1, 4])}, 1)"
        grid = f"({rng.randint(1, 65535)}, {rng.choice([1, 1, 8, 32])}, 1)"
        row = [self.count, 48213, "python3.11", "127.0.0.1", name, 1, rng.choice([7, 7, 20]), block, grid, 0, "9.0"]
        self.count += 1
        return quoted(row)


def quoted(fields):
    return ",".join(f'"{field}"' for field in fields)


def value_pools(rng):
    return {PERCENT: [f"{rng.uniform(0, 100):.2f}" for _ in range(8192)],
            DECIMAL: [f"{10 ** rng.uniform(-2, 6):,.2f}" for _ in range(8192)],
            COUNT: [f"{int(10 ** rng.uniform(0, 10)):,}" for _ in range(8192)],
            SMALL: [str(2 ** rng.randint(0, 10)) for _ in range(512)]}


def tall_rows(rng, launches, pools):
    yield quoted(IDENTITY + ["Section Name", "Metric Name", "Metric Unit", "Metric Value"] + RULES) + "\n"
    middles = [(f',"{section}","{name}","{unit}","', pools[kind]) for section, metrics in TALL.items() for name, unit, kind in metrics]
    end = '",' + quoted([""] * len(RULES)) + "\n"
    while True:
        launch = launches.next()
        yield "".join(launch + middle + rng.choice(pool) + end for middle, pool in middles)


def wide_rows(rng, launches, pools):
    metrics = wide_metrics()
    yield quoted(IDENTITY + [name for name, _, _ in metrics]) + "\n"
    yield quoted([""] * len(IDENTITY) + [unit for _, unit, _ in metrics]) + "\n"
    # Groups of columns written out beforehand: rows still differ, and a gigabyte takes seconds.
    groups = [metrics[i:i + 24] for i in range(0, len(metrics), 24)]
    blocks = [["," + quoted(rng.choice(pools[kind]) for _, _, kind in group) for _ in range(1024)] for group in groups]
    while True:
        yield launches.next() + "".join(rng.choice(block) for block in blocks) + "\n"


def generate(layout, size, path, kernels=240, seed=20240607):
    rng = random.Random(seed)
    launches, pools = Launches(rng, kernels), value_pools(rng)
    done = 0
    with open(path, "w", newline="") as out:
        for text in (tall_rows if layout == "tall" else wide_rows)(rng, launches, pools):
            out.write(text)
            done += len(text)
            if done >= size:
                break


def byte_count(text):
    return int(float(text.rstrip("kMG")) * {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layout", choices=["tall", "wide"])
    parser.add_argument("size", type=byte_count)
    parser.add_argument("out")
    parser.add_argument("--kernels", type=int, default=240)
    parser.add_argument("--seed", type=int, default=20240607)
    arguments = parser.parse_args()
    generate(arguments.layout, arguments.size, arguments.out, arguments.kernels, arguments.seed)
