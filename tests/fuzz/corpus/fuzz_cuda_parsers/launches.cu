template <int N> __global__ void __launch_bounds__(N, 2) k(float4* p) { p[threadIdx.x].x += 1; }
enum { a = 3, b };
void h(float4* p, cudaStream_t s) { dim3 g(b, a), t{17}; t.x = 1 << 5; k<4><<<g, t, sizeof(float) * 8, s>>>(p); ns::k<1><<<dim3(1), (17)>>>(p); }
