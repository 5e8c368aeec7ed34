// A column of the tile lies in one bank: reading it takes 32 passes.
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

cudaError_t run(float* out, const float* in, int n) {
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
  return cudaGetLastError();
}
