// How many bytes the operators of a trace move and how much they compute, from the sizes of their inputs: a trace has no counters of
// memory.
//
// Each operator that launched work is modelled once, by its family: what it must read, each element once, and what it must write. Two
// bounds are given: `bytes_low` is what a perfect cache leaves, `bytes_high` what strides and second passes may take.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "derive/layout/layout_trace.h"
#include "derive/layout/operator_output.h"

namespace frx::derive::layout {

struct OperatorTraffic {
  double bytes_low = 0, bytes_high = 0;
  std::optional<double> flops;  // absent: not modelled
  bool is_lower_bound = false;  // not all of its tensors are known
  OperatorFamily family = OperatorFamily::unknown;
};

// One call of an operator, from what a trace recorded of it.
struct RecordedCall {
  std::string_view name;            // "aten::addmm"
  const RecordedInputs* inputs;     // not null
  std::string_view shapes, values;  // as the file has them, for products
  // Of the tensors of lists, where their own were not recorded ("TensorList" is all that traces say).
  std::string_view list_type = {};
};
// Nothing where not a single tensor of known type is among the inputs, and for operators that are not of PyTorch: they may be given tensors
// of which they touch a small part, such as a cache of keys and values.
std::optional<OperatorTraffic> traffic_of_call(const RecordedCall& call);
// The type of elements that the name of a kernel tells: "float16" of "CatArrayBatchedCopy<..::OpaqueType<2u>, ..", whose type is one of two
// bytes, "float32" of "multi_tensor_apply_kernel<.., BinaryOpScalarFunctor<float, ..". "": it tells none.
std::string_view list_type_of_kernel(std::string_view kernel);
// Of the operator itself, without those inside of it: its inputs say what its own kernels work on.
std::optional<OperatorTraffic> traffic_of(const LayoutTrace& trace, std::uint32_t node);

// By piece of GPU work, as attribution().work; NaN: no estimate.
struct WorkTraffic {
  std::vector<double> bytes, flops;
  std::vector<bool> is_lower_bound;
};

// What an operator moves is divided over its own kernels by time; copies and fills of memory have the bytes that were recorded.
// `counted_elsewhere`: work, ascending, that gets no share and no estimate, such as kernels by which a library converts the operands of a
// convolution; set_bytes gives it one. Linear in work; equal calls are modelled once.
WorkTraffic traffic_of_work(const LayoutTrace& trace, std::span<const std::uint32_t> counted_elsewhere = {});
void set_bytes(WorkTraffic& traffic, std::uint32_t work, double bytes);

// What was measured (ncu), by piece of work; NaN: not. It replaces the model.
struct MeasuredTraffic {
  std::vector<double> bytes, flops;
};
void replace_by_measured(WorkTraffic& traffic, const MeasuredTraffic& measured);

// Of the steady steps.
struct TrafficTotals {
  double bytes_per_step = 0;            // of the work that has an estimate
  double estimated_ns = 0, gpu_ns = 0;  // per step
  // Share of the GPU time whose bytes are known; nothing where the GPU did nothing.
  std::optional<double> coverage() const { return gpu_ns > 0 ? std::optional(estimated_ns / gpu_ns) : std::nullopt; }
};
TrafficTotals totals_of(const LayoutTrace& trace, const WorkTraffic& traffic);

}  // namespace frx::derive::layout
