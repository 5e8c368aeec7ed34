#!/usr/bin/env python3
"""A small residual network on pictures that its loader decodes, for tools/validate_tune.

    tune_model.py [--device cpu] [--batch N] [--times FILE] [--show]

Takes its settings from `frx tune`; by itself it loads without workers, with --batch pictures a step (64, on a CPU 4), in float32, uncompiled. A picture is stored
as quantised coefficients of 8 by 8 blocks, as JPEG has them, and decoded in the loader: dequantised, transformed back, converted to RGB, cropped,
mirrored and normalised, which takes about 2 ms. Every step waits for its loss, as programs do that print it.

--times FILE writes when each step ended, in ms of the program's own clock, as a JSON list; --show prints versions as JSON, and nothing is trained.
"""

import argparse
import json
import math
import time

import torch
from torch.utils.data import DataLoader, Dataset

import fournex as frx
import fournex.tune

BATCH, CLASSES, SAMPLES, EPOCHS = {"cuda": 64, "cpu": 4}, 10, 20_000, 2
SIDE, CROP, WIDTH = {"cuda": 224, "cpu": 192}, {"cuda": 192, "cpu": 48}, {"cuda": 64, "cpu": 8}


def cosines():
    """The matrix of the discrete cosine transform of 8 values."""
    rows = [[math.sqrt((1 if k == 0 else 2) / 8) * math.cos(math.pi * (2 * n + 1) * k / 16) for n in range(8)] for k in range(8)]
    return torch.tensor(rows)


class Pictures(Dataset):
    """Made from the number of the sample, so that every trial sees the same ones."""

    def __init__(self, side, crop):
        self.blocks, self.crop = side // 8, crop
        self.transform = cosines()
        self.steps = 1 + torch.arange(8.0)[:, None] + torch.arange(8.0)  # of the quantisation, coarser for higher frequencies
        self.to_rgb = torch.tensor([[1.0, 0.0, 1.402], [1.0, -0.344, -0.714], [1.0, 1.772, 0.0]])

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        stored = torch.randint(-4, 5, (3, self.blocks, self.blocks, 8, 8), generator=generator, dtype=torch.int16)
        spatial = self.transform.t() @ (stored * self.steps) @ self.transform
        side = 8 * self.blocks
        planes = spatial.permute(0, 1, 3, 2, 4).reshape(3, side, side)
        picture = torch.einsum("rc,chw->rhw", self.to_rgb, planes)
        top, left = torch.randint(0, side - self.crop + 1, (2,), generator=generator).tolist()
        picture = picture[:, top : top + self.crop, left : left + self.crop]
        if index % 2:
            picture = picture.flip(-1)
        return (picture - picture.mean()) / picture.std(), index % CLASSES


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = (torch.nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm2d(width) for _ in range(2))

    def forward(self, x):
        return torch.relu(x + self.norms[1](self.second(torch.relu(self.norms[0](self.first(x))))))


def network(width):
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, width, 7, stride=4, padding=3, bias=False), torch.nn.BatchNorm2d(width), torch.nn.ReLU(),
        *(Block(width) for _ in range(4)), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(width, CLASSES))


class Training:
    def __init__(self, device, batch):
        self.device = device
        self.knobs = fournex.tune.Knobs.from_env(batch_size=batch)
        torch.manual_seed(0)
        if device == "cpu":
            torch.set_num_threads(1)
        self.model = network(WIDTH[device]).to(device)
        self.compiled = self.knobs.compile(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        scaler = getattr(torch.amp, "GradScaler", None) or torch.cuda.amp.GradScaler  # the first is new in PyTorch 2.3
        self.scaler = scaler(enabled=self.knobs.needs_grad_scaler and device == "cuda")
        self.ends = []

    def check_output(self):
        probe = torch.randn(8, 3, CROP[self.device], CROP[self.device], generator=torch.Generator().manual_seed(1)).to(self.device)
        self.model.eval()
        with torch.no_grad(), self.knobs.autocast(self.device):
            fournex.tune.check_output(self.compiled(probe), "logits")
        self.model.train()

    def step(self, pictures, labels, epoch):
        with frx.step_context(batch={"pictures": pictures, "labels": labels}, model=self.model, epoch=epoch) as current:
            with frx.time_memcpy("h2d"):
                pictures, labels = (one.to(self.device, non_blocking=self.knobs.pin_memory) for one in (pictures, labels))
            with frx.phase("forward"), self.knobs.autocast(self.device):
                loss = torch.nn.functional.cross_entropy(self.compiled(pictures), labels)
            with frx.phase("backward"):
                self.scaler.scale(loss).backward()
            with frx.phase("optimizer"):
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad(set_to_none=True)
            with frx.sync_wait("item"):
                current.set_loss(loss.item())
            current.set_items(len(labels))
        self.ends.append(1e3 * time.perf_counter())

    def run(self):
        self.check_output()
        loader = frx.instrument_dataloader(DataLoader(Pictures(SIDE[self.device], CROP[self.device]), drop_last=True, **self.knobs.loader_arguments()))
        for epoch in range(EPOCHS):
            for pictures, labels in self.knobs.steps(loader):
                self.step(pictures, labels, epoch)


def versions():
    found = {"torch": torch.__version__, "cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None}
    return {**found, "cudnn": torch.backends.cudnn.version(), "threads": torch.get_num_threads()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--times")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    if asked.show:
        print(json.dumps({**versions(), "batch": asked.batch or BATCH[asked.device]}))
        return
    training = Training(asked.device, asked.batch or BATCH[asked.device])
    training.run()
    if asked.times:
        with open(asked.times, "w", encoding="ascii") as file:
            json.dump(training.ends, file)


if __name__ == "__main__":
    main()
