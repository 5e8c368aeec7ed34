#!/usr/bin/env python3
"""Writes torch_strides.txt: what PyTorch makes of sizes and strides, for tensor_test.cc.

    python3 tests/layout/torch_strides.py > tests/layout/torch_strides.txt

A row is an operation, its tensors as SIZES/STRIDES, its arguments, and the result as SIZES/STRIDES, or "none" where PyTorch refuses a
view. With --check FILE the rows are compared with those of a file, which must have been written by the same seed. Exit code 77: no PyTorch.
"""
import random
import sys

try:
    import torch
except ImportError:
    print("no PyTorch")
    sys.exit(77)


def numbers(values):
    return ",".join(str(value) for value in values) or "-"


def tensor(x):
    return f"{numbers(x.shape)}/{numbers(x.stride())}"


def random_tensor(draw, rank=None):
    """A tensor after a few random views; sizes of 1 are frequent, for they are where strides do not matter."""
    rank = rank or draw.randint(1, 5)
    x = torch.empty([draw.choice([1, 2, 2, 3, 4, 6]) for _ in range(rank)])
    if rank == 4 and draw.random() < 0.3:
        x = x.contiguous(memory_format=torch.channels_last)
    for _ in range(draw.randint(0, 3)):
        kind = draw.choice(["permute", "slice", "expand", "transpose"])
        dimension = draw.randrange(rank)
        if kind == "permute":
            x = x.permute(draw.sample(range(rank), rank))
        elif kind == "transpose":
            x = x.transpose(dimension, draw.randrange(rank))
        elif kind == "slice" and x.shape[dimension] > 1:
            x = x[(slice(None),) * dimension + (slice(draw.randint(0, 1), None, draw.choice([1, 1, 2])),)]
        elif kind == "expand" and x.shape[dimension] == 1:
            x = x.expand(*[5 if i == dimension else -1 for i in range(rank)])
    return x


def random_split(draw, count):
    """Sizes whose product is `count`."""
    sizes = []
    while count > 1:
        size = draw.choice([n for n in range(2, count + 1) if count % n == 0])
        sizes.append(size)
        count //= size
    if draw.random() < 0.3:
        sizes.insert(draw.randint(0, len(sizes)), 1)
    return sizes or [1]


def view_row(draw):
    x = random_tensor(draw)
    sizes = random_split(draw, x.numel())
    if draw.random() < 0.5:  # near its own sizes: merge two or take them as they are
        sizes = list(x.shape)
        if len(sizes) > 1:
            at = draw.randrange(len(sizes) - 1)
            sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
    try:
        result = tensor(x.view(sizes))
    except RuntimeError:
        result = "none"
    # reshape() must copy exactly where view() refuses.
    assert (result == "none") == (x.reshape(sizes).data_ptr() != x.data_ptr())
    return ["view", tensor(x), numbers(sizes), result]


def simple_row(draw):
    x = random_tensor(draw)
    rank = x.dim()
    one, other = draw.randrange(-rank, rank), draw.randrange(-rank, rank)
    kind = draw.choice(["transpose", "permute", "select", "slice", "unsqueeze", "squeeze", "expand", "clone", "preserve"])
    if kind == "transpose":
        return [kind, tensor(x), numbers([one, other]), tensor(x.transpose(one, other))]
    if kind == "permute":
        order = draw.sample(range(rank), rank)
        return [kind, tensor(x), numbers(order), tensor(x.permute(order))]
    if kind == "select":
        return [kind, tensor(x), numbers([one]), tensor(x.select(one, 0))]
    if kind == "slice":
        step = draw.choice([1, 2, 3])
        end = draw.randint(1, x.shape[one])
        return [kind, tensor(x), numbers([one, 0, end, step]), tensor(torch.ops.aten.slice(x, one, 0, end, step))]
    if kind == "unsqueeze":
        one = draw.randrange(-rank - 1, rank + 1)
        return [kind, tensor(x), numbers([one]), tensor(x.unsqueeze(one))]
    if kind == "squeeze":
        return [kind, tensor(x), numbers([one]), tensor(x.squeeze(one))]
    if kind == "expand":
        sizes = [7 if size == 1 and draw.random() < 0.5 else draw.choice([-1, size]) for size in x.shape]
        sizes = [draw.choice([2, 3])] * draw.randint(0, 1) + sizes
        return [kind, tensor(x), numbers(sizes), tensor(x.expand(sizes))]
    if kind == "clone":
        return [kind, tensor(x), "-", tensor(x.clone(memory_format=torch.contiguous_format))]
    return [kind, tensor(x), "-", tensor(torch.empty_like(x))]


def predicate_row(draw):
    x = random_tensor(draw, 4)
    bits = [x.is_contiguous(), x.is_contiguous(memory_format=torch.channels_last)]
    # What max_pool2d returns has the format that it took its input for.
    like = torch.nn.functional.max_pool2d(x, 1)
    return ["formats", tensor(x), numbers(int(bit) for bit in bits), tensor(like)]


def add_row(draw):
    x = random_tensor(draw)
    y = random_tensor(draw, x.dim())
    if draw.random() < 0.5:
        y = torch.empty(x.shape).permute(draw.sample(range(x.dim()), x.dim()))
    try:
        return ["add", tensor(x) + ";" + tensor(y), "-", tensor(x + y)]
    except RuntimeError:
        return None


def convolution_row(draw):
    channels = draw.choice([1, 4, 8])
    x = torch.empty(2, channels, draw.choice([1, 6]), draw.choice([1, 6]))
    w = torch.empty(8, channels, 1, 1)
    if draw.random() < 0.5:
        x = x.contiguous(memory_format=torch.channels_last)
    if draw.random() < 0.5:
        w = w.contiguous(memory_format=torch.channels_last)
    return ["convolution", tensor(x) + ";" + tensor(w), "-", tensor(torch.nn.functional.conv2d(x, w))]


def rows():
    draw = random.Random(21)
    made = [(view_row, 400), (simple_row, 500), (predicate_row, 200), (add_row, 400), (convolution_row, 60)]
    for make, count in made:
        for _ in range(count):
            row = make(draw)
            if row:
                yield " ".join(row)


def main():
    lines = ["# Written by torch_strides.py with PyTorch " + torch.__version__] + sorted(set(rows()))
    if sys.argv[1:2] != ["--check"]:
        print("\n".join(lines))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        known = file.read().splitlines()
    different = [line for line in set(lines[1:]) ^ set(known[1:])]
    print("\n".join(sorted(different)) or "the rows are what this PyTorch computes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
