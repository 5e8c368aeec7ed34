// The parts of a GPU name: the model, the variant, the form, the memory.
//
//   NVIDIA A100-SXM4-80GB                   model a100,             form sxm4,  80 GB
//   NVIDIA GeForce RTX 4070 Ti SUPER        model rtx4070,          variants super ti
//   rtx4070tisuper                          the same
//   NVIDIA A100-SXM4-40GB MIG 1g.5gb        model a100, form sxm4, 40 GB, a slice of it
//   NVIDIA A100-PG509-200                   model a100 pg509 200    (two words that are no SKU of the catalogue)
//
// Tokens, never substrings: "A10" is not in "A100", "T4" is not in "T400".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::knowledge {

// "1g.10gb": one of seven compute slices with 10 GB.
struct MigProfile {
  int compute_slices = 0;
  double memory_gb = 0;
};

struct GpuName {
  std::string compact;                // every word that identifies, joined: "a100sxm480gb"
  std::vector<std::string> model;     // "a100"; "rtxpro6000", "blackwell"
  std::vector<std::string> variants;  // sorted; ti, super, laptop, d, maxq: another chip, never the plain one
  std::vector<std::string> forms;     // sxm4, pcie, nvl, server: the same chip on another board
  std::string memory_type;            // "hbm3"
  std::optional<double> memory_gb;
  std::optional<MigProfile> mig;
  bool is_mig = false;        // a slice, its profile may be unknown
  bool other_vendor = false;  // AMD, Intel, ...: compute capabilities do not apply
};

GpuName read_gpu_name(std::string_view name);

}  // namespace frx::knowledge
