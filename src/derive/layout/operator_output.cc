#include "derive/layout/operator_output.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "derive/layout/recorded_values.h"

namespace frx::derive::layout {
namespace {

using Output = std::optional<OperatorOutput>;

// ---- Elementwise work ----

bool grow_to(Dimensions& sizes, const Dimensions& by) {
  if (by.size() > sizes.size()) sizes.insert(sizes.begin(), by.size() - sizes.size(), 1);
  for (std::size_t i = 0; i < by.size(); ++i) {
    std::int64_t& size = sizes[sizes.size() - 1 - i];
    const std::int64_t other = by[by.size() - 1 - i];
    if (size == other || other == 1) continue;
    if (size != 1) return false;
    size = other;
  }
  return true;
}

// Tensors without dimensions take part as numbers do: they do not decide the type.
std::string_view widest_type(const RecordedInputs& inputs) {
  std::string_view widest, of_scalar;
  for (const RecordedInput& input : inputs.inputs) {
    for (const RecordedTensor& tensor : input.tensors) {
      std::string_view& known = tensor.shape.empty() ? of_scalar : widest;
      if (known.empty() || element_bytes(tensor.type) > element_bytes(known)) known = tensor.type;
    }
  }
  return widest.empty() ? of_scalar : widest;
}

bool gives_truths(std::string_view plain) {
  constexpr std::array<std::string_view, 16> names = {"eq",         "ne",          "gt",      "lt",   "ge",       "le",
                                                      "isnan",      "isinf",       "greater", "less", "isfinite", "logical_and",
                                                      "logical_or", "logical_not", "all",     "any"};
  return std::ranges::find(names, plain) != names.end();
}

Output elementwise_output(std::string_view plain, const RecordedInputs& inputs) {
  const RecordedTensor* const first = tensor_at(inputs, 0);
  if (plain.ends_with('_')) return first ? Output({first->shape, first->type}) : std::nullopt;
  std::optional<Dimensions> sizes = broadcast_sizes(inputs);
  if (!sizes) return std::nullopt;
  if (gives_truths(plain)) return OperatorOutput{std::move(*sizes), "bool"};
  return OperatorOutput{std::move(*sizes), widest_type(inputs)};
}

Output like_input(const RecordedInputs& inputs, std::size_t index) {
  const RecordedTensor* const tensor = tensor_at(inputs, index);
  return tensor ? Output({tensor->shape, tensor->type}) : std::nullopt;
}

// ---- Products of matrices ----

// [.., m, k] times [.., k, n], with the dimensions before them broadcast, as torch.matmul does it.
std::optional<Dimensions> product_sizes(Dimensions a, Dimensions b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const bool is_row = a.size() == 1, is_column = b.size() == 1;
  if (is_row) a.insert(a.begin(), 1);
  if (is_column) b.push_back(1);
  if (a.back() != b[b.size() - 2]) return std::nullopt;
  const std::int64_t rows = a[a.size() - 2], columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  if (!grow_to(a, b)) return std::nullopt;
  if (!is_row) a.push_back(rows);
  if (!is_column) a.push_back(columns);
  return a;
}

Output gemm_output(std::string_view plain, const RecordedInputs& inputs) {
  const std::size_t first = plain.starts_with("add") || plain.starts_with("badd") || plain.starts_with("_addmm") ? 1 : 0;
  const RecordedTensor *const a = tensor_at(inputs, first), *const b = tensor_at(inputs, first + 1);
  if (!a || !b) return std::nullopt;
  Dimensions right = b->shape;
  if (plain == "linear" && right.size() == 2) std::swap(right[0], right[1]);
  std::optional<Dimensions> sizes = product_sizes(a->shape, std::move(right));
  if (!sizes) return std::nullopt;
  if (plain == "addbmm" && !sizes->empty()) sizes->erase(sizes->begin());
  if (plain == "_int_mm") return OperatorOutput{std::move(*sizes), "int32"};
  const bool is_scaled = plain == "_scaled_mm" && element_bytes(a->type) == 1;  // of 8 bits, into 16
  return OperatorOutput{std::move(*sizes), is_scaled ? std::string_view("bfloat16") : a->type};
}

// ---- Convolutions and pools ----

// Where an operator keeps its settings; -1: it has none.
struct ConvolutionPlaces {
  std::string_view name;
  int stride, padding, dilation, groups, transposed = -1, output_padding = -1;
};

constexpr ConvolutionPlaces convolution_places[] = {
    {"convolution", 3, 4, 5, 8, 6, 7},
    {"_convolution", 3, 4, 5, 8, 6, 7},
    {"convolution_overrideable", 3, 4, 5, 8, 6, 7},
    {"conv1d", 3, 4, 5, 6},
    {"conv2d", 3, 4, 5, 6},
    {"conv3d", 3, 4, 5, 6},
    {"cudnn_convolution", 3, 2, 4, 5},
    {"cudnn_convolution_transpose", 4, 2, 5, 6, -1, 3},
    {"cudnn_convolution_relu", 3, 4, 5, 6},
    {"cudnn_convolution_add_relu", 5, 6, 7, 8},
    {"miopen_convolution", 4, 3, 5, 6},
    {"miopen_depthwise_convolution", 4, 3, 5, 6},
    {"mkldnn_convolution", 4, 3, 5, 6},
    {"_conv_depthwise2d", 4, 5, 6, -1},
    {"conv_depthwise3d", 4, 5, 6, -1},
    {"thnn_conv2d", 4, 5, -1, -1},
    {"_slow_conv2d_forward", 4, 5, -1, -1},
};

// How far a window reaches, and how it moves, in one dimension.
struct Window {
  std::int64_t size = 1, stride = 1, padding = 0, dilation = 1;
};

std::optional<std::int64_t> positions(std::int64_t size, const Window& window, bool rounds_up) {
  // As double: a file may claim anything.
  const double reach = static_cast<double>(window.dilation) * static_cast<double>(window.size - 1) + 1;
  const double last_start = static_cast<double>(size) + 2.0 * static_cast<double>(window.padding) - reach;
  if (window.stride <= 0 || window.size <= 0 || last_start < 0) return std::nullopt;
  const auto stride = static_cast<double>(window.stride);
  double steps = rounds_up ? std::ceil(last_start / stride) : std::floor(last_start / stride);
  // A window that would begin in the padding behind the tensor is left out.
  if (rounds_up && steps * stride >= static_cast<double>(size) + static_cast<double>(window.padding)) steps -= 1;
  return steps < 9e15 ? std::optional(static_cast<std::int64_t>(steps) + 1) : std::nullopt;
}

std::optional<Dimensions> setting(const RecordedInputs& inputs, int place, std::size_t count, std::int64_t otherwise) {
  if (place < 0) return Dimensions(count, otherwise);
  return integers_of_each(inputs, static_cast<std::size_t>(place), count);
}

struct ConvolutionSettings {
  Dimensions stride, padding, dilation, output_padding;
  std::int64_t groups = 1;
  bool is_transposed = false;
};

std::optional<ConvolutionSettings> settings_of(const ConvolutionPlaces& at, const RecordedInputs& inputs, std::size_t count) {
  const auto stride = setting(inputs, at.stride, count, 1), padding = setting(inputs, at.padding, count, 0),
             dilation = setting(inputs, at.dilation, count, 1), output_padding = setting(inputs, at.output_padding, count, 0);
  if (!stride || !padding || !dilation || !output_padding) return std::nullopt;
  ConvolutionSettings settings{*stride, *padding, *dilation, *output_padding};
  if (at.groups >= 0) settings.groups = integer_at(inputs, static_cast<std::size_t>(at.groups)).value_or(1);
  settings.is_transposed = at.name == "cudnn_convolution_transpose" ||
                           (at.transposed >= 0 && truth_at(inputs, static_cast<std::size_t>(at.transposed)).value_or(false));
  return settings;
}

// Of input [N, C, ..] and weight [K, C / groups, ..].
std::optional<Dimensions> convolved_sizes(const Dimensions& input, const Dimensions& weight, const ConvolutionSettings& settings) {
  Dimensions sizes = {input[0], weight[0]};
  for (std::size_t i = 2; i < input.size(); ++i) {
    const auto size = positions(input[i], {weight[i], settings.stride[i - 2], settings.padding[i - 2], settings.dilation[i - 2]}, false);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

// Of input [N, C, ..] and weight [C, K / groups, ..].
std::optional<Dimensions> transposed_sizes(const Dimensions& input, const Dimensions& weight, const ConvolutionSettings& settings) {
  constexpr double most = 9e15;
  Dimensions sizes = {input[0], 0};
  if (__builtin_mul_overflow(weight[1], settings.groups, &sizes[1])) return std::nullopt;
  for (std::size_t i = 2; i < input.size(); ++i) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    const double size = (number(input[i]) - 1) * number(settings.stride[i - 2]) - 2 * number(settings.padding[i - 2]) +
                        number(settings.dilation[i - 2]) * (number(weight[i]) - 1) + number(settings.output_padding[i - 2]) + 1;
    if (size < 1 || size > most) return std::nullopt;
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  return sizes;
}

Output convolution_output(std::string_view plain, const RecordedInputs& inputs) {
  const auto* const at = std::ranges::find(convolution_places, plain, &ConvolutionPlaces::name);
  const RecordedTensor *const input = tensor_at(inputs, 0), *const weight = tensor_at(inputs, 1);
  if (at == std::end(convolution_places) || !input || !weight) return std::nullopt;
  if (input->shape.size() < 3 || weight->shape.size() != input->shape.size()) return std::nullopt;
  const auto settings = settings_of(*at, inputs, input->shape.size() - 2);
  if (!settings) return std::nullopt;
  auto sizes = settings->is_transposed ? transposed_sizes(input->shape, weight->shape, *settings)
                                       : convolved_sizes(input->shape, weight->shape, *settings);
  return sizes ? Output({std::move(*sizes), input->type}) : std::nullopt;
}

// How many of the last dimensions a pool works on: 2 of "avg_pool2d".
std::size_t pooled_dimensions(std::string_view plain) {
  for (const auto& [mark, count] : {std::pair("1d", 1), std::pair("2d", 2), std::pair("3d", 3)}) {
    if (plain.find(mark) != plain.npos) return static_cast<std::size_t>(count);
  }
  return 0;
}

Output with_last_dimensions(const RecordedTensor& input, std::optional<Dimensions> last) {
  if (!last || last->empty() || last->size() > input.shape.size()) return std::nullopt;
  Dimensions sizes = input.shape;
  std::ranges::copy(*last, sizes.end() - static_cast<std::ptrdiff_t>(last->size()));
  return OperatorOutput{std::move(sizes), input.type};
}

// max_pool2d(self, kernel, stride, padding, dilation, ceil_mode), avg_pool2d(self, kernel, stride, padding, ceil_mode, ..): without a
// stride, windows do not overlap.
Output pooling_output(std::string_view plain, const RecordedInputs& inputs) {
  const RecordedTensor* const input = tensor_at(inputs, 0);
  const std::size_t count = pooled_dimensions(plain);
  if (!input || count == 0 || input->shape.size() < count) return std::nullopt;
  if (plain.find("adaptive") != plain.npos) return with_last_dimensions(*input, integers_of_each(inputs, 1, count));
  const bool is_maximum = plain.find("max") != plain.npos;
  const auto kernel = integers_of_each(inputs, 1, count), padding = integers_of_each(inputs, 3, count);
  const auto dilation = is_maximum ? integers_of_each(inputs, 4, count) : Dimensions(count, 1);
  auto stride = integers_of_each(inputs, 2, count);
  if (!stride && integers_at(inputs, 2).value_or(Dimensions()).empty()) stride = kernel;
  if (!kernel || !stride || !padding || !dilation) return std::nullopt;
  const bool rounds_up = truth_at(inputs, is_maximum ? 5 : 4).value_or(false);
  Dimensions last;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t size = input->shape[input->shape.size() - count + i];
    const auto one = positions(size, {(*kernel)[i], (*stride)[i], (*padding)[i], (*dilation)[i]}, rounds_up);
    if (!one) return std::nullopt;
    last.push_back(*one);
  }
  return with_last_dimensions(*input, last);
}

// upsample_nearest2d(self, output_size, ..); its gradient (grad_output, output_size, input_size, ..), all of it.
Output resampling_output(std::string_view plain, const RecordedInputs& inputs) {
  const RecordedTensor* const input = tensor_at(inputs, 0);
  if (!input) return std::nullopt;
  return with_last_dimensions(*input, integers_at(inputs, plain.ends_with("backward") ? 2 : 1));
}

// ---- Reductions, embeddings, lists ----

// Where the dimensions stand: sum(self, dim, keepdim), norm(self, p, dim, keepdim).
std::size_t place_of_dimensions(std::string_view plain) { return plain.ends_with("norm") ? 2 : 1; }

Output reduction_output(std::string_view plain, const RecordedInputs& inputs) {
  const RecordedTensor* const input = tensor_at(inputs, 0);
  if (!input || plain == "_unique2") return std::nullopt;
  if ((plain == "max" || plain == "min") && tensor_at(inputs, 1)) return elementwise_output(plain, inputs);
  const bool counts = plain.starts_with("arg") || plain == "count_nonzero";
  const std::string_view type = gives_truths(plain) ? "bool" : counts ? "int64" : input->type;
  const std::size_t place = place_of_dimensions(plain);
  const std::optional<Dimensions> dimensions = integers_at(inputs, place);
  // sum(self, dtype) has a value there that is no list of dimensions, but then only two inputs.
  const bool takes_all = is_absent(inputs, place) || (dimensions && dimensions->empty()) || inputs.inputs.size() <= 2;
  if (takes_all && (inputs.has_values || inputs.inputs.size() == 1)) return OperatorOutput{{}, type};
  if (!dimensions) return std::nullopt;
  const bool is_variance = plain.starts_with("var") || plain.starts_with("std");  // the correction stands between
  const bool keeps = truth_at(inputs, place + (is_variance ? 2 : 1)).value_or(false);
  std::vector<bool> reduced(input->shape.size());
  for (const std::int64_t dimension : *dimensions) {
    const auto at = resolved_dimension(dimension, reduced.size());
    if (!at) return std::nullopt;
    reduced[*at] = true;
  }
  Dimensions sizes;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i] || keeps) sizes.push_back(reduced[i] ? 1 : input->shape[i]);
  }
  return OperatorOutput{std::move(sizes), type};
}

