// frx: ignore-file excessive_branching
#define A(x, y) ((x) * (y))
#define B \
  32
#ifdef X
__global__ void k(int* a) {
#else
__global__ void k(int* a, int n) {
#endif
#if 0
}}} " don't
#elif 1
  __shared__ float s[A(B, 2)];
#endif
  #pragma unroll B
  for (int i = 0; i < 3; ++i) a[i] = R"x(} // )x"[0]; // frx: ignore *
}
