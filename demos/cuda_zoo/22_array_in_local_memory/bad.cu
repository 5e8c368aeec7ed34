// The index of `bins` is read from memory: they cannot lie in registers.
__global__ void count(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int bins[4] = {0, 0, 0, 0};
  for (int k = i; k < n; k += gridDim.x * blockDim.x) bins[in[k] & 3] += 1;
  reinterpret_cast<int4*>(out)[i] = make_int4(bins[0], bins[1], bins[2], bins[3]);
}
