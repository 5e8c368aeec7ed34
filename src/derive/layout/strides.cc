#include "derive/layout/strides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace frx::derive::layout {
namespace {

constexpr std::array<std::size_t, 4> channels_last_4 = {1, 3, 2, 0};  // from the fastest dimension
constexpr std::array<std::size_t, 5> channels_last_5 = {1, 4, 3, 2, 0};

std::span<const std::size_t> channels_last_order(std::size_t rank) {
  if (rank == channels_last_4.size()) return channels_last_4;
  if (rank == channels_last_5.size()) return channels_last_5;
  return {};
}

bool fit(DimensionsView sizes, DimensionsView strides) {
  const auto is_negative = [](std::int64_t value) { return value < 0; };
  return sizes.size() == strides.size() && std::ranges::none_of(sizes, is_negative) && std::ranges::none_of(strides, is_negative);
}

// Is it dense when its dimensions are taken in this order, from the fastest?
template <typename Order>
bool is_dense_in(DimensionsView sizes, DimensionsView strides, const Order& order) {
  double expected = 1;
  for (const std::size_t dimension : order) {
    if (sizes[dimension] == 1) continue;
    if (static_cast<double>(strides[dimension]) != expected) return false;
    expected *= static_cast<double>(sizes[dimension]);
  }
  return true;
}

std::vector<std::size_t> last_to_first(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  return order;
}

// Do dimensions of a tensor that is dense in no order leave gaps, or share elements?
LayoutClass sparse_layout(DimensionsView sizes, DimensionsView strides, std::span<const std::uint32_t> order) {
  double reach = 1;  // of the faster dimensions: the distance from their first element to behind their last one
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const auto stride = static_cast<double>(strides[*at]);
    if (stride < reach) return LayoutClass::overlapping;
    reach = stride * static_cast<double>(sizes[*at] - 1) + reach;
  }
  return LayoutClass::gapped;
}

}  // namespace

std::string_view name_of(LayoutClass layout) {
  switch (layout) {
    case LayoutClass::scalar: return "scalar";
    case LayoutClass::contiguous: return "contiguous";
    case LayoutClass::channels_last: return "channels_last";
    case LayoutClass::both: return "both";
    case LayoutClass::permuted: return "permuted";
    case LayoutClass::gapped: return "gapped";
    case LayoutClass::expanded: return "expanded";
    case LayoutClass::overlapping: return "overlapping";
    case LayoutClass::unknown: break;
  }
  return "unknown";
}

bool is_contiguous(DimensionsView sizes, DimensionsView strides) {
  return fit(sizes, strides) && (element_count(sizes) == 0 || is_dense_in(sizes, strides, last_to_first(sizes.size())));
}

bool is_channels_last(DimensionsView sizes, DimensionsView strides) {
  const std::span<const std::size_t> order = channels_last_order(sizes.size());
  return !order.empty() && fit(sizes, strides) && (element_count(sizes) == 0 || is_dense_in(sizes, strides, order));
}

LayoutClass layout_of(DimensionsView sizes, DimensionsView strides) {
  if (!fit(sizes, strides)) return LayoutClass::unknown;
  if (element_count(sizes) <= 1) return LayoutClass::scalar;
  const bool contiguous = is_contiguous(sizes, strides), channels_last = is_channels_last(sizes, strides);
  if (contiguous) return channels_last ? LayoutClass::both : LayoutClass::contiguous;
  if (channels_last) return LayoutClass::channels_last;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] == 0 && sizes[i] > 1) return LayoutClass::expanded;
  }
  const std::vector<std::uint32_t> order = physical_order(sizes, strides);
  std::vector<std::size_t> rising(order.rbegin(), order.rend());
  return is_dense_in(sizes, strides, rising) ? LayoutClass::permuted : sparse_layout(sizes, strides, order);
}

std::vector<std::uint32_t> physical_order(DimensionsView sizes, DimensionsView strides) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1 && strides[i] != 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t dimension) { return strides[dimension]; });
  return order;
}

std::optional<bool> have_same_order(DimensionsView sizes, DimensionsView first_strides, DimensionsView second_strides) {
  if (!fit(sizes, first_strides) || !fit(sizes, second_strides)) return std::nullopt;
  return physical_order(sizes, first_strides) == physical_order(sizes, second_strides);
}

Dimensions strides_in_order(DimensionsView sizes, std::span<const std::uint32_t> order) {
  Dimensions strides(sizes.size(), 1);
  std::int64_t stride = 1;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    strides[*at] = stride;
    // PyTorch counts an empty dimension as one of size 1.
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(1, sizes[*at]), &stride)) stride = INT64_MAX;
  }
  return strides;
}

Dimensions contiguous_strides(DimensionsView sizes) { return strides_in_order(sizes, identity_permutation(sizes.size())); }

Dimensions channels_last_strides(DimensionsView sizes) {
  const std::span<const std::size_t> order = channels_last_order(sizes.size());
  if (order.empty()) return contiguous_strides(sizes);
  std::vector<std::uint32_t> falling(order.rbegin(), order.rend());
  return strides_in_order(sizes, falling);
}

double element_count(DimensionsView sizes) {
  double count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<double>(size);
  return count;
}

double distinct_elements(DimensionsView sizes, DimensionsView strides) {
  double count = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    if (i >= strides.size() || strides[i] != 0) count *= static_cast<double>(sizes[i]);
  }
  return count;
}

ReadTraffic read_traffic(DimensionsView sizes, DimensionsView strides, double element_bytes) {
  constexpr double sector_bytes = 32;
  const double low = distinct_elements(sizes, strides) * element_bytes;
  if (strides.size() != sizes.size()) return {low, low};
  double step = 1;  // of the fastest dimension that has more than one element
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    step = static_cast<double>(strides[i]);
    break;
  }
  if (step <= 1) return {low, low};
  return {low, element_count(sizes) * std::max(element_bytes, std::min(sector_bytes, step * element_bytes))};
}

std::string text_of(DimensionsView dimensions) { return fmt::format("[{}]", fmt::join(dimensions, ", ")); }

Permutation identity_permutation(std::size_t rank) {
  Permutation identity(rank);
  std::iota(identity.begin(), identity.end(), 0U);
  return identity;
}

Permutation then(const Permutation& first, const Permutation& second) {
  Permutation composed(second.size());
  for (std::size_t i = 0; i < second.size(); ++i) composed[i] = first[second[i]];
  return composed;
}

bool is_identity(const Permutation& permutation) { return permutation == identity_permutation(permutation.size()); }

std::optional<Permutation> permutation_of(DimensionsView dimensions, std::size_t rank) {
  if (dimensions.size() != rank) return std::nullopt;
  Permutation permutation;
  std::vector<bool> taken(rank);
  for (std::int64_t dimension : dimensions) {
    if (dimension < 0) dimension += static_cast<std::int64_t>(rank);
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank)) return std::nullopt;
    const auto at = static_cast<std::size_t>(dimension);
    if (taken[at]) return std::nullopt;
    taken[at] = true;
    permutation.push_back(static_cast<std::uint32_t>(at));
  }
  return permutation;
}

std::optional<Permutation> transposition(std::int64_t first, std::int64_t second, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (first < 0) first += size;
  if (second < 0) second += size;
  if (first < 0 || second < 0 || first >= size || second >= size) return std::nullopt;
  Permutation permutation = identity_permutation(rank);
  std::swap(permutation[static_cast<std::size_t>(first)], permutation[static_cast<std::size_t>(second)]);
  return permutation;
}

}  // namespace frx::derive::layout
