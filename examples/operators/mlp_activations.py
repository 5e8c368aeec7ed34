"""Linear layers of one width, each with another activation: matrix products that are alike, and pointwise kernels that differ."""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, WIDTH = (512, 2048) if DEVICE == "cuda" else (4, 16)
ACTIVATIONS = (nn.ReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ELU, nn.Hardswish, nn.Softplus)


def get_model_and_input():
    torch.manual_seed(0)
    layers = [layer for activation in ACTIVATIONS for layer in (nn.Linear(WIDTH, WIDTH), activation())]
    return nn.Sequential(*layers).to(DEVICE), torch.randn(BATCH, WIDTH, device=DEVICE)
