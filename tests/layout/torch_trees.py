#!/usr/bin/env python3
"""Writes torch_trees.txt: the operators that PyTorch runs below a few calls, for torch_test.cc.

    python3 tests/layout/torch_trees.py > tests/layout/torch_trees.txt

A row is a case and the names of its operators in the order in which they begin, as the profiler of PyTorch records them on a CPU. What a
CPU does otherwise than a GPU is left out: what is below products, convolutions and normalisations, and resolve_conj. With --check FILE the
rows are compared with those of a file. Exit code 77: no PyTorch.
"""
import sys

try:
    import torch
except ImportError:
    print("no PyTorch")
    sys.exit(77)

LEAVES = ("aten::mm", "aten::bmm", "aten::addmm", "aten::relu", "aten::mul", "aten::add", "aten::sum", "aten::threshold_backward", "aten::fill_")
# On a fast machine they begin in the microsecond in which the leaf seems to end.
BELOW_LEAVES = {"aten::sum": ("aten::as_strided", "aten::fill_")}
LEFT_OUT = ("aten::resolve_conj", "aten::resolve_neg")


def names_of(run):
    with torch.autograd.profiler.profile() as profile:
        run()
    names = []
    leaf_end, below = 0, ()
    for event in sorted(profile.function_events, key=lambda e: (e.time_range.start, e.id)):
        if event.name in LEFT_OUT or event.name in below or event.time_range.start < leaf_end:
            continue
        below = BELOW_LEAVES.get(event.name, ())
        names.append(event.name.replace("function: ", "function:"))
        if event.name in LEAVES:
            leaf_end = event.time_range.end
    return names


def backward(loss, *parameters):
    for parameter in parameters:
        parameter.grad = None
    loss.backward()


def cases():
    matrix = torch.empty(8, 4)
    image = torch.empty(2, 8, 4, 4)
    batch, length, heads, size = 2, 8, 4, 16
    query = torch.empty(batch, length, heads, size)
    yield "contiguous", lambda: matrix.t().contiguous()
    yield "contiguous_without_effect", lambda: matrix.contiguous()
    yield "reshape_that_views", lambda: matrix.reshape(32)
    yield "reshape_that_copies", lambda: matrix.t().reshape(32)
    yield "clone_of_transposed", lambda: matrix.t().clone()
    yield "clone_of_slice", lambda: torch.ops.aten.slice(matrix, 1, 0, 3).clone()
    yield "to_double", lambda: matrix.to(torch.float64)
    yield "to_same_type", lambda: matrix.to(torch.float32)
    yield "to_channels_last", lambda: image.to(memory_format=torch.channels_last)
    yield "contiguous_channels_last", lambda: image.contiguous(memory_format=torch.channels_last)
    yield "views", lambda: matrix.unsqueeze(0).squeeze(0).transpose(0, 1).permute(1, 0).select(0, 1).expand(3, 4)
    yield "matmul_of_heads", lambda: torch.matmul(query.transpose(1, 2), query.transpose(1, 2).transpose(-2, -1))
    scores, values, cube = torch.empty(2, 1, 3, 3), torch.empty(2, 4, 3, 5), torch.empty(4, 8, 8)
    yield "matmul_of_expanded", lambda: torch.matmul(scores.expand(2, 4, 3, 3), values)
    yield "softmax_of_permuted", lambda: torch.softmax(cube.permute(2, 0, 1), -1)
    weight = torch.empty(4, 8, requires_grad=True)
    yield "backward_of_transposed", lambda: backward((weight.t().contiguous() * matrix).relu().sum(), weight)
    left = torch.empty(8, 4, requires_grad=True)
    right = torch.empty(6, 4, requires_grad=True)
    yield "backward_of_product", lambda: backward(torch.mm(left, right.t()).relu().sum(), left, right)


def rows():
    for name, run in cases():
        run()  # the first call initialises
        # Times are whole microseconds, in which a child may seem to begin before its parent: what most runs say.
        runs = [" ".join(names_of(run)) for _ in range(25)]
        yield name + " " + max(sorted(set(runs)), key=runs.count)


def main():
    lines = ["# Written by torch_trees.py with PyTorch " + torch.__version__] + list(rows())
    if sys.argv[1:2] != ["--check"]:
        print("\n".join(lines))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        known = file.read().splitlines()
    different = sorted(set(lines[1:]) ^ set(known[1:]))
    print("\n".join(different) or "the rows are what this PyTorch records")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
