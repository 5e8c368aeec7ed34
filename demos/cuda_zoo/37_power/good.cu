// Three products.
__global__ void energy(float4* out, const float4* velocity, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = velocity[i];
    float square = v.x * v.x + v.y * v.y + v.z * v.z;
    out[i] = make_float4(v.x, v.y, v.z, 0.5f * v.w * square);
  }
}

void launch(float4* out, const float4* velocity, int n) {
  energy<<<(n + 1023) / 1024, 256>>>(out, velocity, n);
  if (cudaGetLastError() != cudaSuccess) abort();
}
