// Each thread moves sixteen bytes per instruction; n4 is n / 4, and all pointers are aligned.
__global__ void add(float4* c, const float4* a, const float4* b, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