Output embedding_output(const RecordedInputs& inputs) {
  const RecordedTensor *const table = tensor_at(inputs, 0), *const indices = tensor_at(inputs, 1);
  if (!table || !indices || table->shape.size() != 2) return std::nullopt;
  Dimensions sizes = indices->shape;
  sizes.push_back(table->shape[1]);
  return OperatorOutput{std::move(sizes), table->type};
}

// embedding_dense_backward(grad_output, indices, num_weights, ..)
Output embedding_gradient_output(const RecordedInputs& inputs) {
  const RecordedTensor* const gradient = tensor_at(inputs, 0);
  const std::optional<std::int64_t> rows = integer_at(inputs, 2);
  if (!gradient || gradient->shape.empty() || !rows) return std::nullopt;
  return OperatorOutput{{*rows, gradient->shape.back()}, gradient->type};
}

// gather(self, dim, index), index_select(self, dim, index), masked_select(self, mask): as many as are true, which is not known.
Output gathering_output(std::string_view plain, const RecordedInputs& inputs) {
  const RecordedTensor *const source = tensor_at(inputs, 0), *const index = tensor_at(inputs, 2);
  if (!source) return std::nullopt;
  if (plain == "gather" && index) return OperatorOutput{index->shape, source->type};
  if (plain == "take" && tensor_at(inputs, 1)) return OperatorOutput{tensor_at(inputs, 1)->shape, source->type};
  if (plain.starts_with("nll_loss")) return OperatorOutput{{}, source->type};
  const std::optional<std::int64_t> dimension = integer_at(inputs, 1);
  if (plain != "index_select" || !index || !dimension) return std::nullopt;
  const auto at = resolved_dimension(*dimension, source->shape.size());
  if (!at || index->shape.size() > 1) return std::nullopt;
  Dimensions sizes = source->shape;
  sizes[*at] = index->shape.empty() ? 1 : index->shape[0];
  return OperatorOutput{std::move(sizes), source->type};
}

