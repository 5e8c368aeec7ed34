"""Attention of several heads by scaled_dot_product_attention, for which PyTorch chooses a fused kernel where it has one."""

import torch
from torch import nn
from torch.nn import functional

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPE = torch.float16 if DEVICE == "cuda" else torch.float32  # the fused kernels are for half precision
BATCH, LENGTH, WIDTH, HEADS = (8, 1024, 1024, 16) if DEVICE == "cuda" else (2, 8, 16, 2)


def attend(query, key, value):
    """[batch, heads, length, width of a head], three times, to one of the same shape."""
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(query, key, value)
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # PyTorch before 2.0
    return scores.softmax(dim=-1) @ value


class SelfAttention(nn.Module):
    """[batch, length, width] to the same shape."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        batch, length, _ = x.shape

        def heads(layer):
            return layer(x).view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        attended = attend(heads(self.query), heads(self.key), heads(self.value))
        return self.output(attended.transpose(1, 2).reshape(batch, length, WIDTH))


def get_model_and_input():
    torch.manual_seed(0)
    return SelfAttention().to(DEVICE, DTYPE), torch.randn(BATCH, LENGTH, WIDTH, device=DEVICE, dtype=DTYPE)
