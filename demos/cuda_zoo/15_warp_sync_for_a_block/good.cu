// A barrier of the block.
__global__ void reverse(float* a) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[255 - threadIdx.x];
}

cudaError_t run(float* a) {
  reverse<<<1, 256>>>(a);
  return cudaGetLastError();
}
