// Each block sets its counters to zero, counts in shared memory, and adds them to those of the grid once.
__global__ void histogram(unsigned* bins, const unsigned char* in, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

void launch(unsigned* bins, const unsigned char* in, int n) {
  histogram<<<(n + 255) / 256, 256>>>(bins, in, n);
  if (cudaGetLastError() != cudaSuccess) abort();
}
