// What products of matrices, convolutions and attention move and compute.

#include "derive/layout/traffic_sum.h"
#include "derive/trace/products.h"

namespace frx::derive::layout {
namespace {

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

// Where the sequence stands: [batch, heads, sequence, size] of torch.nn.functional, [batch, sequence, heads, size] of the kernels below.
std::optional<double> keys_per_query(const RecordedCall& call, const RecordedTensor& key) {
  if (key.shape.size() != 4) return std::nullopt;  // packed sequences: their lengths are not recorded
  return static_cast<double>(key.shape[call.name.find("_scaled_dot_product") != call.name.npos ? 2 : 1]);
}

}  // namespace

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

}  // namespace frx::derive::layout
