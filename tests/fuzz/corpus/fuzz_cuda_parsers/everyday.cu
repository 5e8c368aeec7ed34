// Everyday kernels of real programs: stencil, reduction, scan, softmax, histogram, n-body, transpose, FFT, hash, sort. From sm_75.
#include <cfloat>
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) stencil(double* out, const double* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y + 2;
  if (x >= nx - 2) return;
  double window[5];
  for (int k = 0; k < 4; ++k) window[k] = in[(k * ny + y) * nx + x];
  for (int z = 2; z < nz - 2; ++z) {
    window[4] = in[((z + 2) * ny + y) * nx + x];
    const double* at = in + (z * ny + y) * nx + x;
    out[(z * ny + y) * nx + x] = 0.5 * window[2] + 0.1 * (window[1] + window[3]) - 0.02 * (window[0] + window[4]) +
                                 0.1 * (at[-1] + at[1] + at[nx] + at[-nx]) - 0.02 * (at[2] + at[-2] + at[2 * nx] + at[-2 * nx]);
    for (int k = 0; k < 4; ++k) window[k] = window[k + 1];
  }
}

template <int Threads>
__global__ void __launch_bounds__(Threads) block_sum(float* out, const float4* in, int n) {
  __shared__ float partial[Threads / 32];
  float sum = 0;
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < Threads / 32 ? partial[threadIdx.x] : 0;
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
template __global__ void block_sum<256>(float*, const float4*, int);
template __global__ void block_sum<1024>(float*, const float4*, int);

__global__ void softmax(__half2* out, const __half2* in, int columns) {
  const __half2* row = in + size_t(blockIdx.x) * columns;
  float most = -FLT_MAX, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float2 v = __half22float2(row[i]);
    const float larger = fmaxf(most, fmaxf(v.x, v.y));
    sum = sum * __expf(most - larger) + __expf(v.x - larger) + __expf(v.y - larger);
    most = larger;
  }
  for (int d = 16; d > 0; d >>= 1) {
    const float other = __shfl_xor_sync(~0u, most, d), larger = fmaxf(most, other);
    sum = sum * __expf(most - larger) + __shfl_xor_sync(~0u, sum, d) * __expf(other - larger);
    most = larger;
  }
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float2 v = __half22float2(row[i]);
    out[size_t(blockIdx.x) * columns + i] = __floats2half2_rn(__expf(v.x - most) / sum, __expf(v.y - most) / sum);
  }
}

__global__ void n_body(float4* acceleration, const float4* bodies, int n) {
  extern __shared__ float4 tile[];
  const float4 me = bodies[blockIdx.x * blockDim.x + threadIdx.x];
  float3 sum = {0, 0, 0};
  for (int t = 0; t < n; t += blockDim.x) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < blockDim.x; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = tile[j].w * r * r * r;
      sum.x += dx * s, sum.y += dy * s, sum.z += dz * s;
    }
    __syncthreads();
  }
  acceleration[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(sum.x, sum.y, sum.z, 0);
}

__global__ void __launch_bounds__(64) fft16(float2* data, int stride) {
  float2 v[16];
  for (int i = 0; i < 16; ++i) v[i] = data[(blockIdx.x * 16 + i) * stride + threadIdx.x];
#pragma unroll
  for (int half = 8; half > 0; half /= 2) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (i & half) continue;
      float s, c;
      sincospif(-float(i % half) / half, &s, &c);
      const float2 a = v[i], b = v[i + half];
      v[i] = make_float2(a.x + b.x, a.y + b.y);
      const float2 d = make_float2(a.x - b.x, a.y - b.y);
      v[i + half] = make_float2(d.x * c - d.y * s, d.x * s + d.y * c);
    }
  }
  for (int i = 0; i < 16; ++i) data[(blockIdx.x * 16 + i) * stride + threadIdx.x] = v[i];
}

__global__ void __launch_bounds__(256, 4) sha_like(unsigned* out, const unsigned* in) {
  unsigned w[16], h[8];
  for (int i = 0; i < 16; ++i) w[i] = in[i * 256 + threadIdx.x];
  for (int i = 0; i < 8; ++i) h[i] = 0x6a09e667u * (i + 1);
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) w[i & 15] += __funnelshift_r(w[(i + 1) & 15], w[(i + 1) & 15], 7) + w[(i + 9) & 15] + (w[(i + 14) & 15] >> 10);
    const unsigned t = h[7] + __funnelshift_r(h[4], h[4], 6) + ((h[4] & h[5]) ^ (~h[4] & h[6])) + w[i & 15] + 0x428a2f98u * i;
    const unsigned u = __funnelshift_r(h[0], h[0], 2) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    h[7] = h[6], h[6] = h[5], h[5] = h[4], h[4] = h[3] + t, h[3] = h[2], h[2] = h[1], h[1] = h[0], h[0] = t + u;
  }
  for (int i = 0; i < 8; ++i) out[i * 256 + threadIdx.x] = h[i];
}

__global__ void __launch_bounds__(512) bitonic(int* data) {
  __shared__ int s[512];
  s[threadIdx.x] = data[blockIdx.x * 512 + threadIdx.x];
  for (int k = 2; k <= 512; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int other = threadIdx.x ^ j;
      if (other > threadIdx.x && (s[threadIdx.x] > s[other]) == ((threadIdx.x & k) == 0)) {
        const int t = s[threadIdx.x];
        s[threadIdx.x] = s[other], s[other] = t;
      }
    }
  }
  __syncthreads();
  data[blockIdx.x * 512 + threadIdx.x] = s[threadIdx.x];
}

__global__ void hash_insert(unsigned long long* slots, const unsigned* keys, int n, unsigned mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned at = keys[i] * 2654435769u & mask;
    const unsigned long long entry = static_cast<unsigned long long>(keys[i]) << 32 | i;
    while (atomicCAS(slots + at, ~0ull, entry) != ~0ull) at = (at + 1) & mask;
  }
}

template <int Block, int Thread>
__global__ void __launch_bounds__((Block / Thread) * (Block / Thread)) sgemm(float* c, const float* a, const float* b, int n) {
  __shared__ float ta[8][Block], tb[8][Block];
  constexpr int threads = (Block / Thread) * (Block / Thread);
  const int tx = threadIdx.x % (Block / Thread), ty = threadIdx.x / (Block / Thread);
  float sum[Thread][Thread] = {};
  for (int k = 0; k < n; k += 8) {
    for (int i = threadIdx.x; i < 8 * Block; i += threads) {
      ta[i % 8][i / 8] = a[(blockIdx.y * Block + i / 8) * n + k + i % 8];
      tb[i / Block][i % Block] = b[(k + i / Block) * n + blockIdx.x * Block + i % Block];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      float ra[Thread], rb[Thread];
      for (int i = 0; i < Thread; ++i) ra[i] = ta[kk][ty * Thread + i], rb[i] = tb[kk][tx * Thread + i];
      for (int i = 0; i < Thread; ++i)
        for (int j = 0; j < Thread; ++j) sum[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < Thread; ++i)
    for (int j = 0; j < Thread; ++j) c[(blockIdx.y * Block + ty * Thread + i) * n + blockIdx.x * Block + tx * Thread + j] = sum[i][j];
}
template __global__ void sgemm<64, 4>(float*, const float*, const float*, int);
template __global__ void sgemm<128, 8>(float*, const float*, const float*, int);
