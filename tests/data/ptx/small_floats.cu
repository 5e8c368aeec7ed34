// Halves and eight-bit floats: arithmetic, packed arithmetic, conversions, comparisons. From sm_75.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void half_arithmetic(__half* out, const __half* a, const __half* b) {
  const int i = threadIdx.x;
  const __half x = a[i], y = b[i];
  out[i] = __hfma(x, y, x) + hsqrt(x) / y + hexp(y) - hlog2(x) + __hmax(x, y) + __habs(y) + (__hlt(x, y) ? x : y) + htanh(x);
}

__global__ void half_pairs(__half2* out, const __half2* a, const __half2* b, float2* f) {
  const int i = threadIdx.x;
  const __half2 x = a[i], y = b[i];
  __half2 z = __hfma2_relu(x, y, __hmul2_sat(x, y));
  z = __hadd2(z, __hmin2(x, h2sin(y)));
  if (__hbgt2(x, y)) z = __lowhigh2highlow(z);
  out[i] = __hcmadd(x, y, z);
  f[i] = __half22float2(__halves2half2(__high2half(z), __low2half(x)));
}

__global__ void eight_bits(__nv_fp8_e4m3* out, __nv_fp8_e5m2* other, const float* in, __half* h, float4* quad) {
  const int i = threadIdx.x;
  out[i] = __nv_fp8_e4m3(in[i]);
  other[i] = __nv_fp8_e5m2(double(in[i]));
  h[i] = __half(out[i + 1]) + __half(other[i + 1]);
  quad[i] = float4(reinterpret_cast<const __nv_fp8x4_e4m3*>(out)[i]);
}

template <typename To, typename From>
__global__ void convert(To* out, const From* in) {
  out[threadIdx.x] = static_cast<To>(in[threadIdx.x]);
}
template __global__ void convert(signed char*, const double*);
template __global__ void convert(unsigned char*, const float*);
template __global__ void convert(short*, const float*);
template __global__ void convert(unsigned long long*, const double*);
template __global__ void convert(long long*, const float*);
template __global__ void convert(float*, const long long*);
template __global__ void convert(double*, const unsigned*);
template __global__ void convert(bool*, const double*);
template __global__ void convert(__half*, const int*);
template __global__ void convert(__half*, const double*);
template __global__ void convert(unsigned*, const __half*);
template __global__ void convert(__nv_bfloat16*, const double*);
template __global__ void convert(long long*, const __nv_bfloat16*);

__global__ void rounding_conversions(int* i, float* f, double* d, long long* l) {
  i[threadIdx.x] = __float2int_ru(f[0]) + __float2uint_rz(f[1]) + __double2int_rd(d[0]) + __float_as_int(f[2]) + lrintf(f[3]);
  l[threadIdx.x] = __double2ll_rn(d[1]) + __float2ull_rd(f[4]) + __double_as_longlong(d[2]) + llroundf(f[5]);
  f[threadIdx.x] = __int2float_rz(i[1]) + __ll2float_ru(l[1]) + __double2float_rd(d[3]) + __uint_as_float(i[2]) + truncf(f[6]);
  d[threadIdx.x] = __hiloint2double(i[3], i[4]) + __double2hiint(d[4]) + __double2loint(d[5]) + __ull2double_rn(l[2]) + floor(d[6]);
}
