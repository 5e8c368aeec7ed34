"""What is measured: commands of frx, each beside a program that does the least work possible on the same file (limit_*.cc), and their files,
which are made once, in build/bench."""
import dataclasses
import subprocess
import sys

import gen_cuda
import gen_layout_trace
import gen_ncu_csv
import gen_ptx
import gen_trace
from measuring import DATA, REPOSITORY, TOOLS

MB = 1e6
KERNELS = 240
# What a group of equal launches may keep for one metric, and how many shapes of a kernel are kept apart.
BYTES_PER_SPREAD, SHAPES = 72, 12
# The same of report_sample.h.
REPORT_KERNELS, REPORT_SHAPES, REPORT_METRICS = 240, 4, 600

FRX = "frx"  # stands for the program that is measured, as the first word of a command


@dataclasses.dataclass
class Row:
    group: str  # what --only names
    work: str
    command: list
    limit: list  # the command that it is compared with
    target: float = None  # the most times as long as the limit by the clock; None: no target speaks of it
    half: list = None  # the same command on half of the input: at most 2.2 times as long
    budget: float = None  # of peak memory, in bytes
    size: float = None  # bytes of input, for a speed
    least_speed: float = None  # MB/s
    events: int = None
    rounds: int = 1  # times as many runs as of others, since each takes milliseconds


def made(name, write):
    """A file or folder of build/bench; write(path) makes it under another name where it is not there yet."""
    path = DATA / name
    if not path.exists():
        print(f"writing {path.relative_to(REPOSITORY)}", file=sys.stderr, flush=True)
        partial = path.with_name("partial-" + path.name)
        write(partial)
        partial.rename(path)
    return path


def csv_file(layout, size):
    return made(f"{layout}-{size}.csv", lambda path: gen_ncu_csv.generate(layout, size, path, KERNELS))


def trace_file(size, suffix=".json"):
    return made(f"trace-{size}{suffix}", lambda path: gen_trace.write(path, size))


def cuda_files(files, size):
    return made(f"cuda-{files}-{size}", lambda path: gen_cuda.write(path, files, size))


def six_rows():
    path = DATA / "six.csv"
    with open(csv_file("tall", 1000), encoding="utf-8") as tall:
        path.write_text("".join(next(tall) for _ in range(7)), encoding="utf-8")
    return path


def start_rows(_):
    empty = [TOOLS / "limit_empty"]
    yield Row("start", "frx --version", [FRX, "--version"], empty, 4, budget=15 * MB, rounds=10)
    yield Row("start", "NCU CSV of 6 rows, JSON", [FRX, "profile", "--ncu", six_rows(), "--json"], empty, 8, budget=15 * MB, rounds=10)


def csv_rows(size):
    """On two free cores; of small files the diagnosis is a large part."""
    full = size >= 1_000_000_000
    targets = {"tall": (0.45 if full else 1.2, sum(map(len, gen_ncu_csv.TALL.values()))), "wide": (0.65 if full else 0.9, len(gen_ncu_csv.wide_metrics()))}
    for layout, (target, metrics) in targets.items():
        whole, half = csv_file(layout, size), csv_file(layout, size // 2)
        profile = [FRX, "profile", "--json", "--ncu"]
        yield Row("csv", f"NCU CSV {layout} {size / 1e9:g} GB", profile + [whole], [TOOLS / "limit_csv", whole], target, half=profile + [half],
                  budget=64 * MB + KERNELS * metrics * SHAPES * BYTES_PER_SPREAD, size=size)


def report_rows(size):
    path = made(f"report-{size}.ncu-rep", lambda path: subprocess.run([TOOLS / "gen_ncu_report", str(size / MB), path], check=True))
    yield Row("report", f"NCU report {size / 1e9:g} GB", [FRX, "profile", "--json", "--ncu", path], [TOOLS / "limit_ncurep", path],
              1.8 if size >= 1_000_000_000 else 4, budget=64 * MB + REPORT_KERNELS * REPORT_SHAPES * REPORT_METRICS * BYTES_PER_SPREAD, size=size,
              least_speed=500)


def ptx_rows(size):
    size = min(size, 100_000_000)
    whole, half = (made(f"kernels-{bytes_}.ptx", lambda path, bytes_=bytes_: gen_ptx.write(path, bytes_)) for bytes_ in (size, size // 2))
    analyze = [FRX, "analyze", "--json"]
    yield Row("ptx", f"PTX {size / MB:g} MB", analyze + [whole], [TOOLS / "limit_ptx", whole], 15, half=analyze + [half], budget=3 * size, size=size)


def cuda_rows(size):
    """Many files in one folder, and one file that is as large as all of them, and half as large."""
    files, size = 1000, min(size, 11_000_000)
    many, one, half = cuda_files(files, size), cuda_files(1, size), cuda_files(1, size // 2)
    analyze, lexer = [FRX, "analyze", "--json"], [TOOLS / "limit_cuda"]
    yield Row("cuda", f"{files} CUDA files, {size / MB:g} MB", analyze + [many], lexer + sorted(many.iterdir()), 25, budget=64 * MB, size=size)
    yield Row("cuda", "one CUDA file of the same size", analyze + [one], lexer + sorted(one.iterdir()), half=analyze + [half], size=size)


def trace_rows(size):
    whole, half, packed = trace_file(size), trace_file(size // 2), trace_file(size, ".json.gz")
    analyze, scan = [FRX, "analyze", "--json"], [TOOLS / "limit_trace", whole]
    events = int(subprocess.run(scan, capture_output=True, text=True, check=True).stdout.split()[0])
    budget = 60 * events + 64 * MB
    yield Row("trace", f"trace {size / 1e9:g} GB", analyze + [whole], scan, 2.5, half=analyze + [half], budget=budget, size=size, events=events)
    yield Row("trace", "the same as .gz, beside plain", analyze + [packed], analyze + [whole], 1.5, budget=budget)


def layout_rows(_):
    """The layout advisor beside the plain analysis of the same trace."""
    operators = 1_000_000
    path = made(f"layout-{operators}.json", lambda path: gen_layout_trace.write(path, operators))
    yield Row("layout", "layouts of 10^6 operators, beside analyze", [FRX, "layout", "analyze", "--json", path], [FRX, "analyze", "--json", path], 2)


GROUPS = {"start": start_rows, "csv": csv_rows, "report": report_rows, "ptx": ptx_rows, "cuda": cuda_rows, "trace": trace_rows, "layout": layout_rows}


def rows(size, only=None):
    """Those of a group, or all; the files of a group are made when its turn comes."""
    for group, rows_of_group in GROUPS.items():
        if only in (None, group):
            yield from rows_of_group(size)
