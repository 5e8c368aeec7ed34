// Kernels whose registers, stack, spills, shared memory and barriers differ: what tools/validate_cubin_resources
// compiles and compares with ptxas -v. They compute nothing of use.
#include <cstdint>
#include <cstdio>

// --- memory only ----------------------------------------------------------------------------------------------------

extern "C" __global__ void copy(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

template <typename T>
__global__ void scale(T* out, const T* in, T factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * factor;
}
template __global__ void scale(float*, const float*, float, int);
template __global__ void scale(double*, const double*, double, int);
template __global__ void scale(int*, const int*, int, int);
template __global__ void scale(std::int64_t*, const std::int64_t*, std::int64_t, int);

__global__ void nothing() {}
__global__ void vectors(float4* out, const float4* in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void bytes_of(char* out, const short* in) { out[threadIdx.x] = static_cast<char>(in[threadIdx.x]); }
__global__ void divides(double* a, double b) { a[threadIdx.x] = a[threadIdx.x] / b + sin(b * threadIdx.x); }
__global__ void remainders(std::uint64_t* a, std::uint64_t b) { a[threadIdx.x] = a[threadIdx.x] % b; }
__global__ void counts(int* counter) { atomicAdd(counter + threadIdx.x % 7, 1); }

__constant__ float table[256];
__global__ void reads_table(float* a, int n) { a[threadIdx.x] = table[(threadIdx.x * n) & 255]; }

// --- parameters -----------------------------------------------------------------------------------------------------

template <int N>
struct Values {
  float at[N];
};
template <int N>
__global__ void takes(Values<N> values, float* out, int i) {
  out[threadIdx.x] = values.at[i];
}
template __global__ void takes(Values<1>, float*, int);
template __global__ void takes(Values<64>, float*, int);
template __global__ void takes(Values<1000>, float*, int);
template __global__ void takes(Values<8000>, float*, int);

// --- shared memory and barriers -------------------------------------------------------------------------------------

template <typename T, int N>
__global__ void stages(T* a, int n) {
  __shared__ T tile[N];
  tile[threadIdx.x % N] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[(threadIdx.x * n) % N];
}
template __global__ void stages<char, 1>(char*, int);
template __global__ void stages<char, 33>(char*, int);
template __global__ void stages<float, 32>(float*, int);
template __global__ void stages<float, 1024>(float*, int);
template __global__ void stages<double, 1000>(double*, int);
template __global__ void stages<float, 12288>(float*, int);

__global__ void two_arrays(double* a, int n) {
  __shared__ char narrow[3];
  __shared__ alignas(16) double wide[77];
  narrow[threadIdx.x % 3] = static_cast<char>(n);
  wide[threadIdx.x % 77] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = wide[n % 77] + narrow[n % 3];
}

__global__ void aligned(float* a) {
  __shared__ alignas(128) float tile[5];
  tile[threadIdx.x % 5] = a[0];
  __syncthreads();
  a[threadIdx.x] = tile[2];
}

__global__ void dynamic_only(float* a, int n) {
  extern __shared__ float room[];
  room[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = room[n];
}

__global__ void static_and_dynamic(float* a, int n) {
  extern __shared__ float room[];
  __shared__ float tile[100];
  tile[threadIdx.x % 100] = room[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = room[n] + tile[n];
}

template <int First>
__global__ void named_barriers(float* a) {
  __shared__ float tile[256];
  tile[threadIdx.x] = a[threadIdx.x];
  asm volatile("bar.sync %0, 128;" ::"n"(First));
  a[threadIdx.x] = tile[threadIdx.x ^ 1];
  asm volatile("bar.sync %0, 128;" ::"n"(First + 1));
  a[threadIdx.x] += tile[threadIdx.x ^ 2];
}
template __global__ void named_barriers<1>(float*);
template __global__ void named_barriers<7>(float*);
template __global__ void named_barriers<14>(float*);

__global__ void barrier_of_choice(float* a, int which) {
  asm volatile("bar.sync %0, 128;" ::"r"(which));
  a[threadIdx.x] = which;
}

// --- launch bounds --------------------------------------------------------------------------------------------------

#define LIVE_VALUES(N)                                                \
  float live[N];                                                      \
  _Pragma("unroll") for (int i = 0; i < N; ++i) live[i] = a[threadIdx.x + i * n]; \
  for (int k = 0; k < n; ++k) {                                       \
    _Pragma("unroll") for (int i = 0; i < N; ++i) live[i] = live[i] * live[(i * 7 + 3) % N] + k; \
  }                                                                   \
  _Pragma("unroll") for (int i = 0; i < N; ++i) a[threadIdx.x + i * n] = live[i];

template <int N>
__global__ void unbounded(float* a, int n) {
  LIVE_VALUES(N)
}
template __global__ void unbounded<8>(float*, int);
template __global__ void unbounded<32>(float*, int);
template __global__ void unbounded<64>(float*, int);
template __global__ void unbounded<200>(float*, int);
template __global__ void unbounded<300>(float*, int);

template <int N, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks) bounded(float* a, int n) {
  LIVE_VALUES(N)
}
template __global__ void bounded<32, 1024, 1>(float*, int);
template __global__ void bounded<64, 1024, 1>(float*, int);
template __global__ void bounded<96, 1024, 1>(float*, int);
template __global__ void bounded<200, 1024, 1>(float*, int);
template __global__ void bounded<40, 512, 3>(float*, int);
template __global__ void bounded<64, 256, 6>(float*, int);
template __global__ void bounded<64, 128, 8>(float*, int);

template <int N>
__global__ void __launch_bounds__(1024, 1) bounded_double(double* a, int n) {
  double live[N];
#pragma unroll
  for (int i = 0; i < N; ++i) live[i] = a[threadIdx.x + i * n];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < N; ++i) live[i] = live[i] * live[(i * 5 + 1) % N] + k;
  }
#pragma unroll
  for (int i = 0; i < N; ++i) a[threadIdx.x + i * n] = live[i];
}
template __global__ void bounded_double<20>(double*, int);
template __global__ void bounded_double<48>(double*, int);

__global__ void __launch_bounds__(96) odd_bound(float* a) { a[threadIdx.x] += 1; }
__global__ void __maxnreg__(40) limited(float* a, int n) {
  LIVE_VALUES(64)
}

// --- stack ----------------------------------------------------------------------------------------------------------

template <typename T, int N>
__global__ void indexed_array(T* a, int n) {
  T values[N];
  for (int i = 0; i < N; ++i) values[i] = a[i * n];
  T sum = 0;
  for (int i = 0; i < n; ++i) {
    values[(i * 7) % N] += sum;
    sum += values[(i * 3) % N];
  }
  a[threadIdx.x] = sum;
}
template __global__ void indexed_array<float, 32>(float*, int);
template __global__ void indexed_array<float, 1000>(float*, int);
template __global__ void indexed_array<double, 50>(double*, int);
template __global__ void indexed_array<unsigned char, 64>(unsigned char*, int);
template __global__ void indexed_array<short, 77>(short*, int);

// An array of the programmer's and spills in one kernel.
__global__ void __launch_bounds__(1024, 1) array_and_spills(float* a, int n) {
  float values[40];
  for (int i = 0; i < 40; ++i) values[i] = a[i * n];
  LIVE_VALUES(90)
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    values[(i * 7) % 40] += sum;
    sum += values[(i * 3) % 40];
  }
  a[threadIdx.x] = sum;
}

