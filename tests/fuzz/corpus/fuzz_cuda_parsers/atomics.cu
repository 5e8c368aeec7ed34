// Atomic operations of every type, scope and order, by the runtime and by libcu++. From sm_75.
#include <cuda/atomic>
#include <cuda_fp16.h>

__global__ void classic(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  const int v = threadIdx.x;
  atomicAdd(i, v), atomicSub(i + 1, v), atomicMin(i + 2, v), atomicMax(i + 3, v), atomicAnd(i + 4, v), atomicOr(i + 5, v);
  u[v] = atomicInc(u, 31) + atomicDec(u + 1, 31) + atomicExch(u + 2, v) + atomicCAS(u + 3, v, v + 1) + atomicXor(u + 4, v);
  l[v + 8] = atomicAdd(l, 5ull) + atomicCAS(l + 1, 1ull, 2ull) + atomicMax(l + 2, 9ull) + atomicExch(l + 3, 4ull);
  f[v + 1] = atomicAdd(f, 1.5f) + atomicExch(f + 2, 3.0f);
  d[v + 1] = atomicAdd(d, 2.5);
}

__global__ void scoped(int* i, float* f) {
  atomicAdd_block(i, 1), atomicAdd_system(i + 1, 2), atomicMax_block(i + 2, 3), atomicCAS_system(i + 3, 4, 5);
  atomicAdd_block(f, 1.0f);
}

__global__ void in_shared(int* out) {
  __shared__ int histogram[64];
  histogram[threadIdx.x & 63] = 0;
  __syncthreads();
  atomicAdd(&histogram[out[threadIdx.x] & 63], 1);
  atomicMin(&histogram[threadIdx.x & 7], 3);
  __syncthreads();
  atomicAdd(out + threadIdx.x, histogram[threadIdx.x]);
}

__global__ void halves(__half* h, __half2* pairs) {
  atomicAdd(h + threadIdx.x, __float2half(1.0f));
  pairs[threadIdx.x + 1] = atomicAdd(pairs, __float2half2_rn(2.0f));
  unsigned short* s = reinterpret_cast<unsigned short*>(h);
  s[1] = atomicCAS(s + 2, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
}

template <cuda::thread_scope Scope>
__global__ void references(int* data, long long* wide) {
  cuda::atomic_ref<int, Scope> a(*data);
  cuda::atomic_ref<long long, Scope> b(*wide);
  a.fetch_add(1, cuda::memory_order_relaxed);
  a.fetch_or(2, cuda::memory_order_acq_rel);
  a.store(a.load(cuda::memory_order_acquire) + 1, cuda::memory_order_release);
  long long expected = 5;
  while (!b.compare_exchange_weak(expected, expected * 2, cuda::memory_order_seq_cst)) {
  }
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, Scope);
  data[1] = a.fetch_max(9) + a.exchange(4) + a.fetch_sub(3, cuda::memory_order_acquire);
}
template __global__ void references<cuda::thread_scope_block>(int*, long long*);
template __global__ void references<cuda::thread_scope_device>(int*, long long*);
template __global__ void references<cuda::thread_scope_system>(int*, long long*);
