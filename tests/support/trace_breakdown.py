#!/usr/bin/env python3
"""Where the time of a PyTorch trace went, computed slowly and obviously, to compare frx with.

    trace_breakdown.py trace.json[.gz]

Nothing here is shared with frx but the definitions in docs/training.md ("How it is counted"). Times are whole nanoseconds; the
decimals of the file are read exactly. It answers only for traces whose steps are marked by ProfilerStep#N of one process, or
not at all.
"""

import decimal
import gzip
import json
import re
import sys

STEP = re.compile(r"ProfilerStep#(\d+)$")
COLLECTIVE = re.compile(r"nccl|rccl|msccl|nvshmem", re.IGNORECASE)
KINDS = {"kernel": "kernel", "gpu_memcpy": "copy", "memcpy": "copy", "gpu_memset": "copy", "memset": "copy"}

CALLS = {"cuda_runtime", "runtime", "hip_runtime", "cuda_driver"}
GPU_PART = CALLS | {"gpu_user_annotation", "cuda_sync"}
RANGE = re.compile(r"ProfilerStep#|enumerate\(DataLoader\)|Optimizer\.(step|zero_grad)#")
PROGRAM = CALLS | {"cpu_op", "operator", "user_annotation", "gpu_user_annotation", "cuda_sync", "python_function"}


class NotForMe(Exception):
    """The trace needs more than the definitions that are implemented here."""


def nanoseconds(microseconds):
    exact = decimal.Decimal(str(microseconds)) * 1000
    return int(exact.to_integral_value(rounding=decimal.ROUND_HALF_UP))


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    document = json.loads(data.decode("utf-8", "replace"), parse_float=decimal.Decimal, strict=False)
    events = document["traceEvents"] if isinstance(document, dict) else document
    return [e for e in events if isinstance(e, dict) and e.get("ph") == "X" and "ts" in e and "dur" in e]


class Event:
    def __init__(self, event):
        self.name = event.get("name", "")
        self.category = event.get("cat", "").lower()
        self.begin = nanoseconds(event["ts"])
        self.duration = nanoseconds(event["dur"])
        self.end = self.begin + self.duration
        self.kind = KINDS.get(self.category)
        if self.kind == "kernel" and COLLECTIVE.search(self.name):
            self.kind = "communication"
        if self.kind:
            self.device = int((event.get("args") or {}).get("device", event.get("pid")))
        self.pid = event.get("pid")
        self.tid = event.get("tid")
        self.args = event.get("args") or {}
        self.correlation = self.args.get("correlation")


def steps_of(events):
    """[(number, begin, end)] by begin. A number that comes twice counts once, with the longer range."""
    found, processes = {}, set()
    for e in events:
        match = STEP.match(e.name)
        if match and e.category in ("user_annotation", "cpu_op", "operator"):
            number = int(match.group(1))
            processes.add(e.pid)
            if number not in found or e.duration > found[number][1] - found[number][0]:
                found[number] = (e.begin, e.end)
    if len(processes) > 1:
        raise NotForMe("steps of several processes")
    return sorted(((number, *span) for number, span in found.items()), key=lambda step: step[1])


def whole_recording(events, launches):
    program = [e for e in events if e.category in PROGRAM or e.kind]
    begin, end = min(e.begin for e in program), max(e.end for e in program)
    first = min((e for e in events if e.kind), key=lambda e: e.begin, default=None)
    if first and first.correlation in launches and first.begin - launches[first.correlation].end > 1_000_000:
        begin = first.begin  # the GPU had work from before the recording
    return [(1, begin, end)]


def hold_the_work(work, steps, launches):
    all_work = sum(e.duration for e in work)
    unknown = sum(e.duration for e in work if e.correlation not in launches)
    within = sum(max(0, min(e.end, steps[-1][2]) - max(e.begin, steps[0][1])) for e in work)
    return unknown * 2 < all_work or within * 2 >= all_work


def until_the_gpu_is_done(work, steps, launches):
    """The times of steps whose program runs ahead; the steps themselves where it does not, or where they overlap."""
    if any(later[1] < earlier[2] - 2000 for earlier, later in zip(steps, steps[1:])):
        return steps
    times, done = [], None
    for number, begin, end in steps:
        launched = [e for e in work if e.kind != "copy" and e.correlation in launches
                    and begin <= launches[e.correlation].begin < end]
        begin_of_time = begin if done is None else max(begin, done)
        done = max([begin_of_time, end] + [e.end for e in launched])
        times.append((number, begin_of_time, done))
    in_program = sum(end - begin for _, begin, end in steps)
    difference = sum(abs((t[2] - t[1]) - (s[2] - s[1])) for t, s in zip(times, steps))
    return times if difference > 0.05 * in_program else steps


