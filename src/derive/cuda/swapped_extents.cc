#include "derive/cuda/swapped_extents.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text.h"

namespace frx::derive::cuda {
namespace {

// "threads_per_block" and "dimBlock" as threadsperblock and dimblock; "" for what is more than one name: `n / 256`, `dim3(4)`, `size[0]`.
std::string name_of_extent(std::string_view written) {
  const auto is_in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::ranges::all_of(written, is_in_name)) return {};
  std::string name = to_lower(written);
  std::erase(name, '_');
  return name;
}

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [name](std::string_view word) { return name.find(word) != name.npos; });
}

// "numblocks", "blockspergrid", "griddim"
bool counts_blocks(std::string_view name) { return has_any(name, {"grid", "numblock", "nblock", "blocknum", "blockcount"}); }

// "threads", "blocksize", "threadsperblock"
bool shapes_a_block(std::string_view name) { return has_any(name, {"thread", "blocksize", "blockdim", "dimblock", "tpb"}); }

}  // namespace

bool has_swapped_extents(const model::cuda::Launch& launch) {
  const std::string first = name_of_extent(launch.grid_expr), second = name_of_extent(launch.block_expr);
  const bool says_block = first == "block" || (shapes_a_block(first) && !counts_blocks(first));
  const bool says_grid = second == "blocks" || (counts_blocks(second) && !shapes_a_block(second));
  const model::cuda::GridRounding& rounding = launch.rounding;
  if (!says_block || !says_grid || rounding.is_up || rounding.is_up_in_y || rounding.is_down) return false;
  constexpr std::uint64_t warp_threads = 32;
  const bool has_whole_warps = launch.block && launch.block->volume() >= 2 * warp_threads && launch.block->volume() % warp_threads == 0;
  return !has_whole_warps || launch.grid;
}

}  // namespace frx::derive::cuda
