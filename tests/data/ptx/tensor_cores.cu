// Matrix instructions of warps through the wmma interface. From sm_75.
#include <mma.h>

using namespace nvcuda;

template <typename Accumulator>
__global__ void halves(Accumulator* d, const __half* a, const __half* b) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Accumulator> fc;
  wmma::fill_fragment(fc, Accumulator(0.0f));
  for (int k = 0; k < 4; ++k) {
    wmma::load_matrix_sync(fa, a + k * 16, 64);
    wmma::load_matrix_sync(fb, b + k * 16, 64);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
template __global__ void halves<float>(float*, const __half*, const __half*);
template __global__ void halves<__half>(__half*, const __half*, const __half*);

__global__ void bytes(int* d, const signed char* a, const signed char* b) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  wmma::load_matrix_sync(fc, d, 8, wmma::mem_row_major);
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 8);
  wmma::mma_sync(fc, fa, fb, fc, true);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

__global__ void bits(int* d, const unsigned* a, const unsigned* b) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
  wmma::fill_fragment(fc, 0);
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::bmma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
