"""An LSTM over a sequence, whose steps depend on each other: many short kernels, or few of cuDNN, and a projection of the last state."""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, LENGTH, INPUTS, WIDTH, LAYERS = (32, 32, 256, 512, 2) if DEVICE == "cuda" else (2, 5, 8, 8, 2)


class SequenceEncoder(nn.Module):
    """[batch, length, inputs] to a state [batch, width] for each sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(INPUTS, WIDTH, num_layers=LAYERS, batch_first=True)
        self.norm = nn.LayerNorm(WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        _, (state, _) = self.lstm(x)
        return torch.tanh(self.output(self.norm(state[-1])))


def get_model_and_input():
    torch.manual_seed(0)
    return SequenceEncoder().to(DEVICE), torch.randn(BATCH, LENGTH, INPUTS, device=DEVICE)
