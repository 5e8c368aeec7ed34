// Shapes of the inputs of operators, as texts that a timeline keeps: what is too long, or one too many, is kept as a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/timeline.h"

namespace frx::ingest {

inline constexpr std::size_t longest_shapes = 256;
inline constexpr std::size_t longest_arguments = std::size_t{1} << 16;                // where the arguments of every operator are kept
inline constexpr std::size_t most_shapes = (std::size_t{16} << 20) / longest_shapes;  // at most 16 MiB of text

// The number of the shapes in Timeline::shapes_of. The same text always gives the same number: a text that did not fit at first never will.
inline std::uint32_t number_of_shapes(model::Timeline& timeline, std::string_view dims) {
  if (dims.size() > longest_shapes) return model::Timeline::hashed_shapes(dims);
  const std::uint32_t known = timeline.shapes.find(dims);
  if (known != model::Timeline::no_id) return known;
  return timeline.shapes.size() < most_shapes ? timeline.shapes.add(dims) : model::Timeline::hashed_shapes(dims);
}

}  // namespace frx::ingest
