// Runs ptxas on a PTX file to learn the resources that its kernels need; the code itself is discarded.
#pragma once

#include <string>

#include "base/result.h"
#include "capture/host.h"

namespace frx::capture {

struct PtxasRun {
  std::string version;       // "13.0", or "" when it is not printed
  std::string architecture;  // "sm_90a"
  std::string log;           // the output of -v
};

// `architecture` is the target: "sm_90a". Environment: there is no ptxas; malformed: it refused the file, with its first error line.
Result<PtxasRun> run_ptxas(const std::string& ptx_file, const std::string& architecture, const Host& host);

}  // namespace frx::capture
