#include "layout/tensor.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace frx::testing::layout {
namespace {

struct ScalarFacts {
  std::int64_t bytes;
  std::string_view trace_name, kernel_name;
  int number;
};

const ScalarFacts& facts_of(Scalar type) {
  static constexpr std::array<ScalarFacts, 6> facts = {{{2, "c10::Half", "c10::Half", 5},
                                                        {2, "c10::BFloat16", "c10::BFloat16", 15},
                                                        {4, "float", "float", 6},
                                                        {8, "double", "double", 7},
                                                        {8, "long int", "long", 4},
                                                        {1, "bool", "bool", 11}}};
  return facts[static_cast<std::size_t>(type)];
}

std::size_t dimension_of(const Tensor& tensor, std::int64_t dimension, std::int64_t extra = 0) {
  return static_cast<std::size_t>(dimension < 0 ? dimension + tensor.rank() + extra : dimension);
}

// Whether going along dimensions in this order, innermost first, goes through memory element by element.
bool runs_in_order(const Tensor& tensor, std::span<const std::size_t> order) {
  std::int64_t expected = 1;
  for (const std::size_t dimension : order) {
    if (tensor.sizes[dimension] == 1) continue;
    if (tensor.strides[dimension] != expected) return false;
    expected *= tensor.sizes[dimension];
  }
  return true;
}

// Whether `inner` belongs inside `outer`: < 0 yes, > 0 no, 0 not decided. The first operand that has both strides decides.
int inner_first(std::span<const Tensor> operands, const Extents& sizes, std::size_t inner, std::size_t outer) {
  for (const Tensor& operand : operands) {
    const std::int64_t a = operand.strides[inner], b = operand.strides[outer];
    if (a == 0 || b == 0) continue;
    if (a != b) return a < b ? -1 : 1;
    if (sizes[inner] > sizes[outer]) return 1;
  }
  return 0;
}

// Dimensions, innermost first, as TensorIterator sorts them: by insertion, for the comparison is not an order.
std::vector<std::size_t> innermost_first(std::span<const Tensor> operands, const Extents& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t moving = i;
    for (std::size_t k = i; k-- > 0;) {
      const int verdict = inner_first(operands, sizes, order[k], order[moving]);
      if (verdict < 0) break;
      if (verdict == 0) continue;
      std::swap(order[k], order[moving]);
      moving = k;
    }
  }
  return order;
}

Extents dense_strides(const Extents& sizes, std::span<const std::size_t> order) {
  Extents strides(sizes.size());
  std::int64_t next = 1;
  for (const std::size_t dimension : order) {
    strides[dimension] = next;
    next *= std::max<std::int64_t>(sizes[dimension], 1);
  }
  return strides;
}

Extents broadcast_sizes(std::span<const Tensor> operands) {
  std::size_t rank = 0;
  for (const Tensor& operand : operands) rank = std::max(rank, operand.sizes.size());
  Extents sizes(rank, 1);
  for (const Tensor& operand : operands) {
    const std::size_t missing = rank - operand.sizes.size();
    for (std::size_t i = 0; i < operand.sizes.size(); ++i) {
      if (operand.sizes[i] != 1) sizes[missing + i] = operand.sizes[i];
    }
  }
  return sizes;
}

// Strides over `sizes`; 0 where an operand of one element is repeated.
Tensor broadcast_to(const Tensor& tensor, const Extents& sizes) {
  Tensor result = tensor;
  result.sizes = sizes;
  result.strides.assign(sizes.size(), 0);
  const std::size_t missing = sizes.size() - tensor.sizes.size();
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] == sizes[missing + i]) result.strides[missing + i] = tensor.strides[i];
  }
  return result;
}

bool all_of(std::span<const Tensor> tensors, const std::function<bool(const Tensor&)>& is_so) {
  return std::ranges::all_of(tensors, is_so);
}

}  // namespace

std::int64_t bytes_of(Scalar type) { return facts_of(type).bytes; }
std::string_view trace_name(Scalar type) { return facts_of(type).trace_name; }
std::string_view kernel_name(Scalar type) { return facts_of(type).kernel_name; }
int type_number(Scalar type) { return facts_of(type).number; }

