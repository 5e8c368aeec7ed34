// How the elements of a tensor lie in memory, from its sizes and strides: the rules of PyTorch (c10/core/Contiguity.h), for tensors as a
// trace records them.
//
// Sizes and strides are in elements, outermost dimension first. Dimensions of size 1 have no say. A tensor whose layout is contiguous and
// channels-last at once (one channel, or one pixel) is `both`, and no evidence of either.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frx::derive::layout {

using Dimensions = std::vector<std::int64_t>;
using DimensionsView = std::span<const std::int64_t>;

enum class LayoutClass : std::uint8_t {
  scalar,         // at most one element, or none
  contiguous,     // the last dimension is the fastest, nothing between elements
  channels_last,  // of 4 or 5 dimensions: as if the second were the last
  both,           // of 4 or 5 dimensions: contiguous and channels-last
  permuted,       // dense in another order of dimensions
  gapped,         // a slice: elements that do not belong to it lie between its own
  expanded,       // a dimension repeats the same elements (stride 0)
  overlapping,    // several indices share an element, but not by a stride of 0
  unknown,        // strides were not recorded, or do not fit the sizes
};
// "contiguous", "channels_last", "permuted", ...
std::string_view name_of(LayoutClass layout);

LayoutClass layout_of(DimensionsView sizes, DimensionsView strides);
bool is_contiguous(DimensionsView sizes, DimensionsView strides);
// Of 4 dimensions N, C, H, W or of 5 N, C, D, H, W; false for others.
bool is_channels_last(DimensionsView sizes, DimensionsView strides);
// Where the layout is dense, expanded or gapped: dimensions of more than one element by falling stride, [0, 2, 1, 3]; equal strides in
// their order. Dimensions of stride 0 are left out.
std::vector<std::uint32_t> physical_order(DimensionsView sizes, DimensionsView strides);
// Do both put the same elements in the same order (gaps aside)? Nothing where a layout is not known, or the sizes differ.
std::optional<bool> have_same_order(DimensionsView sizes, DimensionsView first_strides, DimensionsView second_strides);

// Strides of a dense tensor of these sizes: contiguous, channels-last (4 or 5 dimensions), or in this order of dimensions.
Dimensions contiguous_strides(DimensionsView sizes);
Dimensions channels_last_strides(DimensionsView sizes);
Dimensions strides_in_order(DimensionsView sizes, std::span<const std::uint32_t> order);

// Of all elements; 0 for a tensor with an empty dimension. As double, since a file may claim anything.
double element_count(DimensionsView sizes);
// Elements that are there: dimensions of stride 0 count once.
double distinct_elements(DimensionsView sizes, DimensionsView strides);

// What reading such a tensor once, in the order of its dimensions, takes from memory. `low`: every byte once, as with a perfect cache.
// `high`: neighbours in the fastest dimension of the reader are `stride` elements apart, so each element takes that many bytes, a sector
// (32 bytes) at most.
struct ReadTraffic {
  double low = 0, high = 0;  // bytes
};
ReadTraffic read_traffic(DimensionsView sizes, DimensionsView strides, double element_bytes);

// "[8, 64, 56, 56]"
std::string text_of(DimensionsView dimensions);

// The result of permuting dimensions one after the other: dimension i of the result is dimension composed[i] of the source.
using Permutation = std::vector<std::uint32_t>;
Permutation identity_permutation(std::size_t rank);
Permutation then(const Permutation& first, const Permutation& second);
bool is_identity(const Permutation& permutation);
// permute([0, 2, 1, 3]) with negative dimensions resolved. Nothing where it is no permutation of `rank` dimensions.
std::optional<Permutation> permutation_of(DimensionsView dimensions, std::size_t rank);
// transpose(first, second), likewise.
std::optional<Permutation> transposition(std::int64_t first, std::int64_t second, std::size_t rank);

}  // namespace frx::derive::layout