Output concatenation_output(std::string_view plain, const RecordedInputs& inputs) {
  if (inputs.inputs.empty() || inputs.inputs[0].kind != RecordedInput::Kind::tensors) return std::nullopt;
  const std::vector<RecordedTensor>& parts = inputs.inputs[0].tensors;
  const bool is_new = plain.find("stack") != plain.npos;
  const std::int64_t dimension = plain == "hstack" ? 1 : integer_at(inputs, 1).value_or(0);
  Dimensions sizes = parts.front().shape;
  const auto at = resolved_dimension(dimension, sizes.size() + (is_new ? 1 : 0));
  if (!at) return std::nullopt;
  if (is_new) {
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*at), static_cast<std::int64_t>(parts.size()));
    return OperatorOutput{std::move(sizes), parts.front().type};
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].shape.size() != sizes.size() || __builtin_add_overflow(sizes[*at], parts[i].shape[*at], &sizes[*at])) return std::nullopt;
  }
  return OperatorOutput{std::move(sizes), widest_type(inputs)};
}

Output attention_output(const RecordedInputs& inputs) {
  const RecordedTensor *const query = tensor_at(inputs, 0), *const value = tensor_at(inputs, 2);
  if (!query || !value || query->shape.empty() || value->shape.size() != query->shape.size()) return std::nullopt;
  Dimensions sizes = query->shape;
  sizes.back() = value->shape.back();
  return OperatorOutput{std::move(sizes), query->type};
}