std::int64_t elements(const Extents& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()); }
std::int64_t elements(const Tensor& tensor) { return elements(tensor.sizes); }
std::int64_t bytes(const Tensor& tensor) { return elements(tensor) * bytes_of(tensor.type); }

std::int64_t unique_bytes(const Tensor& tensor) {
  std::int64_t result = bytes_of(tensor.type);
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.strides[i] != 0) result *= tensor.sizes[i];
  }
  return result;
}

Extents contiguous_strides(const Extents& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return dense_strides(sizes, order);
}

Extents channels_last_strides(const Extents& sizes) { return dense_strides(sizes, std::array<std::size_t, 4>{1, 3, 2, 0}); }

bool is_contiguous(const Tensor& tensor) {
  std::vector<std::size_t> order(tensor.sizes.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return runs_in_order(tensor, order);
}

bool is_channels_last(const Tensor& tensor) { return tensor.rank() == 4 && runs_in_order(tensor, std::array<std::size_t, 4>{1, 3, 2, 0}); }

bool is_dense(const Tensor& tensor) {
  std::vector<std::size_t> order(tensor.sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return tensor.sizes[i] == 1; });
  std::ranges::sort(order, {}, [&](std::size_t i) { return tensor.strides[i]; });
  return runs_in_order(tensor, order);
}

bool is_expanded(const Tensor& tensor) {
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.strides[i] == 0 && tensor.sizes[i] > 1) return true;
  }
  return false;
}

Format suggested_format(const Tensor& tensor) {
  if (tensor.rank() != 4 || tensor.strides[1] == 0) return Format::contiguous;
  std::int64_t least = 0;
  for (const std::size_t dimension : {1, 3, 2, 0}) {
    if (tensor.sizes[dimension] == 0 || tensor.strides[dimension] < least) return Format::contiguous;
    // [N, 1, 1, 1] with equal strides is anything; it counts as contiguous.
    if (dimension == 0 && least == tensor.strides[1]) return Format::contiguous;
    least = tensor.strides[dimension] * std::max<std::int64_t>(tensor.sizes[dimension], 1);
  }
  return Format::channels_last;
}

Extents resolved(const Extents& sizes, std::int64_t count) {
  Extents result = sizes;
  const auto open = std::ranges::find(result, -1);
  if (open == result.end()) return result;
  *open = 1;
  *open = count / elements(result);
  return result;
}

std::optional<Tensor> viewed(const Tensor& tensor, const Extents& wanted) {
  Tensor result = tensor;
  result.sizes = resolved(wanted, elements(tensor));
  result.strides.assign(result.sizes.size(), 1);
  // From the innermost dimension: runs of old dimensions that follow each other in memory must be made of whole new ones.
  std::size_t next = result.sizes.size();  // new dimensions from here on are placed
  for (std::size_t end = tensor.sizes.size(); end > 0;) {
    const std::int64_t stride = tensor.strides[end - 1];
    std::int64_t run = tensor.sizes[end - 1];
    std::size_t begin = end - 1;
    while (begin > 0 && (tensor.sizes[begin - 1] == 1 || tensor.strides[begin - 1] == run * stride)) run *= tensor.sizes[--begin];
    std::int64_t placed = 1;
    while (next > 0 && (placed < run || result.sizes[next - 1] == 1)) {
      result.strides[--next] = placed * stride;
      placed *= result.sizes[next];
    }
    if (placed != run) return std::nullopt;
    end = begin;
  }
  return result;
}

Tensor transposed(const Tensor& tensor, std::int64_t one, std::int64_t other) {
  Tensor result = tensor;
  std::swap(result.sizes[dimension_of(tensor, one)], result.sizes[dimension_of(tensor, other)]);
  std::swap(result.strides[dimension_of(tensor, one)], result.strides[dimension_of(tensor, other)]);
  return result;
}

Tensor permuted(const Tensor& tensor, const Extents& order) {
  Tensor result = tensor;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.sizes[i] = tensor.sizes[dimension_of(tensor, order[i])];
    result.strides[i] = tensor.strides[dimension_of(tensor, order[i])];
  }
  return result;
}

