#!/usr/bin/env python3
"""Writes a trace of the PyTorch profiler of any size: gen_trace.py SIZE OUT.json[.gz]   (SIZE takes k, M, G)

A transformer trained on one GPU, in the layout of PyTorch 2.x: first what the CPU did in all steps (operators within
operators, Python functions, flows from forward to backward), then calls of the runtime with their kernels, copies and
flows. Every fourth step is the same but for its times and numbers. The same SIZE gives the same bytes.
"""
import gzip
import random
import sys

from gen_ncu_csv import byte_count

HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85097971712,
      "computeMajor": 8, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "numSms": 108
    }
  ],
  "record_shapes": 1,
  "with_stack": 1,
  "cuda_runtime_version": 12040,
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1731000000000000000,
  "traceEvents": [
  {
    "ph": "M", "name": "process_name", "pid": 4242, "tid": 0, "ts": 0,
    "args": {
      "name": "python"
    }
  },
"""
TAIL = """
  {
    "ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
    "ts": %d, "dur": %d,
    "args": {
      "Op count": 0
    }
  }
  ],
  "traceName": "generated.pt.trace.json"
}
"""
PROCESS, MAIN, AUTOGRAD, STREAM = 4242, 4242, 4300, 7
FIRST_TIME = 5_600_000_000_000  # us
VARIANTS, LAYERS = 4, 12
GEMM = "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4_warpsize2x2x1_tensor16x8x16_kernel"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::{}<c10::BFloat16>, at::detail::Array<char*, 3> >"


class Step:
    """One step of training: the text of its events with a slot for every number that grows from step to step."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.host, self.device = [], []  # (text, slots); a slot is (what it grows with, offset)
        self.now = self.gpu_free = 0  # ns
        self.ids = 0
        self.thread = MAIN
        self.record()

    def next_id(self):
        self.ids += 1
        return self.ids

    @staticmethod
    def time(ns):
        return f"%d.{ns % 1000:03d}", ("time", ns // 1000)

    def event(self, into, phase, category, name, track, begin, end, arguments, slots):
        pid, tid = track
        ts, slot = self.time(begin)
        text = (f'  {{\n    "ph": "{phase}", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid},\n'
                f'    "ts": {ts}, "dur": {(end - begin) // 1000}.{(end - begin) % 1000:03d},\n'
                f'    "args": {{\n      {arguments}\n    }}\n  }},\n')
        before = [("step", 0)] if "#%d" in name else []
        into.append((text, before + [slot] + slots))

    def flow(self, into, phase, category, track, at, flow_id):
        ts, slot = self.time(at)
        end = ', "bp": "e"' if phase == "f" else ""
        into.append((f'  {{\n    "ph": "{phase}", "id": %d, "pid": {track[0]}, "tid": {track[1]}, "ts": {ts},\n'
                     f'    "cat": "{category}", "name": "{category}"{end}\n  }},\n', [("id", flow_id), slot]))

    def here(self):
        return (PROCESS, self.thread)

    def advance(self, least, most):
        self.now += self.rng.randrange(least, most)

    def operator(self, name, inner=None, shapes=None, sequence=False):
        """An operator around what `inner` does."""
        begin, number = self.now, self.next_id()
        place = len(self.host)
        self.host.append(None)
        self.advance(600, 2500)
        if inner:
            inner(number)
        self.advance(300, 1500)
        arguments = '"External id": %d,"Record function id": 0, '
        slots = [("id", number)]
        if sequence:
            arguments += '"Sequence number": %d, "Fwd thread id": 1, '
            slots.append(("id", number))
        if shapes:
            arguments += (f'"Concrete Inputs": [{", ".join(["&"] * len(shapes))}], "Input type": [{", ".join(["^"] * len(shapes))}], '
                          f'"Input Dims": {shapes}, ').replace("&", '""').replace("^", '"c10::BFloat16"')
        event = []
        self.event(event, "X", "cpu_op", name, self.here(), begin, self.now, arguments + '"Ev Idx": %d', slots + [("id", number)])
        self.host[place] = event[0]

    def python(self, name, inner):
        begin, number, place = self.now, self.next_id(), len(self.host)
        self.host.append(None)
        self.advance(300, 900)
        inner()
        self.advance(200, 700)
        event = []
        self.event(event, "X", "python_function", name, self.here(), begin, self.now,
                   '"Python parent id": %d, "Python id": %d, "Ev Idx": %d', [("id", number - 1), ("id", number), ("id", number)])
        self.host[place] = event[0]

    def range(self, name, inner, on_gpu=True):
        begin, number, gpu = self.now, self.next_id(), self.gpu_free
        place = len(self.host)
        self.host.append(None)
        inner()
        self.advance(300, 800)
        event = []
        self.event(event, "X", "user_annotation", name, self.here(), begin, self.now,
                   '"External id": %d,"Record function id": 0, "Ev Idx": %d', [("id", number), ("id", number)])
        self.host[place] = event[0]
        if on_gpu:
            self.event(self.device, "X", "gpu_user_annotation", name, (0, STREAM), max(gpu, begin), max(self.gpu_free, begin + 1),
                       '"External id": %d', [("id", number)])

    def call(self, name, cbid, external, least, most):
        begin, correlation = self.now, self.next_id()
        self.advance(least, most)
        self.event(self.device, "X", "cuda_runtime", name, self.here(), begin, self.now,
                   f'"External id": %d,      "cbid": {cbid}, "correlation": %d', [("id", external), ("id", correlation)])
        return begin, correlation

    def gpu_work(self, category, name, external, begin, correlation, duration, arguments):
        start = max(self.gpu_free + 800, begin + 4000)
        self.gpu_free = start + duration
        self.flow(self.device, "s", "ac2g", self.here(), begin, correlation)
        self.event(self.device, "X", category, name, (0, STREAM), start, self.gpu_free,
                   f'"External id": %d,      "queued": 0, "device": 0, "context": 1,      "stream": {STREAM}, "correlation": %d,      {arguments}',
                   [("id", external), ("id", correlation)])
        self.flow(self.device, "f", "ac2g", (0, STREAM), start, correlation)

    def kernel(self, name, external, least, most):
        begin, correlation = self.call("cudaLaunchKernel", 211, external, 3000, 6000)
        blocks = self.rng.randrange(1, 4096)
        self.gpu_work("kernel", name, external, begin, correlation, self.rng.randrange(least, most),
                      f'"registers per thread": {self.rng.randrange(16, 128)},      "shared memory": 0,      "blocks per SM": {blocks / 108:.6f},'
                      f'      "warps per SM": {blocks / 27:.6f},      "grid": [{blocks}, 1, 1],      "block": [128, 1, 1],'
                      f'      "est. achieved occupancy %%": {self.rng.randrange(101)}')

    def copy(self, name, external, size, wait):
        begin, correlation = self.call("cudaMemcpyAsync", 41, external, 4000, 9000)
        self.gpu_work("gpu_memcpy", name, external, begin, correlation, size // 20, f'"bytes": {size}, "memory bandwidth (GB/s)": 20.0')
        if wait:
            self.now = max(self.now, self.gpu_free)
            self.call("cudaStreamSynchronize", 131, external, 1000, 3000)

    def leaf(self, name, kernel, least, most, shapes=None):
        self.operator(name, lambda number: self.kernel(kernel, number, least, most), shapes)

    def elementwise(self, name, functor):
        self.leaf(name, ELEMENTWISE.format(functor), 4000, 20000)

    def linear(self, name):
        def inner(_):
            self.operator("aten::t", lambda _: self.operator("aten::transpose", lambda _: self.operator("aten::as_strided")))
            self.operator("aten::view")
            self.leaf("aten::addmm", GEMM, 60000, 160000, [[1024], [8192, 1024], [1024, 1024]])
        self.python(f"nn.Module: Linear_{name}", lambda: self.python(
            "torch/nn/modules/linear.py(124): forward", lambda: self.operator("aten::linear", inner)))

    def layer(self, number):
        def attention():
            self.elementwise("aten::native_layer_norm", "LayerNormForwardFunctor")
            self.linear(4 * number)
            self.leaf("aten::_scaled_dot_product_flash_attention", "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, "
                      "false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)", 80000, 200000)
            self.linear(4 * number + 1)
            self.elementwise("aten::add", "CUDAFunctor_add")
        def feed_forward():
            self.linear(4 * number + 2)
            self.elementwise("aten::gelu", "GeluCUDAKernelImpl")
            self.linear(4 * number + 3)
        self.python(f"nn.Module: Block_{number}", lambda: (attention(), self.python("model.py(87): feed_forward", feed_forward)))

    def backward(self, number, name):
        def inner(_):
            self.operator(name + "Backward0", lambda _: (self.leaf("aten::mm", GEMM, 80000, 200000, [[8192, 1024], [1024, 1024]]),
                                                         self.operator("aten::t", lambda _: self.operator("aten::transpose")),
                                                         self.elementwise("aten::mul", "MulFunctor")), sequence=True)
        self.flow(self.host, "f", "fwdbwd", self.here(), self.now, number)
        self.operator(f"autograd::engine::evaluate_function: {name}Backward0", inner, sequence=True)

    def train(self):
        self.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", lambda: self.python(
            "torch/utils/data/dataloader.py(631): __next__", lambda: self.advance(200000, 900000)), on_gpu=False)
        self.operator("aten::to", lambda number: self.copy("Memcpy HtoD (Pinned -> Device)", number, 4 << 20, wait=False))
        self.python("nn.Module: GPT_0", lambda: [self.layer(number) for number in range(LAYERS)])
        self.thread = AUTOGRAD
        for number in range(LAYERS):
            for name in ("Addmm", "Gelu", "NativeLayerNorm"):
                self.backward(number, name)
        self.thread = MAIN
        self.range("Optimizer.step#AdamW.step", lambda: [self.leaf(
            "aten::_fused_adamw_", "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
            "FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4> >", 300000, 900000)
            for _ in range(4)])
        self.operator("aten::item", lambda _: self.operator("aten::_local_scalar_dense", lambda number: self.copy(
            "Memcpy DtoH (Device -> Pageable)", number, 4096, wait=True)))

    def record(self):
        self.range("ProfilerStep#%d", lambda: self.python("train.py(58): train_step", self.train))
        self.length = max(self.now, self.gpu_free) // 1000 + 50
        self.host, self.device = self.joined(self.host), self.joined(self.device)

    @staticmethod
    def joined(events):
        return "".join(text for text, _ in events), [slot for _, slots in events for slot in slots]


def filled(part, base):
    text, slots = part
    return text % tuple([base[kind] + offset for kind, offset in slots])


def write(path, size):
    variants = [Step(seed) for seed in range(VARIANTS)]
    ids = max(step.ids for step in variants) + 1
    clock, bases = FIRST_TIME, []
    planned = len(HEAD) + len(TAIL)
    while planned < size or not bases:
        step = variants[len(bases) % VARIANTS]
        bases.append({"time": clock, "id": len(bases) * ids, "step": len(bases)})
        # About: the numbers are as long as those of the first steps, or a little longer.
        planned += sum(len(text) + 7 * len(slots) for text, slots in (step.host, step.device))
        clock += step.length
    with gzip.GzipFile(path, "wb", compresslevel=6, mtime=0) if str(path).endswith(".gz") else open(path, "wb") as out:
        out.write(HEAD.encode())
        for part in ("host", "device"):
            for number, base in enumerate(bases):
                out.write(filled(getattr(variants[number % VARIANTS], part), base).encode())
        out.write((TAIL % (FIRST_TIME, clock - FIRST_TIME)).encode())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(sys.argv[2], byte_count(sys.argv[1]))
