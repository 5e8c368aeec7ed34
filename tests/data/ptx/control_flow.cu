// Loops, switches, early exits, irreducible-looking code, unrolled and nested loops. From sm_75.
__global__ void dense_switch(int* out, int which) {
  int v = out[threadIdx.x];
  switch (which + int(threadIdx.x)) {
    case 0: v = v * 3 + 1; break;
    case 1: v ^= out[5]; break;
    case 2: v = v / 7;  // falls through
    case 3: v -= out[9]; break;
    case 4: v = v << 2; break;
    case 5: v = v % 11; break;
    case 6: out[1] = v; break;
    case 7: v = -v; break;
    case 8: v += out[v & 31]; break;
    default: v = 0;
  }
  out[threadIdx.x] = v;
}

__global__ void sparse_switch(int* out, int which) {
  switch (which) {
    case 1: out[0] = 5; break;
    case 1000: out[1] = out[2] * 2; break;
    case -70000: out[3] = out[4] - 1; break;
    case 123456: out[5] ^= 3; break;
  }
}

__global__ void collatz(int* out, const int* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int steps = 0;
    for (long long v = in[i]; v != 1; ++steps) {
      if (v & 1) {
        v = 3 * v + 1;
        if (v > 1'000'000'000) break;
      } else {
        v /= 2;
        if (v == 7) continue;
        while (v % 4 == 0) v >>= 2;
      }
    }
    out[i] = steps;
  }
}

__global__ void gotos(int* out, int a) {
  int i = 0;
  if (a & 1) goto middle;
start:
  out[i] += 1;
middle:
  out[i + 1] -= 1;
  if (++i < a) {
    if (out[i] > 3) goto start;
    goto middle;
  }
}

template <int Size>
__global__ void matrix(float* c, const float* a, const float* b) {
  float sum[Size][Size] = {};
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
#pragma unroll
    for (int i = 0; i < Size; ++i)
#pragma unroll
      for (int j = 0; j < Size; ++j) sum[i][j] += a[(threadIdx.y * Size + i) * 64 + k] * b[k * 64 + threadIdx.x * Size + j];
  }
  for (int i = 0; i < Size; ++i)
    for (int j = 0; j < Size; ++j) c[(threadIdx.y * Size + i) * 64 + threadIdx.x * Size + j] = sum[i][j];
}
template __global__ void matrix<1>(float*, const float*, const float*);
template __global__ void matrix<4>(float*, const float*, const float*);
template __global__ void matrix<8>(float*, const float*, const float*);

__global__ void unrolled_not(float* out, const float* in, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum = sum * 0.5f + in[i];
  out[threadIdx.x] = sum;
}

__global__ void assumptions(int* out, int n) {
  __builtin_assume(n > 0);
  if (__builtin_expect(n > 1000, 0)) return;
  do out[--n] = n;
  while (n > 0);
  if (n < 0) __builtin_unreachable();
}
