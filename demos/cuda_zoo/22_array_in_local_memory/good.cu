// Each bin is compared with, so that all indices are constants when the loop is unrolled.
__global__ void count(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int bins[4] = {0, 0, 0, 0};
  for (int k = i; k < n; k += gridDim.x * blockDim.x) {
    int bin = in[k] & 3;
#pragma unroll
    for (int b = 0; b < 4; ++b) bins[b] += bin == b;
  }
  reinterpret_cast<int4*>(out)[i] = make_int4(bins[0], bins[1], bins[2], bins[3]);
}
