// A tile of each matrix is loaded once per block; n is a multiple of TILE.
#define TILE 16

__global__ void multiply(const double* a, const double* b, double* c, int n) {
  __shared__ double tile_a[TILE][TILE];
  __shared__ double tile_b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  double sum = 0.0;
  for (int t = 0; t < n; t += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
