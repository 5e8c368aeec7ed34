// Every way to load and store: widths, caches, volatile, constant, restrict, prefetch, generic addresses. From sm_75.
#include <cstdint>

struct alignas(16) Pixel {
  float r, g, b;
  uint8_t flags;
};
struct Large {
  double matrix[16];
  int counts[9];
  const float* data;
};

__constant__ float weights[256];
__constant__ Large settings;
__device__ int counter = 7;
__device__ uint8_t table[5] = {1, 2, 3, 4, 5};
__managed__ float managed[64];

template <typename T>
__global__ void copy(T* __restrict__ out, const T* __restrict__ in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
template __global__ void copy<char>(char*, const char*, int);
template __global__ void copy<short2>(short2*, const short2*, int);
template __global__ void copy<float4>(float4*, const float4*, int);
template __global__ void copy<double2>(double2*, const double2*, int);
template __global__ void copy<Pixel>(Pixel*, const Pixel*, int);

__global__ void caches(float4* out, const float4* in, float* f) {
  const int i = threadIdx.x;
  const float4 a = __ldg(in + i), b = __ldcs(in + i + 32), c = __ldcg(in + i + 64), d = __ldlu(in + i + 96), e = __ldcv(in + i + 128);
  __stcs(out + i, make_float4(a.x, b.y, c.z, d.w));
  __stwt(out + i + 32, e);
  __stcg(out + i + 64, a);
  __stwb(f + i, __ldca(f + i + 5));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(f + 4096));
  asm volatile("prefetchu.L1 [%0];" ::"l"(f + 8192));
  asm volatile("ld.global.L1::no_allocate.L2::128B.v2.f32 {%0, %1}, [%2+8];" : "=f"(f[1]), "=f"(f[2]) : "l"(in));
}

__global__ void constants(float* out, int n, __grid_constant__ const Large by_value) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += weights[(i * 7) & 255] * float(settings.matrix[i & 15]) + by_value.data[i];
  const double* p = &by_value.matrix[threadIdx.x & 15];
  out[threadIdx.x] = sum + float(*p) + by_value.counts[n];
  managed[threadIdx.x] = sum;
}

__global__ void old_style(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  out[threadIdx.x] = atomicAdd(&counter, 1) + table[threadIdx.x % 5];
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  *flag = 0;
}

__global__ void local_arrays(float* out, const float* in, int pick) {
  float mine[64];
  for (int i = 0; i < 64; ++i) mine[i] = in[i * 32 + threadIdx.x];
  for (int i = 1; i < 64; ++i) mine[(i * pick) & 63] += mine[i - 1];
  out[threadIdx.x] = mine[pick & 63];
}

__global__ void generic_addresses(float* out, int choose) {
  __shared__ float shared[128];
  float own[4] = {1, 2, 3, float(choose)};
  shared[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float* where = choose == 0 ? out : choose == 1 ? shared : own;
  where[choose & 3] += 1;
  out[0] = own[choose & 3] + (__isShared(where) ? 1 : 0) + (__isGlobal(where) ? 1 : 0) + (__isLocal(where) ? 1 : 0);
  out[1] = float(__cvta_generic_to_shared(shared));
}

extern __shared__ float dynamic[];
__global__ void tiles(float* out, const float* in, int width) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * width + threadIdx.x];
  dynamic[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.y * width + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + dynamic[31 - threadIdx.x];
}

struct Fields {
  unsigned a : 5, b : 11, c : 16;
  long long d : 40;
};
__global__ void bit_fields(Fields* f) {
  f[threadIdx.x].b = f[threadIdx.x].a + f[threadIdx.x].c;
  f[threadIdx.x].d = f[threadIdx.x].b;
}