// native_layer_norm and its kind give what their first tensor is; softmax(self, dim, half_to_float) may widen it.
Output softmax_output(const RecordedInputs& inputs) {
  Output output = like_input(inputs, 0);
  if (output && truth_at(inputs, 2).value_or(false)) output->type = "float32";
  return output;
}

Output copying_output(std::string_view plain, const RecordedInputs& inputs) {
  if (plain.find("reshape") != plain.npos || plain == "flatten" || plain == "ravel") return std::nullopt;
  Output output = like_input(inputs, 0);
  if (!output || plain != "repeat") return output;
  const std::optional<Dimensions> times = integers_at(inputs, 1);
  if (!times || times->size() < output->sizes.size()) return std::nullopt;
  output->sizes.insert(output->sizes.begin(), times->size() - output->sizes.size(), 1);
  for (std::size_t i = 0; i < times->size(); ++i) {
    if (__builtin_mul_overflow(output->sizes[i], (*times)[i], &output->sizes[i])) return std::nullopt;
  }
  return output;
}

}  // namespace

std::optional<Dimensions> broadcast_sizes(const RecordedInputs& inputs) {
  Dimensions sizes;
  bool any = false;
  for (const RecordedInput& input : inputs.inputs) {
    if (input.kind != RecordedInput::Kind::tensor) continue;
    any = true;
    if (!grow_to(sizes, input.tensors.front().shape)) return std::nullopt;
  }
  return any ? std::optional(std::move(sizes)) : std::nullopt;
}

