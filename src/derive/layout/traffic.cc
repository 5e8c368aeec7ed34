#include "derive/layout/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "derive/layout/recorded_values.h"
#include "derive/trace/products.h"

namespace frx::derive::layout {
namespace {

using model::EventKind;
using Order = std::vector<std::uint32_t>;

// Operations per element of a norm, or of several pointwise operators in one: a few, which no conclusion depends on.
constexpr double few_flops = 8;
constexpr double no_estimate = std::numeric_limits<double>::quiet_NaN();

template <typename Values>
Dimensions in_order(const Values& values, const Order& order) {
  Dimensions ordered;
  for (const std::uint32_t dimension : order) ordered.push_back(values[dimension]);
  return ordered;
}

RecordedTensor typed(const RecordedCall& call, RecordedTensor tensor) {
  if (tensor.type.empty()) tensor.type = call.list_type;
  return tensor;
}

// Collects what an operator moves, tensor by tensor.
class TrafficSum {
 public:
  // Kernels walk a tensor along its memory, unless its neighbours lie in another order: then along that of the first whole tensor.
  void read(const RecordedTensor& tensor, const Order* reader = nullptr, double times_at_most = 1) {
    const double size = element_bytes(tensor.type);
    if (size == 0) {
      is_complete_ = false;
      return;
    }
    has_any_ = true;
    ReadTraffic one{element_count(tensor.shape) * size, element_count(tensor.shape) * size};
    if (tensor.strides) {
      const Order own = physical_order(tensor.shape, *tensor.strides);
      const Order& order = reader && reader->size() == own.size() ? *reader : own;
      one = read_traffic(in_order(tensor.shape, order), in_order(*tensor.strides, order), size);
    }
    low_ += one.low;
    high_ += one.high * times_at_most;
  }

  void read(const RecordedTensor* tensor, const Order* reader = nullptr, double times_at_most = 1) {
    if (tensor) read(*tensor, reader, times_at_most);
  }

  void read_all(const RecordedCall& call, double times_at_most = 1) {
    for (const RecordedInput& input : call.inputs->inputs) {
      is_complete_ = is_complete_ && input.kind != RecordedInput::Kind::refused;
      for (const RecordedTensor& tensor : input.tensors) read(typed(call, tensor), nullptr, times_at_most);
    }
  }

  void write(double elements, std::string_view type) {
    const double size = element_bytes(type);
    if (size == 0) is_complete_ = false;
    has_any_ = has_any_ || size > 0;
    low_ += elements * size;
    high_ += elements * size;
  }

  void write(const std::optional<OperatorOutput>& output) {
    if (output) {
      write(element_count(output->sizes), output->type);
    } else {
      is_complete_ = false;
    }
  }
  void write(const RecordedTensor* tensor) {
    if (tensor) write(element_count(tensor->shape), tensor->type);
  }
  void add_bytes(double low, double high) {
    low_ += low;
    high_ += high;
    has_any_ = true;
  }
  void is_incomplete() { is_complete_ = false; }

  std::optional<OperatorTraffic> traffic(OperatorFamily family, std::optional<double> flops) const {
    if (!has_any_) return std::nullopt;
    return OperatorTraffic{low_, std::max(low_, high_), flops, !is_complete_, family};
  }

