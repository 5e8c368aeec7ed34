#include "derive/cuda/variants.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"

namespace frx::derive::cuda {

bool is_baseline(const Program& program, const Function& kernel) {
  constexpr std::array<std::string_view, 4> words{"naive", "baseline", "basic", "reference"};
  constexpr std::size_t least_in_common = 4;  // letters of the names
  const std::string name = to_lower(kernel.name);
  for (const std::string_view word : words) {
    const std::size_t at = name.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view before = kernel.name.substr(0, at), behind = kernel.name.substr(at + word.size());
    const auto is_variant = [&](const Function& other) {
      return other.is_kernel && other.name != kernel.name && other.name.size() >= before.size() + behind.size() &&
             other.name.starts_with(before) && other.name.ends_with(behind);
    };
    if (before.size() + behind.size() >= least_in_common && std::ranges::any_of(program.functions(), is_variant)) return true;
  }
  return false;
}

}  // namespace frx::derive::cuda
