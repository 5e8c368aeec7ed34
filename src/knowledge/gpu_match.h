// Identifies the GPU from the user's name for it, from the device facts of a profile, or both.
//
// There is no default GPU. The answer says how sure it is and why, and an unknown GPU has no peaks:
// whatever needs one is withheld and the report says so. Where a name in a file and the attributes beside it disagree, the
// attributes are believed, because they come from the driver. What a user names is another matter: derive/device.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/gpu_names.h"
#include "knowledge/gpus.h"

namespace frx::knowledge {

// The known facts of the device; all of them are optional.
struct GpuQuery {
  std::optional<std::string> name;  // "NVIDIA A100-SXM4-80GB", "rtx4090", "sm_90"
  std::optional<model::ComputeCapability> cc;
  std::optional<int> sm_count;
  std::optional<double> memory_gb;  // bytes / 1e9 or / 2^30: both are recognised
};

enum class Certainty {
  exact,      // one product, and everything that is known agrees with it
  family,     // limits are certain; the product is assumed (see explanation) or absent
  ambiguous,  // several products fit; see candidates
  unknown,    // nothing fits
};

struct GpuMatch {
  const GpuProduct* product = nullptr;
  const SmLimits* limits = nullptr;
  std::vector<const GpuProduct*> candidates;  // the products that fit, when there is more than one
  std::string explanation;                    // one or two sentences for the report
  Certainty certainty = Certainty::unknown;
  bool is_mig = false;  // a slice: the product's peaks are those of the whole GPU
  std::optional<MigProfile> mig;
  bool conflict = false;  // name and device disagree; the device was used
};

// Whether two products have the same peaks, SMs and clocks: either may stand for the other.
bool have_same_peaks(const GpuProduct& a, const GpuProduct& b);
// The product, unless the name fits several that differ and it is only the likeliest of them.
const GpuProduct* certain_product(const GpuMatch& match);

// Which product was taken where the name fits several, and which others there are; "" where nothing was assumed.
std::string assumption_of(const GpuMatch& match);

GpuMatch match_gpu(const GpuCatalogue& catalogue, const GpuQuery& query);
// What --gpu-model names, by the name alone. A usage error when nothing is known by it (docs/contract.md, section 6.1).
Result<GpuMatch> match_option(const GpuCatalogue& catalogue, const std::string& gpu_model);

}  // namespace frx::knowledge
