// L1 gives a warp what lies in several sectors at once.
__global__ void apply(double* out, const unsigned long long* in, const double* __restrict__ table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[in[i] & 255];
}
