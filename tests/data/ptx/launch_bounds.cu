// The same register-hungry kernels under launch bounds from roomy to too tight: who spills? From sm_75.
template <int Values>
__device__ __forceinline__ void work(float* out, const float* in, int n) {
  float v[Values];
#pragma unroll
  for (int i = 0; i < Values; ++i) v[i] = in[i * n + threadIdx.x];
  for (int r = 0; r < n; ++r) {
#pragma unroll
    for (int i = 0; i < Values; ++i) v[i] = fmaf(v[i], v[(i + 7) % Values], in[r]);
  }
#pragma unroll
  for (int i = 0; i < Values; ++i) out[i * n + threadIdx.x] = v[i];
}

template <int Values, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks) bounded(float* out, const float* in, int n) { work<Values>(out, in, n); }

#define FOR_BOUNDS(VALUES)                                                              \
  template __global__ void bounded<VALUES, 128, 1>(float*, const float*, int);  \
  template __global__ void bounded<VALUES, 256, 4>(float*, const float*, int);  \
  template __global__ void bounded<VALUES, 512, 2>(float*, const float*, int);  \
  template __global__ void bounded<VALUES, 1024, 1>(float*, const float*, int); \
  template __global__ void bounded<VALUES, 768, 2>(float*, const float*, int);  \
  template __global__ void bounded<VALUES, 1024, 2>(float*, const float*, int);
FOR_BOUNDS(8)
FOR_BOUNDS(16)
FOR_BOUNDS(20)
FOR_BOUNDS(24)
FOR_BOUNDS(28)
FOR_BOUNDS(32)
FOR_BOUNDS(36)
FOR_BOUNDS(40)
FOR_BOUNDS(48)
FOR_BOUNDS(56)
FOR_BOUNDS(64)
FOR_BOUNDS(80)
FOR_BOUNDS(120)

__global__ void __maxnreg__(24) few_registers(double* out, const double* in, int n) {
  double v[16];
  for (int i = 0; i < 16; ++i) v[i] = in[i * n + threadIdx.x];
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < 16; ++i) v[i] = v[i] * v[(i + 1) & 15] + in[r];
  for (int i = 0; i < 16; ++i) out[i * n + threadIdx.x] = v[i];
}
__global__ void __maxnreg__(200) many_registers(float* out, const float* in, int n) { work<100>(out, in, n); }
