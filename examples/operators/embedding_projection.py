"""An embedding, a normalised feed-forward part, and a projection to the vocabulary, whose matrix is the largest of the model."""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, LENGTH, WORDS, WIDTH = (8, 512, 32000, 768) if DEVICE == "cuda" else (2, 8, 100, 16)


class EmbeddingProjection(nn.Module):
    """Numbers of words [batch, length] to logits [batch, length, words]."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.logits = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words):
        x = self.embedding(words)
        return self.logits(x + self.feed_forward(self.norm(x)))


def get_model_and_input():
    torch.manual_seed(0)
    return EmbeddingProjection().to(DEVICE), torch.randint(WORDS, (BATCH, LENGTH), device=DEVICE)