 private:
  double low_ = 0, high_ = 0;
  bool is_complete_ = true, has_any_ = false;
};

using Traffic = std::optional<OperatorTraffic>;

// The dimensions in the order in which elementwise kernels walk them: along the first tensor of full size.
std::optional<Order> walking_order(const RecordedInputs& inputs, const Dimensions& sizes) {
  for (const RecordedInput& input : inputs.inputs) {
    if (input.kind != RecordedInput::Kind::tensor || input.tensors.front().shape != sizes) continue;
    const std::optional<Dimensions>& strides = input.tensors.front().strides;
    return strides ? std::optional(physical_order(sizes, *strides)) : std::nullopt;
  }
  return std::nullopt;
}

// ---- Families ----

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

std::optional<double> product_flops(const RecordedCall& call) {
  const std::optional<trace::ProductWork> work = trace::work_of_product({call.name, call.shapes, call.values});
  return work ? std::optional(work->flops) : std::nullopt;
}

// Of products that work_of_product does not know: each element of the result takes the inner dimension.
std::optional<double> matrix_flops(const RecordedCall& call, const OperatorOutput& output) {
  if (const std::optional<double> known = product_flops(call)) return known;
  const std::string_view plain = plain_name(call.name);
  const RecordedTensor* const a = tensor_at(*call.inputs, plain.starts_with("add") || plain.starts_with("badd") ? 1 : 0);
  if (!a || a->shape.empty() || plain == "addbmm") return std::nullopt;
  return 2 * element_count(output.sizes) * static_cast<double>(a->shape.back());
}

Traffic gemm_traffic(const RecordedCall& call) {
  const std::optional<OperatorOutput> output = output_of(call.name, *call.inputs);
  TrafficSum sum;
  sum.read_all(call);
  sum.write(output);
  return sum.traffic(OperatorFamily::gemm, output ? matrix_flops(call, *output) : std::nullopt);
}

Traffic convolution_traffic(const RecordedCall& call) {
  TrafficSum sum;
  sum.read_all(call);
  sum.write(output_of(call.name, *call.inputs));
  std::optional<double> flops = product_flops(call);
  return sum.traffic(OperatorFamily::convolution, flops);
}

// Each gradient that is asked for is made by kernels of its own: of the input from the gradient and the weight, of the weight from the
// gradient and the input.
Traffic convolution_gradient_traffic(const RecordedCall& call) {
  const std::optional<trace::ProductWork> work = trace::work_of_product({call.name, call.shapes, call.values});
  const RecordedTensor* const first = tensor_at(*call.inputs, 0);
  const double size = first ? element_bytes(first->type) : 0;
  TrafficSum sum;
  if (work && work->elements > 0 && size > 0) {
    sum.add_bytes(work->elements * size, work->elements * size);
    return sum.traffic(OperatorFamily::convolution_gradient, work->flops);
  }
  sum.read_all(call);
  sum.is_incomplete();
  return sum.traffic(OperatorFamily::convolution_gradient, std::nullopt);
}

// Where the sequence stands: [batch, heads, sequence, size] of torch.nn.functional, [batch, sequence, heads, size] of the kernels below.
std::optional<double> keys_per_query(const RecordedCall& call, const RecordedTensor& key) {
  if (key.shape.size() != 4) return std::nullopt;  // packed sequences: their lengths are not recorded
  return static_cast<double>(key.shape[call.name.find("_scaled_dot_product") != call.name.npos ? 2 : 1]);
}

// Two products forth, five back, over all pairs of query and key; a causal mask may halve them.
Traffic attention_traffic(const RecordedCall& call, bool is_gradient) {
  const std::size_t query_at = is_gradient ? 1 : 0;
  const RecordedTensor *const query = tensor_at(*call.inputs, query_at), *const key = tensor_at(*call.inputs, query_at + 1);
  TrafficSum sum;
  sum.read_all(call);
  if (is_gradient) {
    for (std::size_t i = 1; i <= 3; ++i) sum.write(tensor_at(*call.inputs, i));
  } else {
    sum.write(output_of(call.name, *call.inputs));
  }
  std::optional<double> flops;
  const std::optional<double> keys = key ? keys_per_query(call, *key) : std::nullopt;
  if (query && keys) flops = (is_gradient ? 10 : 4) * element_count(query->shape) * *keys;
  return sum.traffic(is_gradient ? OperatorFamily::attention_gradient : OperatorFamily::attention, flops);
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

// ---- The work of a trace ----

bool has_untyped_list(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  if (!inputs || trace.own_work(node).empty()) return false;
  return std::ranges::any_of(inputs->inputs, [](const RecordedInput& input) {
    return input.kind == RecordedInput::Kind::tensors && input.tensors.front().type.empty();
  });
}

std::uint32_t first_event(const LayoutTrace& trace, std::uint32_t node) {
  return trace.attribution().work[trace.own_work(node).front()].event;
}

// Calls of equal traffic.
struct CallKey {
  std::uint32_t name, signature, list_kernel;  // the kernel by its name
  friend bool operator==(const CallKey&, const CallKey&) = default;
};
struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    const std::uint64_t both = std::uint64_t{key.name} << 32U | key.signature;
    return (both ^ (std::uint64_t{key.list_kernel} * 0x9E3779B97F4A7C15U)) * 0xBF58476D1CE4E5B9U >> 7U;
  }
};

class WorkEstimator {
 public:
  WorkEstimator(const LayoutTrace& trace, std::span<const std::uint32_t> elsewhere) : trace_(trace) {
    const std::size_t count = trace.attribution().work.size();
    is_elsewhere_.assign(count, false);
    for (const std::uint32_t work : elsewhere) is_elsewhere_[work] = true;
    traffic_.bytes.assign(count, no_estimate);
    traffic_.flops.assign(count, no_estimate);
    traffic_.is_lower_bound.assign(count, false);
  }

