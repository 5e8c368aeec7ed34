// Names of regions that torch.compile made, as traces have them.
//
//   Torch-Compiled Region: 3/1      the second graph of the fourth frame (PyTorch 2.3 and later)
//   Torch-Compiled Region: 3/1_2    the same, after its compilation was begun anew twice
//   Torch-Compiled Region: !0/3/1   below compiled autograd
//   Torch-Compiled Region           PyTorch 2.1 and 2.2: without numbers
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace frx::derive::layout {

struct CompiledRegion {
  std::string_view frame;        // "3", "!0/3"; "": the name has no numbers
  std::uint32_t entry = 0;       // which of the graphs of its frame
  std::size_t end_of_frame = 0;  // of the name: behind the frame
};

// Nothing for any other name.
inline std::optional<CompiledRegion> compiled_region(std::string_view name) {
  constexpr std::string_view begin = "Torch-Compiled Region";
  if (!name.starts_with(begin)) return std::nullopt;
  CompiledRegion region;
  region.end_of_frame = begin.size();
  const std::size_t numbers = begin.size() + 2, slash = name.rfind('/');
  if (name.substr(begin.size(), 2) != ": " || slash == name.npos || slash <= numbers) return region;
  const char* const entry = name.data() + slash + 1;
  const auto [end, error] = std::from_chars(entry, name.data() + name.size(), region.entry);
  const bool is_whole = end == name.data() + name.size() || *end == '_';
  if (error != std::errc() || !is_whole) return CompiledRegion{{}, 0, begin.size()};
  region.frame = name.substr(numbers, slash - numbers);
  region.end_of_frame = slash;
  return region;
}

}  // namespace frx::derive::layout
