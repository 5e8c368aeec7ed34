#!/usr/bin/env python3
"""A PyTorch program whose loader is slow on purpose: samples are read for 3 ms each, as from a slow disk, and decoded a little.

    slow_loader.py [--times FILE]

It takes its settings from `frx tune` (docs/sdk.md) and by itself loads without workers. --times FILE: writes when each step ended, in ms of its own
clock, as a JSON list.
"""

import argparse
import json
import time

import torch
from torch.utils.data import DataLoader, Dataset

import fournex as frx
import fournex.tune

READ_S, SAMPLES, WIDTH, EPOCHS = 0.003, 800, 64, 4


class SlowDisk(Dataset):
    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        time.sleep(READ_S)
        generator = torch.Generator().manual_seed(index)
        row = torch.randn(WIDTH, generator=generator)
        return row / row.norm(), index % 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times")
    asked = parser.parse_args()
    knobs = fournex.tune.Knobs.from_env(batch_size=8)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    with torch.no_grad():
        fournex.tune.check_output(model(torch.ones(4, WIDTH)), "logits")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader = frx.instrument_dataloader(DataLoader(SlowDisk(), **knobs.loader_arguments()))
    ends = []
    for epoch in range(EPOCHS):
        for x, y in knobs.steps(loader):
            with frx.step_context(batch={"x": x, "y": y}, model=model, epoch=epoch) as current:
                with frx.phase("forward"), knobs.autocast("cpu"):
                    loss = torch.nn.functional.cross_entropy(model(x), y)
                with frx.phase("backward"):
                    loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                current.set_loss(loss)
                current.set_items(len(x))
            ends.append(1e3 * time.perf_counter())
    fournex.tune.report_quality(validation_loss=loss)
    if asked.times:
        with open(asked.times, "w", encoding="ascii") as file:
            json.dump(ends, file)


if __name__ == "__main__":
    main()
