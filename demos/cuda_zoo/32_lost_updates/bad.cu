// Each thread reads the sum, adds its element and stores it: what others have added meanwhile is lost.
__global__ void sum(float* total, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *total += x[i];
}
