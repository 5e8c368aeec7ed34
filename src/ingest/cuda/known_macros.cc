#include "ingest/cuda/known_macros.h"

#include <algorithm>
#include <array>

namespace frx::ingest::cuda {
namespace {

MacroDefinition loop_over_grid(std::string_view name, std::vector<std::string> parameters, const std::string& type) {
  MacroDefinition definition;
  definition.macro.name = name;
  definition.macro.parameters = std::move(parameters);
  definition.macro.body = "for (" + type + " i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)";
  definition.macro.is_function = true;
  definition.use = MacroUse::expand;
  return definition;
}

}  // namespace

const MacroDefinition* known_macro(std::string_view name) {
  if (name.find(word_of_known_macros) == name.npos) return nullptr;
  static const std::array known{loop_over_grid("CUDA_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("CUDA_1D_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("GPU_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("HIP_1D_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("CUDA_KERNEL_LOOP_TYPE", {"i", "n", "type"}, "type"),
                                loop_over_grid("CUDA_1D_KERNEL_LOOP_T", {"type", "i", "n"}, "type")};
  const auto found = std::ranges::find(known, name, [](const MacroDefinition& one) { return std::string_view(one.macro.name); });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace frx::ingest::cuda
