#include "capture/cuda_declarations.h"

namespace frx::capture {

// Keywords, vector types, dim3, atomics, and the calls of the runtime that host code makes. None of it is ever run. clang checks the
// functions of the host as well, so their callees have to be declared.
constexpr std::string_view cuda_declarations = R"cuda(#pragma once

#define CUDA_VERSION 12000
#define CUDART_VERSION CUDA_VERSION

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define CUDART_CB

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRX_VECTORS(T, name, two, four)                                                                      \
  struct name##1 { T x; };                                                                                   \
  struct __align__(two) name##2 { T x, y; };                                                                 \
  struct name##3 { T x, y, z; };                                                                             \
  struct __align__(four) name##4 { T x, y, z, w; };                                                          \
  inline __host__ __device__ name##1 make_##name##1(T x) { return {x}; }                                     \
  inline __host__ __device__ name##2 make_##name##2(T x, T y) { return {x, y}; }                             \
  inline __host__ __device__ name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                     \
  inline __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
FRX_VECTORS(signed char, char, 2, 4)
FRX_VECTORS(unsigned char, uchar, 2, 4)
FRX_VECTORS(short, short, 4, 8)
FRX_VECTORS(unsigned short, ushort, 4, 8)
FRX_VECTORS(int, int, 8, 16)
FRX_VECTORS(unsigned, uint, 8, 16)
FRX_VECTORS(long, long, 16, 16)
FRX_VECTORS(unsigned long, ulong, 16, 16)
FRX_VECTORS(long long, longlong, 16, 16)
FRX_VECTORS(unsigned long long, ulonglong, 16, 16)
FRX_VECTORS(float, float, 8, 16)
FRX_VECTORS(double, double, 16, 16)
#undef FRX_VECTORS

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1) : x(along_x), y(along_y), z(along_z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// Parts of clang, which it provides for this use; they need a few names of the toolkit.
typedef uint32_t cuuint32_t;
inline __device__ unsigned __isGlobal(const void* address) { return __nvvm_isspacep_global(address); }
inline __device__ unsigned __isShared(const void* address) { return __nvvm_isspacep_shared(address); }
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_math_forward_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_cmath.h>

#define FRX_ATOMIC(name, T, of) inline __device__ T atomic##name(T* address, T value) { return of(address, value); }
FRX_ATOMIC(Add, int, __iAtomicAdd)
FRX_ATOMIC(Add, unsigned, __uAtomicAdd)
FRX_ATOMIC(Add, float, __fAtomicAdd)
FRX_ATOMIC(Add, double, __dAtomicAdd)
FRX_ATOMIC(Exch, int, __iAtomicExch)
FRX_ATOMIC(Exch, unsigned, __uAtomicExch)
FRX_ATOMIC(Exch, float, __fAtomicExch)
FRX_ATOMIC(Exch, unsigned long long, __ullAtomicExch)
FRX_ATOMIC(Min, int, __iAtomicMin)
FRX_ATOMIC(Min, unsigned, __uAtomicMin)
FRX_ATOMIC(Min, unsigned long long, __ullAtomicMin)
FRX_ATOMIC(Max, int, __iAtomicMax)
FRX_ATOMIC(Max, unsigned, __uAtomicMax)
FRX_ATOMIC(Max, unsigned long long, __ullAtomicMax)
FRX_ATOMIC(And, int, __iAtomicAnd)
FRX_ATOMIC(And, unsigned, __uAtomicAnd)
FRX_ATOMIC(And, unsigned long long, __ullAtomicAnd)
FRX_ATOMIC(Or, int, __iAtomicOr)
FRX_ATOMIC(Or, unsigned, __uAtomicOr)
FRX_ATOMIC(Or, unsigned long long, __ullAtomicOr)
FRX_ATOMIC(Xor, int, __iAtomicXor)
FRX_ATOMIC(Xor, unsigned, __uAtomicXor)
FRX_ATOMIC(Xor, unsigned long long, __ullAtomicXor)
FRX_ATOMIC(Inc, unsigned, __uAtomicInc)
FRX_ATOMIC(Dec, unsigned, __uAtomicDec)
#undef FRX_ATOMIC
inline __device__ unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline __device__ int atomicSub(int* address, int value) { return __iAtomicAdd(address, -value); }
inline __device__ unsigned atomicSub(unsigned* address, unsigned value) { return __uAtomicAdd(address, 0u - value); }
inline __device__ int atomicCAS(int* address, int expected, int value) { return __iAtomicCAS(address, expected, value); }
inline __device__ unsigned atomicCAS(unsigned* address, unsigned expected, unsigned value) {
  return __uAtomicCAS(address, expected, value);
}
inline __device__ unsigned long long atomicCAS(unsigned long long* address, unsigned long long expected, unsigned long long value) {
  return __ullAtomicCAS(address, expected, value);
}

extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);

// The runtime API.
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
struct CUstream_st;
struct CUevent_st;
typedef CUstream_st* cudaStream_t;
typedef CUevent_st* cudaEvent_t;
template <typename T> cudaError_t cudaMalloc(T**, size_t);
template <typename T> cudaError_t cudaMallocManaged(T**, size_t, unsigned = 1);
template <typename T> cudaError_t cudaMallocHost(T**, size_t, unsigned = 0);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = 0);
template <typename T> cudaError_t cudaMemcpyToSymbol(const T&, const void*, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <typename T> cudaError_t cudaMemcpyFromSymbol(void*, const T&, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = 0);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t);
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaEventCreate(cudaEvent_t*, unsigned = 0);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
template <typename T> cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int);

// What `kernel<<<...>>>()` becomes, by its older and its newer name.
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
)cuda";

}  // namespace frx::capture
