#!/usr/bin/env python3
"""Writes CUDA source in the style of a library: gen_cuda.py FOLDER FILES SIZE   (SIZE in all; takes k, M, G)

Each file has comments, macros, a structure, templates, kernels with loops, shared memory, barriers and atomics, and
host code that launches them. The same arguments give the same bytes.
"""
import pathlib
import random
import sys

from gen_ncu_csv import byte_count

HEAD = """// Generated for benchmarks. Not a word of this is meant to run.
#include <cuda_runtime.h>
#include <cstdio>

#define TILE_{n} {tile}
#define CHECK_{n}(call) do {{ if ((call) != cudaSuccess) std::fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__, #call); }} while (0)
#define AT_{n}(row, column, width) ((row) * (width) + (column))

struct Particle{n} {{
  float x, y, z;
  int cell;
}};

static const char* const usage_{n} = R"(usage: program{n} [--size N]
  "quotes" and // no comment in here
)";
"""

ROW = """
/* Each thread goes along a row of the matrix:
   the neighbours of a thread are `width` elements apart. */
template <typename T>
__global__ void rows_{n}_{k}(const T* __restrict__ in, T* out, int width, int height) {{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= height) return;
  T sum = T({a});
  for (int i = 0; i < width; ++i) {{
    sum += in[AT_{n}(row, i, width)] * static_cast<T>(i % {b} + 1);  // {words}
  }}
  out[row] = sum;
}}
template __global__ void rows_{n}_{k}<float>(const float*, float*, int, int);
"""

TILED = """
__global__ void __launch_bounds__(256) transpose_{n}_{k}(const float* in, float* out, int width) {{
  __shared__ float tile[TILE_{n}][TILE_{n}{padding}];
  const int x = blockIdx.x * TILE_{n} + threadIdx.x, y = blockIdx.y * TILE_{n} + threadIdx.y;
  for (int j = 0; j < TILE_{n}; j += {step}) {{
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }}
  __syncthreads();
#pragma unroll
  for (int j = 0; j < TILE_{n}; j += {step}) {{
    out[(x + j) * width + y] = tile[threadIdx.x][threadIdx.y + j] + {a}.0f;
  }}
}}
"""

HISTOGRAM = """
// {words}
__global__ void histogram_{n}_{k}(const Particle{n}* particles, unsigned int* counts, int n) {{
  __shared__ unsigned int local[{b}];
  for (int i = threadIdx.x; i < {b}; i += blockDim.x) local[i] = 0u;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{
    const Particle{n} p = particles[i];
    if (p.x * p.x + p.y * p.y < {a}.5f) {{
      atomicAdd(&local[p.cell % {b}], 1u);
    }} else {{
      atomicAdd(&counts[p.cell], 1u);
    }}
  }}
  __syncthreads();
  for (int i = threadIdx.x; i < {b}; i += blockDim.x) atomicAdd(&counts[i], local[i]);
}}
"""

DEVICE = """
__device__ __forceinline__ float blend_{n}_{k}(float a, float b, int mode) {{
  switch (mode) {{
    case 0: return a + b;
    case {b}: return a * b - {a}.25f;
    default: return mode > {a} ? fmaxf(a, b) : sqrtf(a * a + b * b);
  }}
}}

__global__ void blend_all_{n}_{k}(const float* a, const float* b, float* c, int n, int mode) {{
  const int i = threadIdx.x + blockIdx.x * blockDim.x * {step};
  double scale = {a} / 3.0;
  if (i < n && mode != {b}) c[i] = static_cast<float>(blend_{n}_{k}(a[i], b[i], mode) * scale);
}}
"""

LAUNCHES = """
void run_{n}_{k}(float* in, float* out, int width, int height, cudaStream_t stream) {{
  const dim3 block({tile}, {step}), grid((width + {tile} - 1) / {tile}, (height + {tile} - 1) / {tile});
  for (int round = 0; round < {a}; ++round) {{
    {call}
    CHECK_{n}(cudaGetLastError());
  }}
  if (width != height) std::printf("run_{n}_{k}: %d x %d, \\"{words}\\"\\n", width, height);
}}
"""
CALLS = [(ROW, "rows_{n}_{k}<float><<<(height + 255) / 256, 256, 0, stream>>>(in, out, width, height);"),
         (TILED, "transpose_{n}_{k}<<<grid, block, 0, stream>>>(in, out, width);"),
         (HISTOGRAM, "histogram_{n}_{k}<<<{b}, 256>>>(reinterpret_cast<Particle{n}*>(in), reinterpret_cast<unsigned int*>(out), width);"),
         (DEVICE, "blend_all_{n}_{k}<<<grid, block>>>(in, in + width, out, width * height, round);")]
WORDS = "cells rows warps lanes sectors banks tiles sums halo edge index guard stride block".split()


def text_of(rng, number, size):
    parts = [HEAD.format(n=number, tile=rng.choice([16, 32]))]
    written, k = len(parts[0]), 0
    while written < size:
        kernel, call = CALLS[k % len(CALLS)]
        names = {"n": number, "k": k, "a": rng.randrange(1, 9), "b": rng.choice([32, 64, 128, 256]), "step": rng.choice([4, 8]),
                 "tile": rng.choice([16, 32]), "padding": rng.choice(["", " + 1"]), "words": " ".join(rng.choices(WORDS, k=6))}
        names["call"] = call.format(**names)
        parts += [kernel.format(**names), LAUNCHES.format(**names)]
        written += len(parts[-2]) + len(parts[-1])
        k += 1
    return "".join(parts)


def write(folder, files, size):
    """`files` files of about `size` bytes in all; returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(2)
    paths = [folder / f"source{number:04}.cu" for number in range(files)]
    for number, path in enumerate(paths):
        path.write_text(text_of(rng, number, size // files), encoding="utf-8")
    return paths


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    write(sys.argv[1], int(sys.argv[2]), byte_count(sys.argv[3]))
