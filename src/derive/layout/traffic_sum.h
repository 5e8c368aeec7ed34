// What one call of an operator moves, tensor by tensor, and the families of operators that are summed in files of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "derive/layout/strides.h"
#include "derive/layout/traffic.h"

namespace frx::derive::layout {

using Traffic = std::optional<OperatorTraffic>;
using Order = std::vector<std::uint32_t>;

// A tensor of a list whose type was not recorded has that of the call.
RecordedTensor typed(const RecordedCall& call, RecordedTensor tensor);

// Collects what an operator moves, tensor by tensor.
class TrafficSum {
 public:
  // Kernels walk a tensor along its memory, unless its neighbours lie in another order: then along that of the first whole tensor.
  void read(const RecordedTensor& tensor, const Order* reader = nullptr, double times_at_most = 1);

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

// Products of matrices, convolutions and their gradients, attention.
Traffic gemm_traffic(const RecordedCall& call);
Traffic convolution_traffic(const RecordedCall& call);
Traffic convolution_gradient_traffic(const RecordedCall& call);
Traffic attention_traffic(const RecordedCall& call, bool is_gradient);

}  // namespace frx::derive::layout
