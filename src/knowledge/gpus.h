// The GPU catalogue: products, the resources of one SM, and the peaks of each product.
//
// data/gpus has one file per architecture. Limits belong to the compute capability (an A10 and an
// RTX 3090 hold the same number of warps per SM); peaks, memory and clocks belong to the product.
// A number that is not published is absent, never zero, and each one has a source.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/made_once.h"
#include "base/result.h"
#include "knowledge/library.h"
#include "model/session.h"

namespace frx::knowledge {

// A few named numbers, in the order of their file.
class NamedNumbers {
 public:
  std::optional<double> operator[](std::string_view name) const;
  void set(std::string_view name, double value);
  void add(std::string_view name, double value) { items_.emplace_back(name, value); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<std::pair<std::string_view, double>> items_;
};

// The resources of one SM of a compute capability. Bytes unless the name has another unit.
struct SmLimits {
  model::ComputeCapability cc;
  std::string_view family_key;    // "sm_86"
  std::string_view architecture;  // "ampere"
  std::string_view display;       // "Ampere"
  std::uint32_t warp_size = 0;
  std::uint32_t threads_per_block = 0;
  std::uint32_t threads_per_sm = 0;
  std::uint32_t warps_per_sm = 0;
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t registers_per_sm = 0;
  std::uint32_t registers_per_block = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t register_allocation_unit = 0;     // registers, per warp
  std::uint32_t warp_allocation_granularity = 0;  // warps, for the registers-per-block check of a launch
  std::uint32_t sub_partitions = 0;
  std::uint32_t l1_shared_bytes = 0;  // L1 cache and shared memory together
  std::uint32_t shared_per_sm = 0;
  std::uint32_t shared_per_block = 0;  // with the opt-in attribute
  std::uint32_t shared_per_block_static = 0;
  std::uint32_t shared_reserved_per_block = 0;  // reserved by the system
  std::uint32_t shared_allocation_unit = 0;
  std::uint32_t max_cluster_size = 0;  // portable; 0: no clusters
  std::vector<std::uint32_t> shared_carve_outs_kib;
  std::vector<std::string_view> features;  // "bf16", "fp8", "tma"
  NamedNumbers fma_per_sm_clock;           // dense multiply-adds per clock, by precision
  NamedNumbers classifier;                 // thresholds of the source classifier (docs/contract.md)
  std::string_view limits_source;
  std::string_view rates_source;
  std::string where;

  bool has(std::string_view feature) const;
};

// Precisions: fp64, fp32, fp16, bf16 (CUDA cores), tf32_tensor, fp16_tensor (FP32 accumulate),
// fp16_tensor_acc16, bf16_tensor, fp8_tensor, int8_tensor, fp4_tensor, fp64_tensor. Always dense.
struct GpuProduct {
  std::string_view id;    // "h100-sxm5-80gb"
  std::string_view key;   // "h100": the user's name; several products may share it
  std::string_view name;  // as the driver prints it
  std::vector<std::string_view> aliases;
  model::ComputeCapability cc;
  std::string_view architecture;
  std::string_view memory_type;  // "HBM3"
  std::string_view form;         // "SXM5", "PCIe", "mobile"
  bool datacenter = false;
  bool no_tensor_cores = false;
  std::optional<double> sm_count;
  std::optional<double> boost_clock_mhz;
  std::optional<double> tensor_clock_mhz;  // where the vendor quotes tensor rates at another clock
  std::optional<double> memory_clock_mhz;
  std::optional<double> memory_gb;
  std::optional<double> memory_bus_bits;
  std::optional<double> memory_bandwidth_gbps;
  std::optional<double> l2_mb;
  std::optional<double> tdp_w;
  NamedNumbers peaks_tflops;
  NamedNumbers fma_override;                // where it differs from the compute capability
  std::vector<std::string_view> unchecked;  // peaks that the rate formula does not explain; see notes
  std::string_view source;
  std::vector<std::pair<std::string_view, std::string>> notes;  // per field or precision
  std::string where;

  std::optional<double> peak_tflops(std::string_view precision) const { return peaks_tflops[precision]; }
  // The source of a number: its own note and the source of the entry, with file and line.
  std::string provenance(std::string_view field) const;
};

class GpuCatalogue {
 public:
  // `library` must outlive the catalogue. Limits and products are read on first use: most runs need only the limits of one compute
  // capability. Limits of a library with overrides are read at once, and an invalid one is named with file and line.
  static Result<GpuCatalogue> load(const Library& library);

  // Checks that are not needed in every run: the products as a whole, unique ids, known compute capabilities, and each peak against SMs x
  // multiply-adds x 2 x clock. For the tests and for --data overlays, whose errors are reported here: the embedded data is known to be well
  // formed.
  Result<> check() const;

  const SmLimits* limits(model::ComputeCapability cc) const;
  const GpuProduct* with_id(std::string_view id) const;
  std::span<const GpuProduct> products() const { return read_products().list; }
  // By compute capability; each is read.
  auto all_limits() const {
    return std::views::iota(std::size_t{0}, entries_.size()) |
           std::views::transform([this](std::size_t i) -> const SmLimits& { return limits_at(i); });
  }

 private:
  struct Products {
    std::once_flag once;
    Result<> outcome;
    std::vector<GpuProduct> list;
    std::vector<Value> sources;  // of list
  };

  // Limits of which only the compute capability was read.
  struct Entry {
    model::ComputeCapability cc;
    Value value;
  };

  const Products& read_products() const;
  const SmLimits& limits_at(std::size_t i) const;
  Result<> find_limits(const Value& root);
  static Result<> add_products(const Value& root, Products& products);
  Result<> check_peaks(const GpuProduct& product, const Value& source) const;

  std::vector<Value> files_;
  std::vector<Entry> entries_;  // by compute capability
  MadeOnce<SmLimits> limits_;
  std::shared_ptr<Products> products_ = std::make_shared<Products>();
};

// "8.6" -> {8, 6}
std::optional<model::ComputeCapability> parse_compute_capability(std::string_view text);
// {8, 6} -> "8.6"
std::string to_string(model::ComputeCapability cc);

// SMs x multiply-adds per SM and clock x 2 x clock, in TFLOP/s. `clock_mhz` replaces the clock of the
// data sheet, for a peak at the measured clock. Absent when a factor is.
std::optional<double> derived_peak_tflops(const GpuProduct& product, const SmLimits& limits, std::string_view precision,
                                          std::optional<double> clock_mhz = std::nullopt);

// The rate with structured sparsity, 2 of 4 weights zero, which is twice the dense one on tensor cores of compute capability 8.0 and newer.
// Never a peak that measured work is held against. Absent for other precisions, and where the vendor's own figure is not twice the dense
// one.
std::optional<double> sparse_peak_tflops(const GpuProduct& product, std::string_view precision);

}  // namespace frx::knowledge
