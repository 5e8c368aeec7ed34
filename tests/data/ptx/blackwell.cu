// Pairs of floats in one instruction, wide loads, three-way minima, four- and six-bit floats. From sm_100.
#include <cuda_fp4.h>
#include <cuda_fp6.h>

__global__ void pairs(unsigned long long* out, const unsigned long long* in) {
  unsigned long long a = in[threadIdx.x], b = in[threadIdx.x + 32], c;
  asm("fma.rn.f32x2 %0, %1, %2, %1;" : "=l"(c) : "l"(a), "l"(b));
  asm("add.rn.ftz.f32x2 %0, %1, %2;" : "=l"(a) : "l"(c), "l"(b));
  asm("mul.rz.f32x2 %0, %1, %2;" : "=l"(b) : "l"(a), "l"(c));
  out[threadIdx.x] = b;
}

__global__ void wide_loads(float* out, const float* in) {
  float v[8];
  asm volatile("ld.global.L2::evict_last.v8.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
               : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]) : "l"(in + threadIdx.x * 8));
  asm volatile("st.global.v4.f64 [%0], {%1, %1, %1, %1};" ::"l"(out), "d"(double(v[0])));
  asm("min.f32 %0, %0, %1, %2;" : "+f"(v[0]) : "f"(v[1]), "f"(v[2]));
  asm("max.NaN.abs.f32 %0, %0, %1, %2;" : "+f"(v[3]) : "f"(v[4]), "f"(v[5]));
  out[threadIdx.x + 64] = v[0] + v[3] + v[6] + v[7];
}

__global__ void small_floats(__nv_fp4x2_e2m1* four, __nv_fp6x2_e3m2* six, const float2* in, __half2* out) {
  four[threadIdx.x] = __nv_fp4x2_e2m1(in[threadIdx.x]);
  six[threadIdx.x] = __nv_fp6x2_e3m2(in[threadIdx.x]);
  out[threadIdx.x] = __half2(four[threadIdx.x + 1]);
}

__global__ void work_stealing(int* out) {
  __shared__ alignas(16) int response[4];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(response)), on = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  unsigned is_one, x, y, z, unused;
  asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(to), "r"(on));
  asm volatile(
      "{\n.reg .pred p;\n.reg .b128 answer;\nld.shared.b128 answer, [%5];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\nselp.u32 %0, 1, 0, p;\n"
      "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, %4}, answer;\n}"
      : "=r"(is_one), "=r"(x), "=r"(y), "=r"(z), "=r"(unused) : "r"(to));
  out[threadIdx.x] = is_one + x + y + z;
}