  WorkTraffic estimate() {
    add_copies();
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      if (!trace_.own_work(node).empty()) add_operator(node);
    }
    return std::move(traffic_);
  }

 private:
  EventKind kind(std::uint32_t work) const { return trace_.timeline().kind[trace_.attribution().work[work].event]; }
  bool takes_share(std::uint32_t work) const { return kind(work) == EventKind::kernel && !is_elsewhere_[work]; }

  // Copies within the device read and write; others, and fills, touch its memory once.
  void add_copies() {
    const model::Timeline& timeline = trace_.timeline();
    for (std::uint32_t work = 0; work < traffic_.bytes.size(); ++work) {
      if (is_elsewhere_[work] || (kind(work) != EventKind::memcpy && kind(work) != EventKind::memset)) continue;
      const std::uint32_t row = trace_.attribution().work[work].event;
      const auto at = std::ranges::lower_bound(timeline.copy_events, row);
      if (at == timeline.copy_events.end() || *at != row) continue;
      const auto bytes = static_cast<double>(timeline.copy_bytes[static_cast<std::size_t>(at - timeline.copy_events.begin())]);
      const std::string_view name = trace_.kernel_name(work);
      const bool is_within = name.find("DtoD") != name.npos || name.find("Device -> Device") != name.npos;
      traffic_.bytes[work] = is_within ? 2 * bytes : bytes;
      traffic_.flops[work] = 0;
    }
  }

  void add_operator(std::uint32_t node) {
    const Traffic* const traffic = traffic_of_kind(node);
    if (!traffic || !*traffic) return;
    double time = 0, pieces = 0;
    for (const std::uint32_t work : trace_.own_work(node)) {
      if (!takes_share(work)) continue;
      time += static_cast<double>(trace_.duration(work));
      pieces += 1;
    }
    for (const std::uint32_t work : trace_.own_work(node)) {
      if (!takes_share(work)) continue;
      const double share = time > 0 ? static_cast<double>(trace_.duration(work)) / time : 1 / pieces;
      traffic_.bytes[work] = share * (*traffic)->bytes_low;
      traffic_.flops[work] = (*traffic)->flops ? share * *(*traffic)->flops : no_estimate;
      traffic_.is_lower_bound[work] = (*traffic)->is_lower_bound;
    }
  }

