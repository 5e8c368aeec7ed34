// Kernels that launch kernels; what other files define. From sm_75, only -rdc=true.
extern __device__ float elsewhere(float);
extern __constant__ int limit;

__global__ void child(float* data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] = elsewhere(data[threadIdx.x]);
}

__global__ void parent(float* data, int n) {
  if (threadIdx.x == 0 && n > limit) {
    child<<<n / 32, 32>>>(data, n);
    child<<<1, 32, 128, cudaStreamTailLaunch>>>(data, n / 2);
  }
}
