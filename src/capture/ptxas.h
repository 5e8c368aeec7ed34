// Runs ptxas on a PTX file to learn what it makes of it; the code itself is thrown away.
#pragma once

#include <string>

#include "base/result.h"
#include "capture/host.h"

namespace frx::capture {

struct PtxasRun {
  std::string version;       // "13.0", or "" when it does not say
  std::string architecture;  // "sm_90a"
  std::string log;           // what -v printed
};

// `architecture` is what to compile for: "sm_90a". Environment: there is no ptxas; malformed: it refused the
// file, with its first words.
Result<PtxasRun> run_ptxas(const std::string& ptx_file, const std::string& architecture, const Host& host);

}  // namespace frx::capture