__device__ __noinline__ float picks(float x, int n) {
  float values[4] = {x, x + 1, x + 2, x + 3};
  return values[n & 3] * values[(n + 1) & 3];
}
__global__ void calls(float* a, int n) { a[threadIdx.x] = picks(a[threadIdx.x], n) + picks(a[n], n + 1); }

__device__ __noinline__ float factorial(float x, int n) {
  const float values[4] = {x, x + 1, x + 2, x + 3};
  return n <= 0 ? values[n & 3] : factorial(values[n & 3], n - 1) * values[(n + 1) & 3];
}
__global__ void recursive(float* a, int n) { a[threadIdx.x] = factorial(a[threadIdx.x], n); }

__device__ float (*chosen)(float);
__global__ void calls_unknown(float* a) { a[threadIdx.x] = chosen(a[threadIdx.x]); }

struct Shape {
  __device__ virtual float area(float x) const = 0;
};
__global__ void calls_virtual(Shape** shapes, float* a) { a[threadIdx.x] = shapes[threadIdx.x]->area(2); }

__global__ void prints(float* a) { printf("%f %d\n", a[0], static_cast<int>(threadIdx.x)); }
__global__ void allocates(float** a, int n) { a[threadIdx.x] = static_cast<float*>(malloc(n)); }

// --- clusters, from sm_90 on ----------------------------------------------------------------------------------------

#ifdef WITH_CLUSTERS
__global__ void __cluster_dims__(2, 2, 1) in_clusters(float* a) { a[threadIdx.x] += 1; }
__global__ void __launch_bounds__(256, 1, 4) at_most_in_clusters(float* a) { a[threadIdx.x] += 1; }
#endif
