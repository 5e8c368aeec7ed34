// The literals are of the type of the data.
__global__ void luma(float* y, const float4* pixels, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pixels[i];
  y[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}
