// mma.sync of every type by inline assembly, ldmatrix, sparse mma, wmma of tf32, bf16 and double. From sm_80.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void by_type(float* f, double* d, int* out, const unsigned* in) {
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  const unsigned a0 = in[0], a1 = in[1], a2 = in[2], a3 = in[3], b0 = in[4], b1 = in[5];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  int s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(s0), "+r"(s1), "+r"(s2), "+r"(s3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(s0), "+r"(s1), "+r"(s2), "+r"(s3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(s0), "+r"(s1), "+r"(s2), "+r"(s3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  double d0 = d[0], d1 = d[1];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d0), "+d"(d1) : "d"(d[2]), "d"(d[3]));
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%8,%9}, {%0,%1,%2,%3}, %10, 0x0;"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(in[6]));
  f[threadIdx.x] = c0 + c1 + c2 + c3;
  d[threadIdx.x + 4] = d0 + d1;
  out[threadIdx.x] = s0 + s1 + s2 + s3;
}

__global__ void matrices_from_shared(unsigned* out, const uint4* in) {
  __shared__ uint4 tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + (threadIdx.x & 31)));
  unsigned a, b, c, d, e, f, g;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2+512];" : "=r"(e), "=r"(f) : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(g) : "r"(at));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(g));
  out[threadIdx.x] = a + b + c + d + e + f + g;
}

template <typename Precision, typename Element, int K>
__global__ void fragments(float* d, const Element* a, const Element* b) {
  wmma::fragment<wmma::matrix_a, 16, 16, K, Precision, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, K, Precision, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, K, float> fc;
  wmma::load_matrix_sync(fc, d, 16, wmma::mem_col_major);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  if constexpr (K == 8) {
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  }
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_col_major);
}
template __global__ void fragments<wmma::precision::tf32, float, 8>(float*, const float*, const float*);
template __global__ void fragments<__nv_bfloat16, __nv_bfloat16, 16>(float*, const __nv_bfloat16*, const __nv_bfloat16*);

__global__ void doubles(double* d, const double* a, const double* b) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
  wmma::fill_fragment(fc, 0.0);
  wmma::load_matrix_sync(fa, a, 4);
  wmma::load_matrix_sync(fb, b, 4);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
