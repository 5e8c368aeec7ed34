__global__ void scale(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}
void run(float* a, int n) {
  scale<<<9204, -9223372036854775806>>>(a, n);
}
