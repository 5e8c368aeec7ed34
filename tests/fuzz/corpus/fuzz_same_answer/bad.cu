// Each thread walks along a row, so that neighbouring threads are a whole row apart: a warp touches 32 sectors to
// get 4 bytes from each.
__global__ void row_sums(float* sums, const float* matrix, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += matrix[row * columns + column];
  sums[row] = sum;
}
