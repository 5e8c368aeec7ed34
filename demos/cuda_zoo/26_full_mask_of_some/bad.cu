// The lanes past the end have left the loop, but the mask names them.
__global__ void flags(unsigned* out, const double* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    unsigned found = __ballot_sync(0xffffffff, in[i] > 0);
    if (threadIdx.x % 32 == 0) out[i / 32] = found;
  }
}

cudaError_t run(unsigned* out, const double* in, int n) {
  flags<<<1, 256>>>(out, in, n);
  return cudaGetLastError();
}
