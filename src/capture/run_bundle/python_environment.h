// The versions of Python and PyTorch that the workload runs with. They are found without importing PyTorch, which would take seconds and
// memory of the GPU that is being measured.
#pragma once

#include <string>
#include <vector>

#include "capture/host.h"

namespace frx::capture {

struct PythonEnvironment {
  std::string interpreter;  // path; empty: none was found
  std::string version;      // "3.11.2"
  std::string torch;        // "2.5.1+cu124"; empty: not installed there
  std::string torch_cuda;   // the CUDA version it was built for; empty: a CPU build
  std::string trouble;      // why `torch` is empty
};

// The interpreter that `workload` names (python3.11, a script that begins with #!...python), else python3.
PythonEnvironment python_environment(const std::vector<std::string>& workload, const Host& host);

}  // namespace frx::capture
