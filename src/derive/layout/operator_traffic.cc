// What one call of an operator moves and computes, family by family.

#include <algorithm>
#include <limits>

#include "derive/layout/traffic_sum.h"

namespace frx::derive::layout {
namespace {

// Operations per element of a norm, or of several pointwise operators in one: a few, which no conclusion depends on.
constexpr double few_flops = 8;

// The dimensions in the order in which elementwise kernels walk them: along the first tensor of full size.
std::optional<Order> walking_order(const RecordedInputs& inputs, const Dimensions& sizes) {
  for (const RecordedInput& input : inputs.inputs) {
    if (input.kind != RecordedInput::Kind::tensor || input.tensors.front().shape != sizes) continue;
    const std::optional<Dimensions>& strides = input.tensors.front().strides;
    return strides ? std::optional(physical_order(sizes, *strides)) : std::nullopt;
  }
  return std::nullopt;
}

// How many inputs an operator has; a tensor behind them is where the result goes (out=), and is not read.
std::size_t arity_of(std::string_view plain) {
  constexpr std::pair<std::string_view, std::size_t> arities[] = {
      {"add", 3}, {"sub", 3},     {"mul", 2},     {"div", 2}, {"clamp", 3}, {"clamp_min", 2}, {"clamp_max", 2}, {"threshold_backward", 3},
      {"pow", 2}, {"maximum", 2}, {"minimum", 2}, {"exp", 1}, {"sqrt", 1},  {"rsqrt", 1},     {"neg", 1},       {"abs", 1},
      {"log", 1}, {"tanh", 1},    {"sigmoid", 1}, {"sin", 1}, {"cos", 1},   {"reciprocal", 1}};
  const auto* const at = std::ranges::find(arities, plain, &std::pair<std::string_view, std::size_t>::first);
  return at == std::end(arities) ? std::numeric_limits<std::size_t>::max() : at->second;
}

Traffic elementwise_traffic(const RecordedCall& call, OperatorFamily family) {
  const std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  const std::optional<Order> order = output ? walking_order(*call.inputs, output->sizes) : std::nullopt;
  TrafficSum sum;
  for (std::size_t i = 0; i < std::min(call.inputs->inputs.size(), arity_of(plain_name(call.name))); ++i) {
    const RecordedInput& input = call.inputs->inputs[i];
    if (input.kind == RecordedInput::Kind::refused) sum.is_incomplete();
    for (const RecordedTensor& tensor : input.tensors) {
      const bool is_whole = output && tensor.shape == output->sizes;
      sum.read(tensor, is_whole && order ? &*order : nullptr);
    }
  }
  sum.write(output);
  if (output && plain_name(call.name) == "native_dropout") sum.write(element_count(output->sizes), "bool");
  return sum.traffic(family, output ? std::optional(element_count(output->sizes)) : std::nullopt);
}

// copy_(destination, source); another copy makes its destination.
Traffic copying_traffic(const RecordedCall& call) {
  const RecordedTensor* const first = tensor_at(*call.inputs, 0);
  TrafficSum sum;
  if (plain_name(call.name) == "copy_") {
    const RecordedTensor* const source = tensor_at(*call.inputs, 1);
    const std::optional<Order> order = first ? walking_order(*call.inputs, first->shape) : std::nullopt;
    if (!first || !source) sum.is_incomplete();
    sum.read(source, source && first && source->shape == first->shape && order ? &*order : nullptr);
    sum.write(first);
    return sum.traffic(OperatorFamily::copying, 0);
  }
  sum.read(first);
  if (plain_name(call.name) == "repeat") {
    sum.write(output_of(call.name, *call.inputs));
  } else {
    sum.write(first);  // whatever its sizes, as many elements
  }
  return sum.traffic(OperatorFamily::copying, 0);
}

// All inputs and the result; what is read may have to be read again where a row does not fit a cache.
Traffic passes_traffic(const RecordedCall& call, OperatorFamily family, double passes, double flops_per_element) {
  TrafficSum sum;
  sum.read_all(call, passes);
  sum.write(output_of(call.name, *call.inputs));
  const RecordedTensor* const first = tensor_at(*call.inputs, 0);
  return sum.traffic(family, first ? std::optional(flops_per_element * element_count(first->shape)) : std::nullopt);
}

bool gives_indices(std::string_view plain) {
  return plain.find("with_indices") != plain.npos || plain.starts_with("adaptive_max") || plain.starts_with("fractional_max");
}

Traffic pooling_traffic(const RecordedCall& call) {
  const std::string_view plain = plain_name(call.name);
  const std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  TrafficSum sum;
  sum.read_all(call);
  sum.write(output);
  if (output && gives_indices(plain)) sum.write(element_count(output->sizes), "int64");
  const RecordedTensor* const first = tensor_at(*call.inputs, 0);
  return sum.traffic(OperatorFamily::pooling, first ? std::optional(element_count(first->shape)) : std::nullopt);
}

Traffic reduction_traffic(const RecordedCall& call) {
  const std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  TrafficSum sum;
  sum.read_all(call);
  const RecordedTensor* const first = tensor_at(*call.inputs, 0);
  if (output) {
    sum.write(output);
    const std::string_view plain = plain_name(call.name);
    const bool has_dimension = call.inputs->inputs.size() > 1 && !tensor_at(*call.inputs, 1);
    if ((plain == "max" || plain == "min") && has_dimension) sum.write(element_count(output->sizes), "int64");
    if (plain == "var_mean" || plain == "std_mean" || plain == "aminmax") sum.write(output);
  } else if (first) {
    // Which dimensions are summed is not known: the result has one element, or at most all.
    sum.add_bytes(0, element_count(first->shape) * element_bytes(first->type));
  }
  return sum.traffic(OperatorFamily::reduction, first ? std::optional(element_count(first->shape)) : std::nullopt);
}

// Only the rows that are named are read.
Traffic gathering_traffic(const RecordedCall& call, OperatorFamily family) {
  const std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  TrafficSum sum;
  for (std::size_t i = 1; i < call.inputs->inputs.size(); ++i) {
    for (const RecordedTensor& tensor : call.inputs->inputs[i].tensors) sum.read(tensor);
  }
  if (output) {
    sum.write(output);
    sum.write(output);  // as many are read
  } else {
    sum.is_incomplete();
  }
  return sum.traffic(family, 0);
}

// index_put_(self, indices, values), scatter_(self, dim, index, src): what is written, and read before where it is added to. Out of place,
// all of `self` is copied first by another operator.
Traffic scattering_traffic(const RecordedCall& call) {
  TrafficSum sum;
  const RecordedTensor* last = nullptr;
  for (std::size_t i = 1; i < call.inputs->inputs.size(); ++i) {
    for (const RecordedTensor& tensor : call.inputs->inputs[i].tensors) {
      sum.read(tensor);
      last = &tensor;
    }
  }
  sum.write(last);
  return sum.traffic(OperatorFamily::scattering, 0);
}

Traffic embedding_traffic(const RecordedCall& call) {
  const std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  if (!output) return std::nullopt;
  TrafficSum sum;
  sum.read(tensor_at(*call.inputs, 1));
  sum.write(output);
  // Rows that are named several times may come from a cache.
  const RecordedTensor& table = *tensor_at(*call.inputs, 0);
  const double size = element_bytes(table.type), rows = element_count(output->sizes) * size;
  sum.add_bytes(std::min(rows, element_count(table.shape) * size), rows);
  return sum.traffic(OperatorFamily::embedding, 0);
}

Traffic concatenation_traffic(const RecordedCall& call) {
  std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  if (output && output->type.empty()) output->type = call.list_type;
  TrafficSum sum;
  sum.read_all(call);
  sum.write(output);
  return sum.traffic(OperatorFamily::concatenation, 0);
}

// Of optimizers, everything but the gradients is written again; of other operators on lists, the first list or one like it.
bool is_written(std::string_view plain, std::size_t list) {
  if (plain.starts_with("_fused_")) return list != 1;
  return list == 0 && plain != "_foreach_norm";
}

Traffic list_traffic(const RecordedCall& call) {
  const std::string_view plain = plain_name(call.name);
  const bool only_writes = plain == "_foreach_zero_", overwrites = plain == "_foreach_copy_";
  TrafficSum sum;
  double elements = 0;
  std::size_t list = 0;
  for (const RecordedInput& input : call.inputs->inputs) {
    if (input.kind != RecordedInput::Kind::tensors) continue;
    for (const RecordedTensor& of_list : input.tensors) {
      const RecordedTensor tensor = typed(call, of_list);
      if (!(list == 0 && (only_writes || overwrites))) sum.read(tensor);
      if (is_written(plain, list)) sum.write(&tensor);
      elements += list == 0 ? element_count(tensor.shape) : 0;
    }
    ++list;
  }
  if (list == 0) return std::nullopt;  // lists were not recorded
  return sum.traffic(OperatorFamily::list, elements);
}

// The sizes of the largest tensor.
std::optional<Dimensions> largest_sizes(const RecordedInputs& inputs) {
  const RecordedTensor* largest = nullptr;
  for (const RecordedInput& input : inputs.inputs) {
    for (const RecordedTensor& tensor : input.tensors) {
      if (!largest || element_count(tensor.shape) > element_count(largest->shape)) largest = &tensor;
    }
  }
  return largest ? std::optional(largest->shape) : std::nullopt;
}

// Every argument once; those that are read and written twice at most.
Traffic compiled_traffic(const RecordedCall& call) {
  TrafficSum sum;
  sum.read_all(call, 2);
  // Pointwise work, reductions and normalisations compute a few operations per element; templates of products do not say how many.
  const bool is_light = call.name.starts_with("triton_poi") || call.name.starts_with("triton_red") || call.name.starts_with("triton_per");
  const std::optional<Dimensions> sizes = is_light ? largest_sizes(*call.inputs) : std::nullopt;
  return sum.traffic(OperatorFamily::compiled, sizes ? std::optional(few_flops * element_count(*sizes)) : std::nullopt);
}

Traffic unknown_traffic(const RecordedCall& call, OperatorFamily family) {
  if (!call.name.starts_with("aten::") && role_of(call.name) != OperatorRole::collective) return std::nullopt;
  TrafficSum sum;
  sum.read_all(call);
  sum.is_incomplete();
  return sum.traffic(family, std::nullopt);
}

std::optional<OperatorTraffic> filling_traffic(const RecordedCall& call) {
  TrafficSum sum;
  sum.write(output_of(call.name, *call.inputs));
  return sum.traffic(OperatorFamily::filling, 0);
}

}  // namespace

std::optional<OperatorTraffic> traffic_of_call(const RecordedCall& call) {
  const OperatorFamily family = family_of(call.name);
  switch (family) {
    case OperatorFamily::elementwise: return elementwise_traffic(call, family);
    case OperatorFamily::filling: return filling_traffic(call);
    case OperatorFamily::copying: return copying_traffic(call);
    case OperatorFamily::normalisation: return passes_traffic(call, family, 2, few_flops);
    case OperatorFamily::softmax: return passes_traffic(call, family, 2, few_flops);
    case OperatorFamily::scan:
    case OperatorFamily::resampling:
    case OperatorFamily::gradient_of_input:
    case OperatorFamily::embedding_gradient: return passes_traffic(call, family, 1, 1);
    case OperatorFamily::pooling: return pooling_traffic(call);
    case OperatorFamily::reduction: return reduction_traffic(call);
    case OperatorFamily::embedding: return embedding_traffic(call);
    case OperatorFamily::gathering: return gathering_traffic(call, family);
    case OperatorFamily::scattering: return scattering_traffic(call);
    case OperatorFamily::gemm: return gemm_traffic(call);
    case OperatorFamily::convolution: return convolution_traffic(call);
    case OperatorFamily::convolution_gradient: return convolution_gradient_traffic(call);
    case OperatorFamily::attention:
    case OperatorFamily::attention_gradient: return attention_traffic(call, family == OperatorFamily::attention_gradient);
    case OperatorFamily::concatenation: return concatenation_traffic(call);
    case OperatorFamily::list: return list_traffic(call);
    case OperatorFamily::compiled: return compiled_traffic(call);
    case OperatorFamily::unknown: break;
  }
  return unknown_traffic(call, family);
}

}  // namespace frx::derive::layout
