// Nothing is shared between the threads, so there is nothing to wait for.
__global__ void normalize(double* a, int n, double by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) a[i] /= by;
  __syncthreads();
}