def breakdown(work, steps):
    """Walks from one boundary to the next, knowing what is open, and gives the stretch between them to one class."""
    changes = []
    for e in work:
        changes += [(e.begin, e.kind, 1), (e.end, e.kind, -1)]
    for _, begin, end in steps:
        changes += [(begin, "step", 1), (end, "step", -1)]
    changes.sort(key=lambda change: change[0])
    running = {"kernel": 0, "communication": 0, "copy": 0, "step": 0}
    time = {"span": 0, "computing": 0, "exposed communication": 0, "exposed copies": 0, "idle": 0, "communication": 0}
    before = None
    for now, kind, change in changes:
        if running["step"]:
            length = now - before
            time["span"] += length
            if running["communication"]:
                time["communication"] += length
            if running["kernel"]:
                time["computing"] += length
            elif running["communication"]:
                time["exposed communication"] += length
            elif running["copy"]:
                time["exposed copies"] += length
            else:
                time["idle"] += length
        running[kind] += change
        before = now
    hidden = time["communication"] - time["exposed communication"]
    time["overlap"] = hidden / time["communication"] if time["communication"] else None
    return time


def totals(kernels):
    names = {}
    for e in kernels:
        names.setdefault(e.name, []).append(e.duration)
    return {name: {"count": len(d), "total": sum(d), "min": min(d), "max": max(d)} for name, d in names.items()}


def self_times(events):
    """{operator: calls, self and total time} of a recording without a GPU: walks from one boundary of a thread to the next."""
    if any(e.category in GPU_PART or e.kind for e in events):
        return None
    names = {}
    threads = {}
    for place, e in enumerate(events):
        if e.category in ("cpu_op", "operator") and not RANGE.match(e.name):
            threads.setdefault((e.pid, e.tid), []).append((e.begin, -e.duration, place, e))
    for operators in threads.values():
        operators.sort(key=lambda one: one[:3])
        for order, (_, _, _, e) in enumerate(operators):
            row = names.setdefault(e.name, {"calls": 0, "self": 0, "total": 0})
            row["calls"] += 1
            before = [other for _, _, _, other in operators[:order] if other.name == e.name]
            if not any(other.begin <= e.begin < other.end for other in before):
                row["total"] += e.duration
        boundaries = sorted({time for _, _, _, e in operators for time in (e.begin, e.end)})
        for begin, end in zip(boundaries, boundaries[1:]):
            open_ones = [e for _, _, _, e in operators if e.begin <= begin and end <= e.end]
            if open_ones:
                names[open_ones[-1].name]["self"] += end - begin
    return names or None


def occupancy(events):
    """The estimate of the profiler, weighted by the time of the kernels that have one."""
    known = [(e.args["est. achieved occupancy %"], e.duration) for e in events
             if e.category == "kernel" and 0 <= e.args.get("est. achieved occupancy %", -1) <= 100]
    time = sum(duration for _, duration in known)
    return float(sum(percent * duration for percent, duration in known)) / time if time else None


def copies(events):
    """{name: count, bytes and time} of the copies whose bytes are known."""
    found = {}
    for e in events:
        if e.category in ("gpu_memcpy", "memcpy") and "bytes" in e.args:
            row = found.setdefault(e.name, {"count": 0, "bytes": 0, "time": 0})
            row["count"] += 1
            row["bytes"] += e.args["bytes"]
            row["time"] += e.duration
    return found


def queue(work, launches):
    """The median over time of how many launches have returned and not begun: looks at each stretch between two changes."""
    waits, seen = [], set()
    for e in sorted(work, key=lambda one: one.begin):
        if e.correlation in launches and e.correlation not in seen:
            seen.add(e.correlation)
            waits.append((min(launches[e.correlation].end, e.begin), e.begin))
    times = sorted({time for wait in waits for time in wait})
    lengths, open_waits, at = {}, [], 0
    waits.sort()
    for begin, end in zip(times, times[1:]):
        while at < len(waits) and waits[at][0] <= begin:
            open_waits.append(waits[at][1])
            at += 1
        open_waits = [until for until in open_waits if until > begin]
        lengths[len(open_waits)] = lengths.get(len(open_waits), 0) + end - begin
    below = 0
    for length in sorted(lengths):
        below += lengths[length]
        if below * 2 >= sum(lengths.values()):
            return length
    return 0 if waits else None


def analyse(path):
    events = [Event(e) for e in read(path)]
    work = [e for e in events if e.kind]
    launches = {e.correlation: e for e in events if e.category in CALLS and e.correlation is not None}
    marked = steps_of(events)
    if marked and not hold_the_work(work, marked, launches):
        marked = []
    steps = until_the_gpu_is_done(work, marked, launches) if marked else whole_recording(events, launches)
    devices = sorted({e.device for e in work})
    return {
        "marked": bool(marked),
        "steps": [{"number": number, "time": end - begin} for number, begin, end in steps],
        "devices": {device: breakdown([e for e in work if e.device == device], steps) for device in devices},
        "kernels": totals([e for e in work if e.kind != "copy"]),
        "cpu": self_times(events),
        "occupancy": occupancy(events),
        "copies": copies(events),
        "queues": {device: queue([e for e in work if e.device == device], launches) for device in devices},
    }


if __name__ == "__main__":
    json.dump(analyse(sys.argv[1]), sys.stdout, indent=2)
    print()
