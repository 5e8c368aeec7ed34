// Atomics of 128 bits and of vectors, reductions without a result. From sm_90.
struct alignas(16) Pair {
  unsigned long long low, high;
};

__global__ void exchange(Pair* data, Pair* old) {
  old[threadIdx.x] = __nv_atomic_exchange_n(reinterpret_cast<__int128*>(data), 0, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) == 0
                         ? Pair{1, 2}
                         : Pair{3, 4};
}

__global__ void exchange_by_hand(unsigned long long* data) {
  unsigned long long low, high;
  asm volatile(
      "{\n\t.reg .b128 old, next, seen;\n\t"
      "mov.b128 old, {%2, %3};\n\tmov.b128 next, {%3, %2};\n\t"
      "atom.global.acq_rel.gpu.cas.b128 seen, [%4], old, next;\n\t"
      "mov.b128 {%0, %1}, seen;\n\t}"
      : "=l"(low), "=l"(high)
      : "l"(data[2]), "l"(data[3]), "l"(data)
      : "memory");
  data[4] = low, data[5] = high;
}

__global__ void vectors(float4* data, float* out) {
  const float4 old = atomicAdd(data, make_float4(1, 2, 3, 4));
  out[threadIdx.x] = old.x + old.y + old.z + old.w;
  atomicAdd(reinterpret_cast<float2*>(out), make_float2(5, 6));
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(data + 1), "f"(old.x), "f"(old.y), "f"(1.f), "f"(2.f));
  asm volatile("red.global.add.noftz.v8.bf16 [%0], {%1,%1,%1,%1,%1,%1,%1,%1};" ::"l"(data + 2), "h"(static_cast<unsigned short>(0x3f80)));
}
