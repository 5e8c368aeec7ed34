"""Depthwise convolutions, which read much and compute little, each followed by a pointwise one, which is a matrix product."""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, IMAGE, WIDTH, BLOCKS = (32, 56, 256, 4) if DEVICE == "cuda" else (2, 8, 8, 3)


class Separable(nn.Module):
    """[batch, width, height, width of the image] to the same shape."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, kernel_size=3, padding=1, groups=width, bias=False)
        self.pointwise = nn.Conv2d(width, width, kernel_size=1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.pointwise(self.depthwise(x))))


def get_model_and_input():
    torch.manual_seed(0)
    model = nn.Sequential(*(Separable(WIDTH) for _ in range(BLOCKS)))
    return model.to(DEVICE), torch.randn(BATCH, WIDTH, IMAGE, IMAGE, device=DEVICE)
