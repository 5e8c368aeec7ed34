"""Blocks of convolution, batch normalisation and ReLU, with pooling between: many small kernels around a few large ones."""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, IMAGE, WIDTHS = (16, 64, (64, 128, 256)) if DEVICE == "cuda" else (2, 16, (8, 16))


def block(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


def get_model_and_input():
    torch.manual_seed(0)
    model = nn.Sequential(*(block(inputs, outputs) for inputs, outputs in zip((3, *WIDTHS), WIDTHS)))
    return model.to(DEVICE), torch.randn(BATCH, 3, IMAGE, IMAGE, device=DEVICE)
