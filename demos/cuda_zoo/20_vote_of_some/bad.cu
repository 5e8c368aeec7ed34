// Half of the block votes for the whole block.
__global__ void any_negative(int* out, const int* in) {
  if (threadIdx.x < 128) {
    int found = __syncthreads_or(in[blockIdx.x * 128 + threadIdx.x] < 0);
    if (threadIdx.x == 0) out[blockIdx.x] = found;
  }
}

cudaError_t run(int* out, const int* in) {
  any_negative<<<1024, 256>>>(out, in);
  return cudaGetLastError();
}
