#include "ingest/cuda/known_macros.h"

#include <algorithm>
#include <array>

namespace frx::ingest::cuda {
namespace {

// The names of those that stand for code hold one of these.
constexpr std::array<std::string_view, 2> words_of_known_macros = {"KERNEL_LOOP", "GET_THREAD_ID"};

MacroDefinition defined_as(std::string_view name, std::vector<std::string> parameters, std::string body) {
  MacroDefinition definition;
  definition.macro.name = name;
  definition.macro.parameters = std::move(parameters);
  definition.macro.body = std::move(body);
  definition.macro.is_function = true;
  definition.use = MacroUse::expand;
  return definition;
}

MacroDefinition loop_over_grid(std::string_view name, std::vector<std::string> parameters, const std::string& type) {
  return defined_as(name, std::move(parameters),
                    "for (" + type + " i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)");
}

MacroDefinition thread_id(std::string_view name) {
  return defined_as(name, {"i", "n"}, "const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= (n)) return");
}

// A word of the compiler of Windows, of which `unsigned __int16` is made.
MacroDefinition type_of_windows(std::string_view name, std::string body) {
  MacroDefinition definition;
  definition.macro.name = name;
  definition.macro.body = std::move(body);
  definition.use = MacroUse::expand;
  return definition;
}

}  // namespace

const MacroDefinition* known_macro(std::string_view name) {
  constexpr std::size_t shortest = std::string_view("GPU_KERNEL_LOOP").size();
  const auto is_in_name = [&](std::string_view word) { return name.find(word) != name.npos; };
  const bool may_be_code = name.size() >= shortest && std::ranges::any_of(words_of_known_macros, is_in_name);
  if (!may_be_code && !name.starts_with("__int")) return nullptr;
  static const std::array known{loop_over_grid("CUDA_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("CUDA_1D_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("GPU_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("HIP_1D_KERNEL_LOOP", {"i", "n"}, "int"),
                                loop_over_grid("CUDA_KERNEL_LOOP_TYPE", {"i", "n", "type"}, "type"),
                                loop_over_grid("CUDA_1D_KERNEL_LOOP_T", {"type", "i", "n"}, "type"),
                                thread_id("CUDA_GET_THREAD_ID"),
                                type_of_windows("__int8", "char"),
                                type_of_windows("__int16", "short"),
                                type_of_windows("__int32", "int"),
                                type_of_windows("__int64", "long long")};
  const auto found = std::ranges::find(known, name, [](const MacroDefinition& one) { return std::string_view(one.macro.name); });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace frx::ingest::cuda
