// Copies from global to shared memory that run beside the program: cp.async, pipelines, mbarrier, cuda::barrier. From sm_80.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

__global__ void primitives(float* out, const float4* in, int tiles) {
  __shared__ float4 stages[2][128];
  for (int t = 0; t < tiles; ++t) {
    __pipeline_memcpy_async(&stages[t & 1][threadIdx.x], in + t * 128 + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t * 128 + threadIdx.x] = stages[(t + 1) & 1][127 - threadIdx.x].x;
    __syncthreads();
  }
}

__global__ void by_hand(float* out, const float* in, int bytes) {
  __shared__ alignas(16) float stage[1024];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(stage + threadIdx.x * 4));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x * 4));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + threadIdx.x), "r"(bytes));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(in));
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.ca.shared.global [%1], [%2], 8; @!p cp.async.ca.shared.global [%1], [%2], 4; }" ::"r"(
          bytes),
      "r"(to), "l"(in + 2));
  asm volatile("cp.async.commit_group;\n");
  asm volatile("cp.async.wait_group %0;\n" ::"n"(2));
  asm volatile("cp.async.wait_all;\n");
  __syncthreads();
  out[threadIdx.x] = stage[threadIdx.x];
}

__global__ void barriers_by_hand(unsigned* out) {
  __shared__ unsigned long long bar;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
  __syncthreads();
  unsigned long long token;
  unsigned done = 0, pending;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at));
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "l"(token));
  }
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at));
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at));
  out[threadIdx.x] = pending;
}

__global__ void with_pipeline(int* out, const int* in, size_t n) {
  extern __shared__ int buffer[];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, buffer, in, cuda::aligned_size_t<16>(n * sizeof(int)), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  out[threadIdx.x] = buffer[threadIdx.x];
  pipeline.consumer_release();
}

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void with_barrier(int* out, const int* in, size_t n) {
  extern __shared__ int buffer[];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, buffer, in, sizeof(int) * n, barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = buffer[threadIdx.x];
  cg::memcpy_async(block, buffer, in, sizeof(int) * block.size());
  cg::wait(block);
  out[threadIdx.x] += buffer[threadIdx.x];
}
