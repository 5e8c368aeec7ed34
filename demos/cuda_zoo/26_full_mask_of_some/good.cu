// All lanes run the loop as often, those past the end vote no.
__global__ void flags(unsigned* out, const double* in, int n) {
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x;
    unsigned found = __ballot_sync(0xffffffff, i < n && in[i] > 0);
    if (threadIdx.x % 32 == 0) out[i / 32] = found;
  }
}

cudaError_t run(unsigned* out, const double* in, int n) {
  flags<<<1, 256>>>(out, in, n);
  return cudaGetLastError();
}
