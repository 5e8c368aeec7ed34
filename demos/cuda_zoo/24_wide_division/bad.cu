// Two divisions of 64 bits for each element: by the width, and of the quotient by the height.
__global__ void widen(float* out, const float* in, size_t n, size_t height, size_t width, size_t pitch) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    size_t plane = i / width / height, row = i / width % height;
    out[(plane * height + row) * pitch + i % width] = in[i];
  }
}
