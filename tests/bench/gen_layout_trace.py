#!/usr/bin/env python3
"""Writes a trace with shapes and strides: gen_layout_trace.py OPERATORS OUT.json

A network of attention blocks and convolutions in steps of about 2,000 operators: views, copies between layouts, products, convolutions whose
operands are converted. What the layout advisor has to look at most. The same number of operators gives the same bytes.
"""
import json
import sys

BLOCKS = 64


class Step:
    """Events of one step as text, with a slot for times and numbers that grow from step to step."""

    def __init__(self):
        self.parts, self.now, self.gpu, self.ids, self.operators = [], 0, 0, 0, 0

    def event(self, category, name, track, start, duration, arguments):
        self.parts.append((f'{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {track[0]}, "tid": {track[1]}, "ts": ', start,
                           f', "dur": {duration}, "args": {{{arguments}}}}},\n'))

    def operator(self, name, inputs=(), inside=None):
        self.operators += 1
        self.ids += 1
        begin, number = self.now, self.ids
        self.now += 1
        if inside:
            inside()
        self.now += 1
        lists = {"Input Dims": [one[0] for one in inputs], "Input Strides": [one[1] for one in inputs], "Input type": [one[2] for one in inputs],
                 "Concrete Inputs": [one[3] for one in inputs]}
        arguments = "".join(f', "{key}": {json.dumps(value)}' for key, value in lists.items()) if inputs else ""
        self.event("cpu_op", name, (1, 1), begin, self.now - begin, f'"External id": {number}' + arguments)

    def kernel(self, name, duration):
        self.ids += 1
        self.event("cuda_runtime", "cudaLaunchKernel", (1, 1), self.now, 1, f'"correlation": {self.ids}')
        self.now += 1
        self.gpu = max(self.gpu, self.now) + 1
        self.event("kernel", name, (0, 7), self.gpu, duration, f'"correlation": {self.ids}, "device": 0, "stream": 7')
        self.gpu += duration


def tensor(sizes, strides, kind="c10::Half"):
    return (sizes, strides, kind, "")


def value(text):
    return ([], [], "Scalar", text)


def block(step, number):
    rows, width = 4096, 1024
    x = tensor([8, 512, 16, 64], [524288, 1024, 64, 1])
    turned = tensor([8, 16, 512, 64], [524288, 64, 1024, 1])
    dense = tensor([8, 16, 512, 64], [524288, 32768, 64, 1])
    copy = "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda"
    for _ in range(3):
        step.operator("aten::linear", [tensor([rows, width], [width, 1]), tensor([width, width], [width, 1])], lambda: (
            step.operator("aten::t", [tensor([width, width], [width, 1])]),
            step.operator("aten::addmm", [tensor([width], [1]), tensor([rows, width], [width, 1]), tensor([width, width], [1, width])],
                          lambda: step.kernel("ampere_fp16_s16816gemm_fp16_128x128", 60))))
        step.operator("aten::view", [tensor([8, 512, 1024], [524288, 1024, 1]), value("[8, 512, 16, 64]")])
        step.operator("aten::transpose", [x, value("1"), value("2")])
        step.operator("aten::contiguous", [turned], lambda: step.operator("aten::clone", [turned], lambda: step.operator(
            "aten::copy_", [dense, turned, value("False")], lambda: step.kernel(copy, 20))))
    step.operator("aten::_softmax", [dense], lambda: step.kernel("softmax_warp_forward", 40 + number % 3))
    image, weight = tensor([32, 64, 56, 56], [200704, 3136, 56, 1]), tensor([64, 64, 3, 3], [576, 9, 3, 1])
    settings = [value(""), value("[1, 1]"), value("[1, 1]"), value("[1, 1]"), value("1")]
    step.operator("aten::conv2d", [image, weight] + settings, lambda: step.operator("aten::cudnn_convolution", [image, weight] + settings[1:], lambda: (
        step.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, true, false>", 12),
        step.kernel("sm80_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nhwc", 90))))
    step.operator("aten::relu", [image], lambda: step.kernel("void at::native::vectorized_elementwise_kernel<4, at::native::relu", 15))


def write(path, operators):
    step = Step()
    for number in range(BLOCKS):
        block(step, number)
    length = max(step.now, step.gpu) + 10
    steps = max(1, operators // step.operators)
    with open(path, "w", encoding="ascii") as out:
        out.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "computeMajor": 8, "computeMinor": 0}],\n'
                  '"record_shapes": 1, "traceEvents": [\n')
        for i in range(steps):
            begin = i * length
            for head, start, tail in step.parts:
                correlation = tail.find('"correlation": ')
                if correlation >= 0:  # numbers of launches differ from step to step
                    at = correlation + len('"correlation": ')
                    end = at
                    while tail[end].isdigit():
                        end += 1
                    tail = f"{tail[:at]}{int(tail[at:end]) + i * step.ids}{tail[end:]}"
                out.write(f"{head}{begin + start}.000{tail}")
            comma = "," if i + 1 < steps else ""
            out.write(f'{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{i + 1}", "pid": 1, "tid": 1, "ts": {begin}.000, '
                      f'"dur": {length - 5}, "args": {{}}}}{comma}\n')
        out.write("]}\n")
    return steps * step.operators


if __name__ == "__main__":
    print(write(sys.argv[2], int(sys.argv[1])), "operators")
