// FullProfile documents (model/full_profile.h) that frx or cgp wrote.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/full_profile.h"

namespace frx::report {

// Whether a text that begins so is one, as far as its first bytes tell.
bool may_be_full_profile(std::string_view head);

// Reads versions 2.0 and later 2.x. A section or field that is null or absent was not collected, and what is not known is left out.
// Version 2.0 has no "unknown" within a section: its writer puts 0 where a counter was missing, so there a number of 0 counts as not
// collected. Errors are malformed and name the file and the member: "gpu_compute.ipc: expected a number, found a text".
Result<model::FullProfile> read_full_profile(std::string_view name, std::string_view json);

}  // namespace frx::report
