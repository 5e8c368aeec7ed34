// The lock may be seen to be free before the sum is seen.
__global__ void add(float* sum, int* lock, const float* in) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    *sum += in[blockIdx.x];
    atomicExch(lock, 0);
  }
}

cudaError_t run(float* sum, int* lock, const float* in) {
  add<<<1024, 32>>>(sum, lock, in);
  return cudaGetLastError();
}
