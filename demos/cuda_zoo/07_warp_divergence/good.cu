// Whole warps do the same work.
__global__ void mix(double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if ((threadIdx.x / 32) % 2 == 0) {
    a[i] = sin(a[i]);
  } else {
    a[i] = exp(a[i]);
  }
}
