// Inputs in layouts that kernels do not take natively, while no copy was seen.

#include <algorithm>

#include "derive/layout/copy_detectors.h"

namespace frx::derive::layout {

bool is_native_for_gemm(DimensionsView sizes, DimensionsView strides) {
  const std::size_t rank = sizes.size();
  if (rank < 2 || strides.size() != rank) return true;
  const std::int64_t rows = sizes[rank - 2], columns = sizes[rank - 1], row_stride = strides[rank - 2], column_stride = strides[rank - 1];
  if (rows <= 1 || columns <= 1) return row_stride <= 1 || column_stride <= 1 || rows * columns <= 1;
  return (column_stride == 1 && row_stride >= columns) || (row_stride == 1 && column_stride >= rows);
}

namespace {

// Rows of attention are loaded 16 bytes at once: the elements of one lie side by side, and each begins at a multiple of that.
bool is_native_for_attention(const RecordedTensor& tensor) {
  constexpr std::int64_t vector_bytes = 16;
  const Dimensions& strides = *tensor.strides;
  if (tensor.shape.size() < 2 || strides.size() != tensor.shape.size()) return true;
  const auto bytes = static_cast<std::int64_t>(element_bytes(tensor.type));
  if (tensor.shape.back() > 1 && strides.back() != 1) return false;
  for (std::size_t i = 0; i + 1 < strides.size(); ++i) {
    if (tensor.shape[i] > 1 && bytes > 0 && strides[i] * bytes % vector_bytes != 0) return false;
  }
  return true;
}

bool is_image_order(const RecordedTensor& tensor) {
  const LayoutClass layout = layout_of(tensor.shape, *tensor.strides);
  return layout != LayoutClass::permuted && layout != LayoutClass::gapped && layout != LayoutClass::overlapping;
}

// Of the `place`th input.
bool is_native(OperatorRole role, std::string_view name, std::size_t place, const RecordedTensor& tensor) {
  constexpr std::size_t queries_keys_values = 3;
  switch (role) {
    case OperatorRole::gemm: return is_native_for_gemm(tensor.shape, *tensor.strides);
    case OperatorRole::convolution: return is_image_order(tensor);
    case OperatorRole::attention: return place >= queries_keys_values || is_native_for_attention(tensor);
    case OperatorRole::normalisation:
      if (place > 0 || tensor.shape.empty()) return true;
      if (name.find("layer_norm") == name.npos && name.find("rms_norm") == name.npos) return is_image_order(tensor);
      return tensor.shape.back() <= 1 || tensor.strides->back() == 1;
    default: return true;
  }
}

bool takes_layout(OperatorRole role) {
  return role == OperatorRole::gemm || role == OperatorRole::convolution || role == OperatorRole::attention ||
         role == OperatorRole::normalisation;
}

}  // namespace

LatentInputs latent_inputs(const DetectorInput& input) {
  constexpr std::size_t most_shown = 3;
  LatentInputs latent;
  const LayoutTrace& trace = input.trace;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    const OperatorNode& one = trace.nodes()[node];
    if (one.step == none || one.work_begin == one.work_end) continue;
    const RecordedInputs* const inputs = takes_layout(one.role) ? trace.inputs(node) : nullptr;
    if (!inputs) continue;
    bool has_other = false;
    for (std::size_t place = 0; place < inputs->inputs.size(); ++place) {
      const RecordedInput& input_of = inputs->inputs[place];
      if (input_of.kind != RecordedInput::Kind::tensor || !input_of.tensors.front().strides) continue;
      has_other = has_other || !is_native(one.role, trace.name(node), place, input_of.tensors.front());
    }
    if (!has_other) continue;
    latent.per_step += 1;
    if (latent.nodes.size() < most_shown) latent.nodes.push_back(node);
  }
  latent.per_step = trace.per_step(latent.per_step);
  return latent;
}

}  // namespace frx::derive::layout