namespace {

Output output_by_family(std::string_view operator_name, const RecordedInputs& inputs) {
  const std::string_view plain = plain_name(operator_name);
  switch (family_of(operator_name)) {
    case OperatorFamily::elementwise: return elementwise_output(plain, inputs);
    case OperatorFamily::copying: return copying_output(plain, inputs);
    case OperatorFamily::filling:
    case OperatorFamily::normalisation:
    case OperatorFamily::scan:
    case OperatorFamily::scattering: return like_input(inputs, 0);
    case OperatorFamily::softmax: return softmax_output(inputs);
    case OperatorFamily::reduction: return reduction_output(plain, inputs);
    case OperatorFamily::pooling: return pooling_output(plain, inputs);
    case OperatorFamily::resampling: return resampling_output(plain, inputs);
    case OperatorFamily::gradient_of_input:
    case OperatorFamily::convolution_gradient:
    case OperatorFamily::attention_gradient: return like_input(inputs, 1);
    case OperatorFamily::embedding: return embedding_output(inputs);
    case OperatorFamily::embedding_gradient: return embedding_gradient_output(inputs);
    case OperatorFamily::gathering: return gathering_output(plain, inputs);
    case OperatorFamily::gemm: return gemm_output(plain, inputs);
    case OperatorFamily::convolution: return convolution_output(plain, inputs);
    case OperatorFamily::attention: return attention_output(inputs);
    case OperatorFamily::concatenation: return concatenation_output(plain, inputs);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<OperatorOutput> output_of(std::string_view operator_name, const RecordedInputs& inputs) {
  Output output = output_by_family(operator_name, inputs);
  // Values of a file may be anything.
  const bool is_possible = output && std::ranges::none_of(output->sizes, [](std::int64_t size) { return size < 0; });
  return is_possible ? output : std::nullopt;
}

}  // namespace frx::derive::layout
