// Arithmetic of bfloat16 and extrema that keep NaN. From sm_80.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void bfloat_arithmetic(__nv_bfloat162* out, const __nv_bfloat162* a, const __nv_bfloat162* b, float* f) {
  const int i = threadIdx.x;
  out[i] = __hfma2(a[i], b[i], h2exp2(a[i])) + __hmax2_nan(a[i], b[i]);
  f[i] = __bfloat162float(__low2bfloat16(a[i])) + float(__float2bfloat16_rz(f[i + 32]));
  out[i + 32] = __floats2bfloat162_rn(f[i], f[i + 1]);
}

__global__ void extrema(__half2* out, const __half2* a, __nv_bfloat16* b) {
  out[threadIdx.x] = __hmax2_nan(a[threadIdx.x], __hmin2(a[0], a[1]));
  b[threadIdx.x] = __hmin_nan(b[1], b[2]) + hrsqrt(b[3]) * hlog(b[4]);
}
