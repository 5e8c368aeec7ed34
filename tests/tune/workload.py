#!/usr/bin/env python3
"""A stand-in for a training program, whose time a step is known, and which can be told to go wrong in one way: for tests of `frx tune`.

    workload.py [--load MS] [--compute MS] [--copy MS] [--plateau N] [--steps N] [--fault NAME[@STEP][:VARIABLE=VALUE] ...]

A step of B samples loads for B * LOAD ms, divided by the workers, of which no more than PLATEAU help; it copies for COPY ms, half of that from
pinned memory, and computes for B * COMPUTE ms, half of that in float16 or bfloat16 and nine tenths of it compiled. With workers, loading and the
rest overlap, and the longer one counts. B is FRX_BATCH_SIZE, 8 by default. All of it is sleep, so that a busy machine changes it little. The loss
falls from 1 by 1 % a step.

The fault happens in every run, or with VARIABLE=VALUE in those where that is so; STEP counts from 0, and is 3 by default:

  nan_loss, inf_loss    the loss of STEP and later
  worse_loss            losses that are 20 % higher
  diverging_loss        losses that grow by 10 % a step
  validation            reports a validation loss of 2 in place of 0.5
  output_drift          an output that differs by 0.01 from that of other runs
  exit_3                ends with code 3 after all steps
  raise, segfault, kill ends at STEP by an exception, by SIGSEGV, by SIGKILL
  out_of_memory         ends at STEP as PyTorch does when the memory of the GPU is used up
  memory                samples of a GPU whose memory is 95 % used; without it, 40 %
  hang, hang_hard       stops at STEP for ten minutes; the second one ignores SIGTERM
  endless               does not read FRX_TUNE_MAX_STEPS; ends after --steps
  no_trace              records nothing
  no_loss               records steps without a loss
  leaves_process        leaves a process with a session of its own that sleeps for ten minutes
  slow                  steps take twice as long
  flood                 prints 64 MiB
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FAULTS = ("nan_loss", "inf_loss", "worse_loss", "diverging_loss", "validation", "output_drift", "exit_3", "raise", "segfault", "kill", "out_of_memory",
          "memory", "hang", "hang_hard", "endless", "no_trace", "no_loss", "leaves_process", "slow", "flood")
GIB = 1 << 30


class Samples:
    """What the SDK takes for a tensor: the batch size is read from it."""

    dtype = "float32"

    def __init__(self, count):
        self.shape = (count, 16)


class Fault:
    def __init__(self, text):
        text, _, when = text.partition(":")
        self.name, _, step = text.partition("@")
        if self.name not in FAULTS:
            raise argparse.ArgumentTypeError(f"no fault is called {self.name}; there are {', '.join(FAULTS)}")
        self.step = int(step or 3)
        variable, _, value = when.partition("=")
        self.active = not when or os.environ.get(variable) == value


class Workload:
    def __init__(self, asked):
        environment = os.environ
        self.faults = {one.name: one for one in asked.fault if one.active}
        self.batch = int(environment.get("FRX_BATCH_SIZE") or 8)
        self.workers = int(environment.get("FRX_NUM_WORKERS") or 0)
        limit = 0 if "endless" in self.faults else int(environment.get("FRX_TUNE_MAX_STEPS") or 0)
        self.steps = min(limit, asked.steps) if limit else asked.steps
        load = asked.load * self.batch / max(1, min(self.workers, asked.plateau))
        copy = asked.copy * (0.5 if environment.get("FRX_PIN_MEMORY") == "true" else 1)
        compute = asked.compute * self.batch * (0.5 if environment.get("FRX_AMP_DTYPE") else 1) * (0.9 if environment.get("FRX_TORCH_COMPILE") else 1)
        work = copy + compute
        # What a step waits for its batch, and what it works afterwards, in ms.
        self.wait_ms = max(0.0, load - work) if self.workers else load
        self.work_ms = work
        if "slow" in self.faults:
            self.wait_ms, self.work_ms = 2 * self.wait_ms, 2 * self.work_ms

    def happens(self, name, step):
        return name in self.faults and step >= self.faults[name].step

    def loss(self, step):
        for name, value in (("nan_loss", "nan"), ("inf_loss", "inf")):
            if self.happens(name, step):
                return float(value)
        if "diverging_loss" in self.faults:
            return 1.1**step
        return 0.99**step * (1.2 if "worse_loss" in self.faults else 1)

    def go_wrong(self, step):
        if self.happens("raise", step):
            raise RuntimeError(f"the program fails at step {step}")
        if self.happens("out_of_memory", step):
            raise MemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 16.00 GiB of which 0.10 GiB is free.")
        for name, number in (("segfault", signal.SIGSEGV), ("kill", signal.SIGKILL)):
            if self.happens(name, step):
                os.kill(os.getpid(), number)
        if self.happens("hang_hard", step):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.happens("hang", step) or self.happens("hang_hard", step):
            time.sleep(600)

    def run_without_sdk(self):
        for step in range(self.steps):
            time.sleep((self.wait_ms + self.work_ms) / 1000)
            self.go_wrong(step)

    def run(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
        import fournex
        import fournex.tune

        fournex.tune.check_output([1.0, 1.01 if "output_drift" in self.faults else 1.0], "logits")
        used = 95 if "memory" in self.faults else 40
        for step in range(self.steps):
            with fournex.dataloader_span():
                time.sleep(self.wait_ms / 1000)
            with fournex.step_context(step, batch=Samples(self.batch)) as current:
                with fournex.phase("forward"):
                    time.sleep(self.work_ms / 1000)
                if "no_loss" not in self.faults:
                    current.set_loss(self.loss(step))
                self.go_wrong(step)
            fournex.emit_event(fournex.build_runtime_event("gpu_sample", {
                "utilization_gpu_pct": 50, "utilization_mem_pct": 10, "memory_used_bytes": used * GIB // 10, "memory_total_bytes": 10 * GIB}, gpu_id=0))
        fournex.tune.report_quality(validation_loss=2.0 if "validation" in self.faults else 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", type=float, default=2.0)
    parser.add_argument("--compute", type=float, default=0.5)
    parser.add_argument("--copy", type=float, default=1.0)
    parser.add_argument("--plateau", type=int, default=4)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--fault", type=Fault, action="append", default=[])
    work = Workload(parser.parse_args())
    if "leaves_process" in work.faults:
        left = subprocess.Popen(["sleep", "600"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(f"process {left.pid} stays", flush=True)
    if "flood" in work.faults:
        for _ in range(1024):
            print("x" * 65535)
    work.run_without_sdk() if "no_trace" in work.faults else work.run()
    print(f"{work.steps} steps of {work.batch} samples")
    return 3 if "exit_3" in work.faults else 0


if __name__ == "__main__":
    sys.exit(main())
