// Fences after the lock is taken and before it is given back.
__global__ void add(float* sum, int* lock, const float* in) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *sum += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
  }
}

cudaError_t run(float* sum, int* lock, const float* in) {
  add<<<1024, 32>>>(sum, lock, in);
  return cudaGetLastError();
}
