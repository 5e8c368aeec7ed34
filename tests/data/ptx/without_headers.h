// Enough of CUDA's language for clang to compile kernels when it does not know the installed toolkit: -nocudainc -include this.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __maxnreg__(N)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

typedef decltype(sizeof(0)) size_t;

#define SPECIAL_REGISTER(NAME, OF)                                                     \
  struct NAME##_t {                                                                    \
    struct X {                                                                         \
      __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##OF##_x(); } \
    } x;                                                                               \
    struct Y {                                                                         \
      __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##OF##_y(); } \
    } y;                                                                               \
    struct Z {                                                                         \
      __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##OF##_z(); } \
    } z;                                                                               \
  };                                                                                   \
  extern const __device__ NAME##_t NAME;
SPECIAL_REGISTER(threadIdx, tid)
SPECIAL_REGISTER(blockIdx, ctaid)
SPECIAL_REGISTER(blockDim, ntid)
SPECIAL_REGISTER(gridDim, nctaid)

__device__ inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
