// __syncwarp() orders the lanes of one warp; the values come from another one.
__global__ void reverse(float* a) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x];
  __syncwarp();
  a[threadIdx.x] = s[255 - threadIdx.x];
}

cudaError_t run(float* a) {
  reverse<<<1, 256>>>(a);
  return cudaGetLastError();
}
