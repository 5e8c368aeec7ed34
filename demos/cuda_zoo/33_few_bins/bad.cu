// Every thread of the grid adds to one of 256 counters in global memory.
__global__ void histogram(unsigned* bins, const unsigned char* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void launch(unsigned* bins, const unsigned char* in, int n) {
  histogram<<<(n + 255) / 256, 256>>>(bins, in, n);
  if (cudaGetLastError() != cudaSuccess) abort();
}
