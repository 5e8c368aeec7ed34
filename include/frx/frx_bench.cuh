// Times kernels with CUDA events, so that `frx bench` judges the kernel and not the start of a process.
//
//   #include "frx_bench.cuh"
//   ...
//   FRX_BENCH(kernel<<<grid, block>>>(in, out, n));        // prints FRX_KERNEL_US and FRX_KERNEL_COLD_US
//   frx_bench([&](int i) { kernel<<<grid, block>>>(inputs[i % 4], out, n); });  // another input each time
//   frx_checksum(out, n);                                  // prints FRX_CHECKSUM: do both versions compute the same?
//
// FRX_KERNEL_US is the median of launches one after the other: what fits stays in the L2 cache. FRX_KERNEL_COLD_US is the
// median of launches before each of which the L2 cache was filled with something else. Which one is true of a program depends
// on what runs before the kernel there. An error of CUDA goes to standard error, and no time is printed.
#ifndef FRX_BENCH_CUH
#define FRX_BENCH_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#ifndef FRX_BENCH_WARMUP
#define FRX_BENCH_WARMUP 5
#endif
#ifndef FRX_BENCH_ITERS
#define FRX_BENCH_ITERS 50
#endif

namespace frx_bench_detail {

inline bool succeeded(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return true;
  std::fprintf(stderr, "frx_bench: %s: %s\n", what, cudaGetErrorString(error));
  return false;
}

// With the number of the launch where the callable takes one.
template <typename Launch>
auto call(Launch& launch, int i, int) -> decltype(launch(i), void()) {
  launch(i);
}
template <typename Launch>
auto call(Launch& launch, int, long) -> decltype(launch(), void()) {
  launch();
}

// Memory twice as large as the L2 cache; writing it drives out everything else.
struct L2Filler {
  void* memory = nullptr;
  std::size_t bytes = 0;

  bool create() {
    int device = 0, l2 = 0;
    if (!succeeded(cudaGetDevice(&device), "cudaGetDevice")) return false;
    if (!succeeded(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device), "cudaDevAttrL2CacheSize")) return false;
    bytes = 2 * static_cast<std::size_t>(l2);
    // A device without an L2 cache has nothing to empty; one without memory for it goes without.
    if (bytes > 0 && cudaMalloc(&memory, bytes) != cudaSuccess) {
      cudaGetLastError();
      memory = nullptr;
    }
    return true;
  }
  bool fill(int value, cudaStream_t stream) const {
    return memory == nullptr || succeeded(cudaMemsetAsync(memory, value & 0xFF, bytes, stream), "emptying the L2 cache");
  }
  ~L2Filler() { cudaFree(memory); }
};

struct Event {
  cudaEvent_t event = nullptr;
  bool create() { return succeeded(cudaEventCreate(&event), "cudaEventCreate"); }
  ~Event() {
    if (event != nullptr) cudaEventDestroy(event);
  }
};

// Microseconds of each launch; empty after an error.
template <typename Launch>
std::vector<float> times_of(Launch& launch, int iterations, const L2Filler* filler, cudaStream_t stream) {
  std::vector<float> times;
  Event begin, end;
  if (!begin.create() || !end.create()) return {};
  for (int i = 0; i < iterations; ++i) {
    if (filler != nullptr && !filler->fill(i, stream)) return {};
    float milliseconds = 0;
    if (!succeeded(cudaEventRecord(begin.event, stream), "cudaEventRecord")) return {};
    call(launch, i, 0);
    if (!succeeded(cudaGetLastError(), "launch") || !succeeded(cudaEventRecord(end.event, stream), "cudaEventRecord") ||
        !succeeded(cudaEventSynchronize(end.event), "kernel") ||
        !succeeded(cudaEventElapsedTime(&milliseconds, begin.event, end.event), "cudaEventElapsedTime")) {
      return {};
    }
    times.push_back(milliseconds * 1000);
  }
  return times;
}

inline void print_median(const char* name, std::vector<float> times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::printf("%s: %.3f\n", name, static_cast<double>(times[times.size() / 2]));
}

}  // namespace frx_bench_detail

// Launches `launch` on `stream` (what it starts must be in that stream, or in one that waits for it) and prints both
// times. False after an error.
template <typename Launch>
bool frx_bench(Launch&& launch, int warmup = FRX_BENCH_WARMUP, int iterations = FRX_BENCH_ITERS, cudaStream_t stream = nullptr) {
  namespace detail = frx_bench_detail;
  for (int i = 0; i < warmup; ++i) detail::call(launch, i, 0);
  if (!detail::succeeded(cudaGetLastError(), "launch") || !detail::succeeded(cudaDeviceSynchronize(), "kernel")) return false;
  const std::vector<float> warm = detail::times_of(launch, iterations, nullptr, stream);
  detail::L2Filler filler;
  const bool can_be_cold = filler.create() && filler.memory != nullptr;
  const std::vector<float> cold = can_be_cold ? detail::times_of(launch, iterations, &filler, stream) : std::vector<float>();
  if (warm.empty() || (can_be_cold && cold.empty())) return false;
  detail::print_median("FRX_KERNEL_US", warm);
  detail::print_median("FRX_KERNEL_COLD_US", cold);
  std::fflush(stdout);
  return true;
}

// One launch, written as it stands in the program.
#define FRX_BENCH(...) frx_bench([&]() { __VA_ARGS__; })

// Of `count` numbers on the device or the host: their sum, the sum of their magnitudes, and a sum in which places
// count, so that swapped elements show. frx bench lets them differ by a little: see --checksum-tolerance.
template <typename Number>
bool frx_checksum(const Number* numbers, std::size_t count) {
  std::vector<Number> here(count);
  if (!frx_bench_detail::succeeded(cudaMemcpy(here.data(), numbers, count * sizeof(Number), cudaMemcpyDefault), "frx_checksum")) return false;
  double sum = 0, magnitude = 0, placed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(here[i]);
    sum += value;
    magnitude += std::fabs(value);
    placed += value * static_cast<double>(i % 97 + 1) / 97;
  }
  std::printf("FRX_CHECKSUM: %.9g %.9g %.9g\n", sum, magnitude, placed);
  std::fflush(stdout);
  return true;
}

#endif  // FRX_BENCH_CUH
