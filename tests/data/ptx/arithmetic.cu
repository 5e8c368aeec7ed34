// Integer and floating-point arithmetic in every width, with intrinsics of every rounding. From sm_75.
#include <cstdint>

template <typename T>
__global__ void mixed(T* out, const T* a, const T* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T x = a[i], y = b[i];
  out[i] = x * y + (x - y) / (y + T(1));
}
template __global__ void mixed<int8_t>(int8_t*, const int8_t*, const int8_t*, int);
template __global__ void mixed<uint16_t>(uint16_t*, const uint16_t*, const uint16_t*, int);
template __global__ void mixed<int>(int*, const int*, const int*, int);
template __global__ void mixed<unsigned long long>(unsigned long long*, const unsigned long long*, const unsigned long long*, int);
template __global__ void mixed<float>(float*, const float*, const float*, int);
template __global__ void mixed<double>(double*, const double*, const double*, int);

__global__ void bits(unsigned* out, const unsigned* in, unsigned long long* wide, int shift) {
  const unsigned i = threadIdx.x, v = in[i];
  const unsigned long long w = wide[i];
  out[i] = __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, out[i], 0x3210) + __funnelshift_l(v, i, shift) +
           __funnelshift_rc(v, i, shift) + __mulhi(int(v), int(i)) + __umul24(v, i) + __sad(int(v), int(i), 7u) +
           __uhadd(v, i) + __urhadd(v, i) + __popcll(w) + __clzll(w) + __fns(v, 3, 2);
  wide[i] = __brevll(w) + __mul64hi(w, w + 1) + (w << shift) + (w >> (shift & 7)) + __umul64hi(w, v);
}

__global__ void rounding(float* out, double* wide, const float* in) {
  const float a = in[threadIdx.x], b = in[threadIdx.x + 32];
  out[threadIdx.x] = __fadd_rn(a, b) + __fadd_rz(a, b) + __fmul_ru(a, b) + __fmul_rd(a, b) + __fmaf_rz(a, b, a) +
                     __frcp_rn(a) + __fsqrt_ru(b) + __frsqrt_rn(a) + __fdiv_rd(a, b) + __fdividef(a, b) + __saturatef(a);
  const double c = a, d = b;
  wide[threadIdx.x] = __dadd_ru(c, d) + __dmul_rz(c, d) + __fma_rd(c, d, c) + __drcp_rn(c) + __dsqrt_rn(d) + __ddiv_rz(c, d) +
                      fmod(c, d) + rint(c) + trunc(d) + copysign(c, d) + fmin(c, d) + fmax(c, d);
}

__global__ void special_functions(float* out, double* wide, const float* in) {
  const float a = in[threadIdx.x];
  float s, c;
  __sincosf(a, &s, &c);
  out[threadIdx.x] = s + c + __expf(a) + __logf(a) + __powf(a, 2.5f) + __tanf(a) + tanhf(a) + rsqrtf(a) + sinf(a) + cosf(a) +
                     expf(a) + logf(a) + erff(a) + tgammaf(a) + normcdff(a) + cbrtf(a) + atan2f(a, s) + fmodf(a, c);
  wide[threadIdx.x] = sin(double(a)) + exp(double(a)) + pow(double(a), 1.5) + log1p(double(a)) + erfcinv(double(a));
}

__global__ void dot_products(int* out, const int* a, const int* b) {
  const int i = threadIdx.x;
  out[i] = __dp4a(a[i], b[i], 0) + __dp4a(unsigned(a[i]), unsigned(b[i]), 0u) + __dp2a_lo(a[i], b[i], 1) + __dp2a_hi(a[i], b[i], 2);
}

__global__ void video(unsigned* out, const unsigned* in) {
  const unsigned a = in[threadIdx.x], b = in[threadIdx.x + 32];
  out[threadIdx.x] = __vadd2(a, b) + __vsub4(a, b) + __vabsdiffu4(a, b) + __vavgu2(a, b) + __vmaxs4(a, b) + __vminu2(a, b) +
                     __vcmpgtu4(a, b) + __vsetles2(a, b) + __vsads4(a, b) + __vaddss2(a, b) + __vnegss4(a);
}

__global__ void carries(unsigned* r, const unsigned* a, const unsigned* b) {
  asm volatile(
      "{ add.cc.u32 %0, %4, %8;\n\t addc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\t addc.u32 %3, %7, %11; }"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  asm("sub.cc.u32 %0, %0, %2; subc.u32 %1, %1, %3;" : "+r"(r[4]), "+r"(r[5]) : "r"(a[4]), "r"(a[5]));
  asm("mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.u32 %1, %2, %3, %1;" : "+r"(r[6]), "+r"(r[7]) : "r"(a[6]), "r"(b[6]));
}

__global__ void wide_integers(__int128* out, const __int128* a, const __int128* b) {
  out[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x] + (a[threadIdx.x] >> 3) / b[0];
}
