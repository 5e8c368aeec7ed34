"""Traces of the PyTorch profiler that are made from the answer: the truth is known before there is an event.

A GPU's time is laid out first, as stretches of computing, exposed communication, exposed copies and idleness. Only then
events are put where they make these true: kernels on several streams that overlap each other, collectives and copies that hide
behind kernels and stick out of them, kernels of no duration, and ranges of the program repeated on the GPU's own track.
"""

import json
import random

KERNELS = ["void gemm<128, 64>(float*)", "vectorized_elementwise", "reduce<float>", "softmax_\"quoted\"", "кернел"]
COLLECTIVES = ["ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclKernel_AllGather"]
COPIES = [("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"), ("gpu_memset", "Memset (Device)")]


class Truth:
    def __init__(self):
        self.steps = []    # nanoseconds each
        self.devices = {}  # device -> {"span", "computing", ...}
        self.kernels = {}  # name -> {"count", "total", "min", "max"}


class MadeTrace:
    """`fraction`: nanoseconds per tick. 1000 makes whole microseconds, as PyTorch wrote them before 2.3."""

    def __init__(self, seed, devices=(0,), steps=4, tick=1, marked=True):
        self.random = random.Random(seed)
        self.tick, self.marked = tick, marked
        self.events, self.truth = [], Truth()
        self.begin = 1_700_000_000_000_000 * self.tick if tick > 1 else 5_000_000_123
        self.begin -= self.begin % tick
        ends = self.step_ends(steps)
        for device in devices:
            self.lay_out(device, ends)
        self.random.shuffle(self.events)

    def ticks(self, most):
        return self.random.randint(1, most) * self.tick

    def event(self, category, name, begin, duration, pid, tid, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": begin, "dur": duration,
                            "args": arguments})

    def step_ends(self, count):
        """The boundaries of steps that follow each other without a gap."""
        ends = [self.begin]
        for number in range(count):
            length = self.ticks(400_000) + 100_000 * self.tick
            self.truth.steps.append(length)
            if self.marked:
                self.event("user_annotation", f"ProfilerStep#{number + 3}", ends[-1], length, 77, 77)
                # The profiler repeats it on the GPU's track, later and longer: it is no step and no work.
                self.event("gpu_user_annotation", f"ProfilerStep#{number + 3}", ends[-1] + self.tick, 2 * length, 0, 7, device=0)
            ends.append(ends[-1] + length)
        if not self.marked:
            self.truth.steps = [ends[-1] - ends[0]]
        return ends

    def kernel(self, device, name, begin, end):
        stream = self.random.choice([7, 13, 20])
        self.event("kernel", name, begin, end - begin, device, stream, device=device, stream=stream)
        known = self.truth.kernels.setdefault(name, {"count": 0, "total": 0, "min": end - begin, "max": 0})
        known["count"] += 1
        known["total"] += end - begin
        known["min"] = min(known["min"], end - begin)
        known["max"] = max(known["max"], end - begin)

    def copy(self, device, begin, end):
        category, name = self.random.choice(COPIES)
        self.event(category, name, begin, end - begin, device, 9, device=device, stream=9)

    def lay_out(self, device, ends):
        time = dict.fromkeys(["span", "computing", "exposed communication", "exposed copies", "idle", "communication"], 0)
        self.truth.devices[device] = time
        time["span"] = ends[-1] - ends[0]
        now, last = ends[0], None
        while now < ends[-1]:
            kind = self.random.choice([k for k in ("computing", "exposed communication", "exposed copies", "idle") if k != last])
            if not self.marked and now == ends[0]:
                kind = "computing"  # the recording begins with a kernel
            end = min(ends[-1], now + self.ticks(30_000))
            if not self.marked and ends[-1] - end < 40_000 * self.tick:
                kind, end = "computing", ends[-1]  # and ends with one
            time[kind] += end - now
            if kind == "computing":
                self.compute(device, now, end, time)
            elif kind == "exposed communication":
                self.communicate(device, now, end)
                time["communication"] += end - now
            elif kind == "exposed copies":
                self.copy(device, now, end)
            now, last = end, kind

    def compute(self, device, begin, end, time):
        """Kernels that leave no gap, some above each other; behind them a collective and a copy may hide."""
        now = begin
        while now < end:
            stop = min(end, now + self.ticks(20_000))
            self.kernel(device, self.random.choice(KERNELS), self.random.randrange(begin, now + 1, self.tick), stop)
            now = stop
        if self.random.random() < 0.2:
            self.kernel(device, "too_short_to_time", begin, begin)
        if self.random.random() < 0.5 and end - begin > 2 * self.tick:
            hidden = self.random.randrange(self.tick, end - begin, self.tick)
            self.communicate(device, begin, begin + hidden)
            time["communication"] += hidden
        if self.random.random() < 0.5:
            self.copy(device, begin, end)

    def communicate(self, device, begin, end):
        self.kernel(device, self.random.choice(COLLECTIVES), begin, end)
        if self.random.random() < 0.3:  # a copy behind a collective is not exposed
            self.copy(device, begin, end)

    def microseconds(self, ns):
        return str(ns // 1000) if self.tick >= 1000 else f"{ns // 1000}.{ns % 1000:03}"

    def text(self):
        lines = []
        for event in self.events:
            times = {key: self.microseconds(event[key]) for key in ("ts", "dur")}
            rest = json.dumps({key: value for key, value in event.items() if key not in times})
            lines.append(f'{{"ts": {times["ts"]}, "dur": {times["dur"]}, {rest[1:]}')
        return '{"schemaVersion": 1, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n"
