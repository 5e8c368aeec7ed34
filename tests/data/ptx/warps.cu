// What lanes of a warp do together: shuffles, votes, matches, reductions, the masks of lanes. From sm_75.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
constexpr unsigned everyone = 0xffffffffu;

__global__ void shuffles(int* out, double* wide, const int* in) {
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(everyone, v, d);
  v += __shfl_sync(everyone, v, 0) + __shfl_up_sync(everyone, v, 1, 16) + __shfl_xor_sync(everyone, v, 3);
  out[threadIdx.x] = v;
  wide[threadIdx.x] = __shfl_xor_sync(everyone, wide[threadIdx.x], 1);
}

__global__ void votes(unsigned* out, const int* in) {
  const int v = in[threadIdx.x];
  const unsigned here = __activemask();
  out[threadIdx.x] = __ballot_sync(here, v > 3) + __any_sync(everyone, v) + __all_sync(everyone, v != 2) + __uni_sync(everyone, v == 1);
  __syncwarp(here);
}

__global__ void matches(unsigned* out, const unsigned long long* in, const int* keys) {
  int same;
  out[threadIdx.x] = __match_any_sync(everyone, in[threadIdx.x]) + __match_all_sync(everyone, keys[threadIdx.x], &same);
  out[threadIdx.x + 32] = same;
}

__global__ void block_votes(int* out, const int* in) {
  const int v = in[threadIdx.x];
  out[threadIdx.x] = __syncthreads_count(v > 0) + __syncthreads_and(v) + __syncthreads_or(v & 1);
}

__global__ void lane_masks(unsigned* out) {
  unsigned eq, lt, ge, lane, warp, warps, sm, grid, clock;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%warpid; mov.u32 %1, %%nwarpid;" : "=r"(warp), "=r"(warps));
  asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%gridid;" : "=r"(sm), "=r"(grid));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
  __nanosleep(20);
  out[threadIdx.x] = eq + lt + ge + lane + warp + warps + sm + grid + clock + unsigned(clock64());
}

__global__ void groups(int* out, const int* in) {
  cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int v = in[block.thread_rank()];
  out[block.thread_rank()] = cg::reduce(tile, v, cg::plus<int>()) + cg::inclusive_scan(tile, v) + tile.shfl(v, 2) + int(tile.ballot(v));
  const auto active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(out, int(active.size()));
  const auto labelled = cg::labeled_partition(active, v & 3);
  out[labelled.thread_rank()] += cg::reduce(labelled, v, cg::greater<int>());
  block.sync();
}
