// The matrix is stored by columns, so that neighbouring threads read neighbouring elements.
__global__ void row_sums(float* sums, const float* matrix, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += matrix[column * rows + row];
  sums[row] = sum;
}
