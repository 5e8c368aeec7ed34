// What is known of a GPU, number by number with where each is from: of a product of the catalogue, and of a GPU that the driver describes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/gpu_match.h"
#include "model/detected_gpu.h"

namespace frx::report {

struct SheetNumber {
  std::string_view key;         // of the JSON: "peak_memory_bw_gbps"
  std::string_view label;       // "Peak Memory Bandwidth"
  std::string_view unit;        // "GB/s"; "" of a count
  std::optional<double> value;  // absent: not published, not there, or withheld
  std::string from;             // of a value its source, else why there is none, or ""
};

// The peaks are dense but for those in `sparse`, which stand apart and are no ceilings.
struct GpuSheet {
  std::string id, name, architecture, compute_capability, memory_type, form_factor;  // "" when unknown
  std::vector<SheetNumber> specification;                                            // the documented fields, in their order
  std::vector<SheetNumber> dense;                                                    // further peaks, by precision
  std::vector<SheetNumber> sparse;  // 2:4 structured sparsity: derived, twice the dense rate
  SheetNumber tdp;
  std::vector<SheetNumber> board;   // clocks, memory bus
  std::vector<SheetNumber> limits;  // of one SM, of a block and of a thread
  std::vector<std::uint32_t> shared_carve_outs_kib;
};

GpuSheet sheet_of(const knowledge::GpuProduct& product, const knowledge::SmLimits& limits);
// Of a family without a product: limits, and no peaks.
GpuSheet sheet_of(const knowledge::SmLimits& limits);

// The documented fields without a value.
GpuSheet sheet_of_unknown_gpu();

struct GpuCandidate {
  const knowledge::GpuProduct* product = nullptr;
  GpuSheet sheet;
};

// The answer to a name.
struct GpuLookup {
  std::string asked;
  knowledge::GpuMatch match;
  std::optional<GpuSheet> sheet;         // of the one product, or of the family
  std::vector<GpuCandidate> candidates;  // of a name that fits several products, none of which is chosen
  std::vector<SheetNumber> agreed;       // the documented numbers that all candidates have in common
};
// By the id of a product, else as the matcher understands it. Nothing is assumed of a name that fits several products.
// ErrorKind::not_enough for a GPU that is not known, with names near to it.
Result<GpuLookup> look_up_gpu(const knowledge::GpuCatalogue& gpus, const std::string& name);

struct GpuList {
  std::vector<GpuCandidate> gpus;
};
GpuList list_gpus(const knowledge::GpuCatalogue& gpus);

// A GPU of this machine. Its numbers are the driver's where it tells them; bandwidth and peaks are those of the data sheet where the
// product is known, else derived from the driver's clocks, else absent. Those of a MIG instance are withheld.
struct GpuHere {
  model::DetectedGpu gpu;
  knowledge::GpuMatch match;
  const knowledge::GpuProduct* product = nullptr;  // null where it is not known, or one of several
  GpuSheet sheet;
  std::string_view spec_source;  // "data sheet", "driver"; "" where there are no peaks
  std::optional<double> bandwidth_by_clock_gbps;
  bool is_mig = false;
};
struct GpusHere {
  std::vector<GpuHere> gpus;
  std::vector<std::string> notes;
};
GpusHere recognise(const knowledge::GpuCatalogue& gpus, std::vector<model::DetectedGpu> detected, std::vector<std::string> notes);
// Whether the product of each is known.
bool all_known(const GpusHere& here);

}  // namespace frx::report
