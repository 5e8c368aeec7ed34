#include "derive/layout/traffic_sum.h"

namespace frx::derive::layout {
namespace {

template <typename Values>
Dimensions in_order(const Values& values, const Order& order) {
  Dimensions ordered;
  for (const std::uint32_t dimension : order) ordered.push_back(values[dimension]);
  return ordered;
}

}  // namespace

RecordedTensor typed(const RecordedCall& call, RecordedTensor tensor) {
  if (tensor.type.empty()) tensor.type = call.list_type;
  return tensor;
}

void TrafficSum::read(const RecordedTensor& tensor, const Order* reader, double times_at_most) {
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

}  // namespace frx::derive::layout
