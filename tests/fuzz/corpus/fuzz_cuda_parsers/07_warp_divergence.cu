// Even and odd lanes of each warp do different work, one after the other.
__global__ void mix(double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (threadIdx.x % 2 == 0) {
    a[i] = sin(a[i]);
  } else {
    a[i] = exp(a[i]);
  }
}