Tensor expanded(const Tensor& tensor, const Extents& wanted) {
  Extents sizes = wanted;
  const std::size_t missing = sizes.size() - tensor.sizes.size();
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (sizes[missing + i] == -1) sizes[missing + i] = tensor.sizes[i];
  }
  return broadcast_to(tensor, sizes);
}

Tensor selected(const Tensor& tensor, std::int64_t dimension) {
  Tensor result = tensor;
  const auto at = static_cast<std::ptrdiff_t>(dimension_of(tensor, dimension));
  result.sizes.erase(result.sizes.begin() + at);
  result.strides.erase(result.strides.begin() + at);
  result.is_padded |= tensor.sizes[static_cast<std::size_t>(at)] > 1;
  return result;
}

Tensor sliced(const Tensor& tensor, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t step) {
  Tensor result = tensor;
  const std::size_t at = dimension_of(tensor, dimension);
  result.sizes[at] = (std::min(end, tensor.sizes[at]) - begin + step - 1) / step;
  result.strides[at] *= step;
  result.is_padded |= result.sizes[at] < tensor.sizes[at];
  return result;
}

Tensor unsqueezed(const Tensor& tensor, std::int64_t dimension) {
  Tensor result = tensor;
  const std::size_t at = dimension_of(tensor, dimension, 1);
  const std::int64_t stride = at < tensor.sizes.size() ? tensor.sizes[at] * tensor.strides[at] : 1;
  result.sizes.insert(result.sizes.begin() + static_cast<std::ptrdiff_t>(at), 1);
  result.strides.insert(result.strides.begin() + static_cast<std::ptrdiff_t>(at), stride);
  return result;
}

Tensor squeezed(const Tensor& tensor, std::int64_t dimension) {
  return tensor.sizes[dimension_of(tensor, dimension)] == 1 ? selected(tensor, dimension) : tensor;
}

Tensor empty_like(const Tensor& like, Scalar type, Format format) {
  Tensor result = like;
  result.type = type;
  result.is_padded = false;
  if (format == Format::contiguous) result.strides = contiguous_strides(like.sizes);
  if (format == Format::channels_last) result.strides = channels_last_strides(like.sizes);
  if (format == Format::preserve && !is_dense(like)) {
    result.strides = dense_strides(like.sizes, innermost_first(std::array{like}, like.sizes));
  }
  return result;
}

Tensor elementwise_result(std::span<const Tensor> operands, Scalar type) {
  Tensor result = operands.front();
  result.type = type;
  result.is_padded = false;
  result.sizes = broadcast_sizes(operands);
  for (const Tensor& operand : operands) {
    result.is_unstable |= operand.is_unstable;
    result.needs_grad |= operand.needs_grad;
  }
  const bool is_same_shape = all_of(operands, [&](const Tensor& one) { return one.sizes == result.sizes; });
  if (is_same_shape && all_of(operands, is_contiguous)) {
    result.strides = contiguous_strides(result.sizes);
  } else if (is_same_shape && all_of(operands, is_channels_last)) {
    result.strides = channels_last_strides(result.sizes);
  } else if (is_same_shape &&
             all_of(operands, [&](const Tensor& one) { return is_dense(one) && one.strides == operands.front().strides; })) {
    result.strides = operands.front().strides;
  } else {
    std::vector<Tensor> spread;
    for (const Tensor& operand : operands) spread.push_back(broadcast_to(operand, result.sizes));
    result.strides = dense_strides(result.sizes, innermost_first(spread, result.sizes));
  }
  return result;
}

bool is_one_run(std::span<const Tensor> tensors) {
  const Extents sizes = broadcast_sizes(tensors);
  if (elements(sizes) == 1) return true;
  std::vector<Tensor> spread;
  for (const Tensor& tensor : tensors) spread.push_back(broadcast_to(tensor, sizes));
  std::vector<std::size_t> order = innermost_first(spread, sizes);
  return all_of(spread, [&](const Tensor& tensor) { return runs_in_order(tensor, order); });
}

}  // namespace frx::testing::layout
