// The index of `bins` is read from memory: they cannot lie in registers.
__global__ void count(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int bins[4] = {0, 0, 0, 0};
  for (int k = i; k < n; k += gridDim.x * blockDim.x) bins[in[k] & 3] += 1;
  for (int b = 0; b < 4; ++b) atomicAdd(&out[b], bins[b]);
}
