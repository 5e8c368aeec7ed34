// All threads vote, those without an element with no.
__global__ void any_negative(int* out, const int* in) {
  int is_negative = 0;
  if (threadIdx.x < 128) is_negative = in[blockIdx.x * 128 + threadIdx.x] < 0;
  int found = __syncthreads_or(is_negative);
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

cudaError_t run(int* out, const int* in) {
  any_negative<<<1024, 256>>>(out, in);
  return cudaGetLastError();
}
