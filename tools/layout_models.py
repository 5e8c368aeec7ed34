#!/usr/bin/env python3
"""Two small models with a fault of memory layout and their cures, for tools/validate_layout.

    layout_models.py MODEL before|after --trace FILE [--device cpu]   records a trace of steady steps, and prints {"step_ms": [...], "torch": ...}
    layout_models.py MODEL trial [--device cpu]                       takes part in `frx layout trial`

cnn        convolutions in half precision on NCHW tensors; cured: channels-last
attention  one tensor of keys that is transposed for every head group, made contiguous in the loop; cured: made contiguous once, before it
"""

import argparse
import json
import time

import torch

STEPS, WARMUP, TIMED = 4, 5, 20


def cnn(device, cured):
    dtype = torch.float16 if device == "cuda" else torch.float32
    scale = 64 if device == "cuda" else 8
    layers = [torch.nn.Conv2d(scale, scale, 3, padding=1, bias=False) for _ in range(4)]
    model = torch.nn.Sequential(*(part for layer in layers for part in (layer, torch.nn.BatchNorm2d(scale), torch.nn.ReLU()))).to(device, dtype).eval()
    x = torch.randn(32 if device == "cuda" else 2, scale, 56, 56, device=device, dtype=dtype)
    if cured:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    return model, lambda: model(x)


class Attention(torch.nn.Module):
    def __init__(self, width, rounds, hoisted):
        super().__init__()
        self.project = torch.nn.Linear(width, width)
        self.rounds, self.hoisted = rounds, hoisted

    def forward(self, queries, keys):
        turned = keys.transpose(1, 2)
        if self.hoisted:
            turned = turned.contiguous()
        out = queries
        for _ in range(self.rounds):
            each = turned if self.hoisted else turned.contiguous()
            out = self.project(torch.softmax(out @ each / 8, dim=-1) @ keys)
        return out


def attention(device, cured):
    dtype = torch.float16 if device == "cuda" else torch.float32
    batch, length, width = (16, 1024, 512) if device == "cuda" else (2, 64, 32)
    model = Attention(width, 6, cured).to(device, dtype).eval()
    queries, keys = (torch.randn(batch, length, width, device=device, dtype=dtype) for _ in range(2))
    return model, lambda: model(queries, keys)


MODELS = {"cnn": cnn, "attention": attention}


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(step, device):
    times = []
    for _ in range(TIMED):
        wait(device)
        begin = time.perf_counter()
        step()
        wait(device)
        times.append(1e3 * (time.perf_counter() - begin))
    return times


def recorded(step, device, path):
    from torch.profiler import ProfilerActivity, profile, schedule

    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device == "cuda" else [])
    more = {}
    if hasattr(torch._C._profiler, "_ExperimentalConfig"):
        more["experimental_config"] = torch._C._profiler._ExperimentalConfig(verbose=True)
    with profile(activities=activities, record_shapes=True, with_stack=True, schedule=schedule(wait=1, warmup=2, active=STEPS),
                 on_trace_ready=lambda one: one.export_chrome_trace(path), **more) as profiler:
        for _ in range(3 + STEPS):
            step()
            wait(device)
            profiler.step()


def in_trial(name, device):
    import fournex.layout

    fournex.layout.seed()
    model, step = MODELS[name](device, False)
    with fournex.layout.Trial(model) as trial, torch.no_grad():
        while not trial.enough:
            with trial.window(items=1):
                out = step()
        trial.output(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("what", choices=("before", "after", "trial"))
    parser.add_argument("--trace")
    parser.add_argument("--device", default="cuda")
    asked = parser.parse_args()
    if asked.what == "trial":
        return in_trial(asked.model, asked.device)
    torch.manual_seed(0)
    _, step = MODELS[asked.model](asked.device, asked.what == "after")
    with torch.no_grad():
        for _ in range(WARMUP):
            step()
        times = timed(step, asked.device)
        if asked.trace:
            recorded(step, asked.device, asked.trace)
    print(json.dumps({"step_ms": times, "torch": torch.__version__}))
    return None


if __name__ == "__main__":
    main()
