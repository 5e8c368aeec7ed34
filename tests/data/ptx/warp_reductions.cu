// redux.sync, elect-like idioms and reductions of groups in hardware. From sm_80.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void reductions(unsigned* out, const int* in) {
  const int v = in[threadIdx.x];
  const unsigned all = 0xffffffffu;
  out[threadIdx.x] = __reduce_add_sync(all, v) + __reduce_min_sync(all, v) + __reduce_max_sync(all, unsigned(v)) +
                     __reduce_and_sync(all, unsigned(v)) + __reduce_or_sync(all, unsigned(v)) + __reduce_xor_sync(all, unsigned(v));
}

__global__ void group_reductions(int* out, const int* in) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>()) + cg::reduce(tile, in[threadIdx.x + 32], cg::less<int>()) +
                     cg::reduce(tile, in[threadIdx.x + 64], cg::bit_xor<int>());
}
