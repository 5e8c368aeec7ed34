#include "derive/cuda/builtin_names.h"

#include <string>

#include "base/text.h"

namespace frx::derive::cuda {

std::optional<Op> triple_named(std::string_view name) {
  if (name == "threadIdx") return Op::thread_x;
  if (name == "blockIdx") return Op::block_x;
  if (name == "blockDim") return Op::block_dim_x;
  return name == "gridDim" ? std::optional(Op::grid_dim_x) : std::nullopt;
}

std::optional<Op> coordinate_named(std::string_view name) {
  if (!name.starts_with("hip") || name.size() < 6 || name[name.size() - 2] != '_') return std::nullopt;
  const int axis = name.back() - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  const std::string_view triple = name.substr(3, name.size() - 5);
  const std::optional<Op> first = triple == "ThreadIdx"  ? Op::thread_x
                                  : triple == "BlockIdx" ? Op::block_x
                                  : triple == "BlockDim" ? Op::block_dim_x
                                  : triple == "GridDim"  ? std::optional(Op::grid_dim_x)
                                                         : std::nullopt;
  return first ? std::optional(static_cast<Op>(static_cast<int>(*first) + axis)) : std::nullopt;
}

namespace {

// In lower case, without underscores.
std::string letters_of(std::string_view name) {
  std::string letters = to_lower(name);
  std::erase(letters, '_');
  return letters;
}

}  // namespace

bool is_warp_size(std::string_view name) { return letters_of(name).ends_with("warpsize"); }

bool is_full_mask(std::string_view name) {
  const std::string letters = letters_of(name);
  return letters.ends_with("fullmask") || letters.ends_with("fullwarpmask") || letters.ends_with("finalmask");
}

}  // namespace frx::derive::cuda
