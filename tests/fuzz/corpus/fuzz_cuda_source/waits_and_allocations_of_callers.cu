#define OK(call) do { int error = (call); if (error) exit(1); } while (0)
typedef torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> Rows;
struct Pixel { int x, y; Ray ray; curandState state; };
__global__ void scale(float* a, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) a[i] *= 2; }
__global__ void rows(Rows x, const int* idx, Pixel* p, int b, int m) {
  for (int i = blockIdx.x; i < b; i += gridDim.x)
    for (int j = threadIdx.x; j < m; j += blockDim.x) { Pixel& q = p[j]; q.x = x[i][idx[i * m + j]]; }
}
class Vector {
 public:
  int size() const { return n; }
  void twice() { add(1); }
  void add(float f) {
    if (size() > 0) { scale<<<(n + 255) / 256, 256>>>(data, n); OK(cudaDeviceSynchronize()); } else { data[0] = f; }
  }
  float total(int k) {
    float* out; float host;
    size_t bytes; bytes = k * sizeof(float);
    cudaMalloc((void**)&out, bytes);
    scale<<<1, 256>>>(out, k);
    cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return host;
  }
  float* data; int n;
};
float norm(Vector& x) { return x.total(1); }
void solve(Vector& x, Vector& r, std::vector<Vector*>& all, int steps) {
  for (int t = 0; t < steps; ++t) { x.twice(); r.twice(); if (norm(x) < 1) break; }
  for (auto* v : all) { if (v->n > 3) { scale<<<1, 32>>>(v->data, v->n); cudaDeviceSynchronize(); } }
}
