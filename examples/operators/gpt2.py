"""A decoder like GPT-2 small: equal blocks of causal attention and a feed-forward part. All but one of its blocks are duplicates."""

import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, LENGTH, WORDS, WIDTH, HEADS, BLOCKS = (4, 512, 50257, 768, 12, 12) if DEVICE == "cuda" else (2, 8, 64, 16, 2, 3)


class Attention(nn.Module):
    """Causal attention of several heads: [batch, length, width] to the same shape. Written out, as PyTorch before 2.0 needs it."""

    def __init__(self) -> None:
        super().__init__()
        self.projected = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        query, key, value = self.projected(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        return self.output((weights @ value).transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm_2 = nn.LayerNorm(WIDTH)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.feed_forward(self.norm_2(x))


class Decoder(nn.Module):
    """Numbers of words [batch, length] to logits [batch, length, words]."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.logits = nn.Linear(WIDTH, WORDS, bias=False)
        self.logits.weight = self.words.weight

    def forward(self, words):
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        for block in self.blocks:
            x = block(x)
        return self.logits(self.norm(x))


def get_model_and_input():
    torch.manual_seed(0)
    return Decoder().to(DEVICE), torch.randint(WORDS, (BATCH, LENGTH), device=DEVICE)
