// Clusters, distributed shared memory, bulk copies, launch dependencies, mbarrier with transactions. From sm_90.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(4, 1, 1) clusters(int* out) {
  __shared__ int mine[32];
  auto cluster = cg::this_cluster();
  mine[threadIdx.x] = out[threadIdx.x];
  cluster.sync();
  const int* theirs = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % cluster.num_blocks());
  out[threadIdx.x + 32 * cluster.block_rank()] = theirs[threadIdx.x] + int(cluster.thread_rank()) + cluster.block_index().x;
  atomicAdd(cluster.map_shared_rank(mine, 0), 1);
  cluster.barrier_arrive();
  cluster.barrier_wait();
}

__global__ void dependent(float* out, const float* in) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[threadIdx.x] = in[threadIdx.x];
  asm volatile("griddepcontrol.launch_dependents;");
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void bulk_copies(int* out, const int* in) {
  __shared__ alignas(128) int buffer[1024];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, in, 4096, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4096);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  buffer[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, buffer, 4096);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, buffer, 4096);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

__global__ void tensor_maps(const __grid_constant__ char map[128], int* out) {
  __shared__ alignas(128) int tile[32][32];
  __shared__ uint64_t bar;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)), on = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(on));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map),
               "r"(0), "r"(threadIdx.x), "r"(on)
               : "memory");
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
      " [%0], [%1, {%2, %2, %3}], [%4], %5, %6;" ::"r"(to), "l"(map), "r"(0), "r"(threadIdx.x), "r"(on), "h"(static_cast<short>(3)), "l"(0x1000000000000000)
      : "memory");
  asm volatile("cp.async.bulk.tensor.4d.im2col.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2,%2,%2,%2}], [%3], {%4, %4};" ::"r"(to),
               "l"(map), "r"(0), "r"(on), "h"(static_cast<short>(1))
               : "memory");
  asm volatile(
      "{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(on),
      "r"(0));
  out[threadIdx.x] = tile[0][threadIdx.x];
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(0), "r"(1), "r"(to) : "memory");
  asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%0, {%1}], [%2];" ::"l"(map), "r"(0), "r"(to) : "memory");
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(out), "r"(256));
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;");
}

__global__ void remote_stores(int* out) {
  __shared__ int mine[4];
  __shared__ uint64_t bar;
  unsigned remote_data, remote_bar, rank, one;
  const unsigned data = static_cast<unsigned>(__cvta_generic_to_shared(mine)), on = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote_data) : "r"(data));
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote_bar) : "r"(on));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(remote_data));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%0], {%1, %2}, [%3];" ::"r"(remote_data), "r"(1), "r"(2), "r"(remote_bar));
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(remote_data), "r"(1), "r"(remote_bar));
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_bar));
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
  out[threadIdx.x] = rank + one;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(mine[0]) : "l"(out + 64), "l"(policy));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(out));
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(out));
}

__global__ void matrices_to_shared(const unsigned* in, int* out) {
  __shared__ alignas(16) int tile[256];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x * 4));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(to), "r"(in[4]));
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void __block_size__((128, 1, 1), (2, 1, 1)) fixed_blocks(int* out) { out[threadIdx.x] = blockIdx.x; }

__global__ void __launch_bounds__(256, 2, 8) bounded_clusters(float* out) { out[blockIdx.x * 256 + threadIdx.x] = 1; }
