// As many blocks as the data fill: the elements behind the last one are left out.
__global__ void scale(float4* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = x[i];
  x[i] = make_float4(a.x * by, a.y * by, a.z * by, a.w * by);
}

void launch(float4* x, float by, int n) {
  scale<<<n / 256, 256>>>(x, by, n);
  if (cudaGetLastError() != cudaSuccess) abort();
}
