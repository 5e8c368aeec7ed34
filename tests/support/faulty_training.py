"""A training loop with one fault, or with that fault mended: faulty_training.py FAULT fault|cure [cuda|cpu]

Runs under `frx collect`; tools/validate_training expects of each fault the label that names it.
"""

import os
import sys
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

import fournex as frx

STEPS, BATCH = 24, 64
WIDTH = {"cuda": 2048, "cpu": 512}  # a step takes some milliseconds
FAULTS = ("loader", "copies", "syncs", "kernels", "shapes", "memory")


class Rows(Dataset):
    def __init__(self, delay, width):
        self.delay = delay
        self.data = torch.randn(STEPS * BATCH, width)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        if self.delay:  # even no time at all would give the processor away
            time.sleep(self.delay)
        return self.data[index]


class Loop:
    def __init__(self, fault, device):
        self.fault, self.device, self.width = fault, device, WIDTH[device]
        layers = [layer for _ in range(4) for layer in (torch.nn.Linear(self.width, self.width), torch.nn.ReLU())]
        self.model = torch.nn.Sequential(*layers).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3)
        self.small = torch.zeros(64, device=device)
        self.ballast = self.fill_memory() if fault == "memory" else None

    def fill_memory(self):
        free, total = torch.cuda.mem_get_info()
        wanted = free - total // 50  # leaves 2 % for the steps
        return torch.empty(max(0, wanted - (1 << 30)), dtype=torch.uint8, device=self.device)

    def batches(self):
        return frx.instrument_dataloader(DataLoader(Rows(0.002 if self.fault == "loader" else 0.0, self.width), batch_size=BATCH, drop_last=True))

    def input_of(self, rows, step):
        if self.fault == "copies":  # pageable, and far more than the step needs
            rows = torch.randn(16 * BATCH, self.width).to(self.device)[:BATCH]
        rows = rows.to(self.device, non_blocking=True)
        return rows[: BATCH - step % 5 * 8] if self.fault == "shapes" else rows

    def forward(self, x):
        if self.fault == "syncs":
            for layer in self.model:
                x = layer(x)
                for _ in range(4):  # the host waits for the GPU each time
                    (x @ x.t()).sum().item()
        else:
            x = self.model(x)
        if self.fault == "kernels":
            for _ in range(600):
                self.small = self.small * 0.5 + 1.0
        return x.square().mean()

    def step(self, rows, step):
        x = self.input_of(rows, step)
        with frx.step_context(step=step, batch={"x": x}, model=self.model):
            with frx.phase("forward"):
                loss = self.forward(x)
            with frx.phase("backward"):
                loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)


def profiler(device):
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    folder = Path(os.environ.get("FRX_OUTPUT_DIR", "."))

    def save(profile):
        profile.export_chrome_trace(str(folder / "profiler_trace.json"))

    return torch.profiler.profile(activities=activities, schedule=torch.profiler.schedule(wait=2, warmup=2, active=STEPS - 4),
                                  on_trace_ready=save, record_shapes=True)


def main():
    fault, state = sys.argv[1:3]
    device = sys.argv[3] if len(sys.argv) > 3 else "cuda"
    if fault not in FAULTS or state not in ("fault", "cure"):
        sys.exit(__doc__)
    torch.manual_seed(0)
    frx.init(job_name=f"{fault}-{state}")
    loop = Loop(fault if state == "fault" else "", device)
    with profiler(device) as profile:
        for step, rows in enumerate(loop.batches()):
            loop.step(rows, step)
            profile.step()
    print("done", STEPS, "steps")


if __name__ == "__main__":
    main()
