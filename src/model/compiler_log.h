// What `ptxas -v` (nvcc -Xptxas -v) says of the kernels it compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frx::model {

// Per thread unless it says otherwise; absent: the log does not say.
struct PtxasFunction {
  std::string name;          // as linkers know it: "_Z4copyPf"
  std::string architecture;  // "sm_90"; "" for a device function
  bool is_kernel = false;
  std::optional<std::uint32_t> registers;
  std::optional<std::uint64_t> stack_bytes;
  std::optional<std::uint64_t> spill_store_bytes;
  std::optional<std::uint64_t> spill_load_bytes;
  std::optional<std::uint64_t> shared_bytes;  // per block, static
  std::optional<std::uint32_t> barriers;      // per block
};

struct CompilerLog {
  std::string name;                      // of the file
  std::vector<PtxasFunction> functions;  // in the order of the log; one entry per function and architecture
};

}  // namespace frx::model
