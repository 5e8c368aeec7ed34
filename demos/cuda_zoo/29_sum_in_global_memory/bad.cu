// The sum lies in global memory: `in` may lead to the same place, so that it is stored in each iteration.
__global__ void columns(double* out, const double* in, int rows, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= width) return;
  out[c] = 0;
  for (int r = 0; r < rows; ++r) out[c] += in[r * width + c];
}
