// The answer of frx kernel cublas: how fast a matrix product of a library ran, against the peak of the GPU that ran it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/gpus.h"
#include "model/session.h"
#include "report/recordings/gemm_times.h"

namespace frx::report {

// An operation of cuBLAS by the name a user gives it.
struct CublasOperation {
  std::string_view name;                     // "gemm_f16"
  std::string_view precision;                // of data/gpus: "fp16_tensor", which accumulates in FP32
  std::string_view label;                    // "FP16 Tensor"
  double input_bytes = 4, output_bytes = 4;  // of one element
};

std::span<const CublasOperation> cublas_operations();
const CublasOperation* cublas_operation(std::string_view name);

// The peak against which a product is measured. Dense.
struct CublasPeak {
  std::optional<double> tflops;  // absent: unknown GPU, or a precision it does not have
  std::optional<double> bandwidth_gbps;
  std::string gpu;     // "NVIDIA GeForce RTX 4090", as it was given or detected; "" where nothing says
  std::string source;  // where the peak is from, or why there is none
};

// What is known of the GPU. `origin`: "--gpu-model", "the recording", "nvidia-smi".
struct GpuAtHand {
  std::string name, driver, origin;
  std::optional<model::ComputeCapability> cc;
  std::optional<int> sm_count;
  std::optional<double> memory_gb;
  std::string assumption;  // where the name fits several products: which one was taken
};

CublasPeak cublas_peak(const CublasOperation& operation, const GpuAtHand& gpu, const knowledge::GpuCatalogue& gpus);

struct CublasProfile {
  const CublasOperation* operation = nullptr;
  std::array<std::uint64_t, 3> shape{};  // M, N, K
  bool is_square = false;                // given as --size
  GpuAtHand gpu;
  CublasPeak peak;
  std::string program;              // that was run; ""
  std::string recording;            // that was read; ""
  std::optional<GemmTimes> times;   // absent: nothing was run
  std::optional<int> exit_code;     // of the program
  bool is_estimate_wanted = false;  // --estimate; there is one only where nothing was run and the GPU is known
  std::vector<std::string> notes;

  double flops() const;  // 2 M N K
  // Bytes of A, B and C, each moved once.
  double least_bytes() const;
  std::optional<double> tflops(const GemmRow& row) const;
  std::optional<double> efficiency_pct(const GemmRow& row) const;

  // Computed from the peak and the bandwidth, not measured: the time below which no such product can stay.
  struct Estimate {
    double time_us = 0, tflops = 0, of_peak_pct = 0;
    std::string basis;  // how it was computed
  };
  std::optional<Estimate> estimate() const;
};

// What speaks against the operation or the size that was asked for: kernels whose names say another precision or accumulation, and products
// that would be faster than the peak.
std::vector<std::string> doubts_about(const CublasProfile& profile);

}  // namespace frx::report
