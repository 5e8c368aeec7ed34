// What is read is written by no block of this launch.
__global__ void smooth(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.5 * (in[i - 1] + in[i + 1]);
}

cudaError_t run(double* out, const double* in, int n) {
  smooth<<<1024, 256>>>(out, in, n);
  return cudaGetLastError();
}
