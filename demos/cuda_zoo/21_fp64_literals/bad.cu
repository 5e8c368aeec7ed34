// 0.299 is a double, so that each product and each sum is one, too.
__global__ void luma(float* y, const float4* pixels, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pixels[i];
  y[i] = 0.299 * p.x + 0.587 * p.y + 0.114 * p.z;
}
