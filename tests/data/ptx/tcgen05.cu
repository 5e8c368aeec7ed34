// The fifth generation of tensor cores: tensor memory, its copies, its matrix instructions. Only sm_100a, sm_103a.
#include <cstdint>

__global__ void __launch_bounds__(128) tensor_memory(uint32_t* out, uint64_t a, uint64_t b, uint32_t kind) {
  __shared__ uint32_t base;
  __shared__ uint64_t bar;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&base)), on = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(at), "r"(128));
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  asm volatile("tcgen05.fence::before_thread_sync;");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;");
  const uint32_t d = base;
  asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(d), "l"(a));
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n"
      "tcgen05.mma.cta_group::1.kind::tf32 [%0], %1, %2, %3, {%5, %5, %5, %5}, p;\n"
      "tcgen05.mma.cta_group::1.kind::f8f6f4.collector::a::fill [%0], [%0], %2, %3, p;\n}" ::"r"(d), "l"(a), "l"(b), "r"(kind), "r"(threadIdx.x), "r"(0));
  asm volatile("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%4], [%5], 1;" ::"r"(d), "l"(a), "l"(b), "r"(kind), "r"(d + 64), "r"(d + 96));
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(on));
  asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(d));
  uint32_t v[4];
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(d));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  asm volatile("tcgen05.st.sync.aligned.32x32b.x2.b32 [%0], {%1, %2};" ::"r"(d), "r"(v[0]), "r"(v[1]));
  asm volatile("tcgen05.wait::st.sync.aligned;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = v[i];
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(d), "r"(128));
}

__global__ void multicast(const char* map, unsigned to, unsigned on) {
  asm volatile("cp.async.bulk.tensor.2d.cta_group::1.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2, %2, %2}], [%3];" ::"r"(to),
               "l"(map), "r"(0), "r"(on)
               : "memory");
  asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(map + 128));
  asm volatile("fence.proxy.tensormap::generic.release.gpu;");
}