  // Null where nothing was recorded of the inputs.
  const Traffic* traffic_of_kind(std::uint32_t node) {
    const std::uint32_t signature = trace_.signature(node);
    if (signature == none) return nullptr;
    // What a list holds may only be told by the kernel.
    const auto list_kernel = has_untyped_list(trace_, node) ? trace_.timeline().name[first_event(trace_, node)] : none;
    const auto [at, is_new] = known_.try_emplace({trace_.timeline().name[trace_.nodes()[node].row], signature, list_kernel});
    if (is_new) at->second = traffic_of(trace_, node);
    return &at->second;
  }

  const LayoutTrace& trace_;
  std::vector<bool> is_elsewhere_;
  std::unordered_map<CallKey, Traffic, CallKeyHash> known_;
  WorkTraffic traffic_;
};

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

std::string_view list_type_of_kernel(std::string_view kernel) {
  constexpr std::pair<std::string_view, std::string_view> opaque[] = {
      {"OpaqueType<1u>", "int8"}, {"OpaqueType<2u>", "float16"}, {"OpaqueType<4u>", "float32"}, {"OpaqueType<8u>", "float64"}};
  for (const auto& [mark, type] : opaque) {
    if (kernel.find(mark) != kernel.npos) return type;
  }
  for (const std::string_view mark : {"Functor<", "CatArrayBatchedCopy<"}) {
    const std::size_t at = kernel.find(mark);
    if (at == kernel.npos) continue;
    const std::string_view rest = kernel.substr(at + mark.size());
    return trace::torch_type(rest.substr(0, rest.find(',')));
  }
  return {};
}

std::optional<OperatorTraffic> traffic_of(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  if (!inputs || trace.nodes()[node].role == OperatorRole::autograd) return std::nullopt;
  const model::Timeline& timeline = trace.timeline();
  const auto at = std::ranges::lower_bound(timeline.arguments, trace.nodes()[node].row, {}, &model::OperatorArguments::event);
  if (at == timeline.arguments.end() || at->event != trace.nodes()[node].row) return std::nullopt;
  const auto text = [&](std::uint32_t id) { return id == model::Timeline::no_id ? std::string_view() : timeline.names[id]; };
  const std::string_view list_type =
      has_untyped_list(trace, node) ? list_type_of_kernel(trace.timeline().name_of(first_event(trace, node))) : std::string_view();
  return traffic_of_call({trace.name(node), inputs, text(at->shapes), text(at->concrete), list_type});
}

WorkTraffic traffic_of_work(const LayoutTrace& trace, std::span<const std::uint32_t> counted_elsewhere) {
  return WorkEstimator(trace, counted_elsewhere).estimate();
}

void set_bytes(WorkTraffic& traffic, std::uint32_t work, double bytes) {
  traffic.bytes[work] = bytes;
  traffic.flops[work] = 0;
  traffic.is_lower_bound[work] = false;
}

void replace_by_measured(WorkTraffic& traffic, const MeasuredTraffic& measured) {
  for (std::size_t work = 0; work < traffic.bytes.size(); ++work) {
    if (work < measured.bytes.size() && !std::isnan(measured.bytes[work])) {
      traffic.bytes[work] = measured.bytes[work];
      traffic.is_lower_bound[work] = false;
    }
    if (work < measured.flops.size() && !std::isnan(measured.flops[work])) traffic.flops[work] = measured.flops[work];
  }
}

TrafficTotals totals_of(const LayoutTrace& trace, const WorkTraffic& traffic) {
  TrafficTotals totals;
  for (std::uint32_t work = 0; work < traffic.bytes.size(); ++work) {
    if (trace.step_of_work(work) == none) continue;
    const auto time = static_cast<double>(trace.duration(work));
    totals.gpu_ns += time;
    if (std::isnan(traffic.bytes[work])) continue;
    totals.estimated_ns += time;
    totals.bytes_per_step += traffic.bytes[work];
  }
  return {trace.per_step(totals.bytes_per_step), trace.per_step(totals.estimated_ns), trace.per_step(totals.gpu_ns)};
}

}  // namespace frx::derive::layout
