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

LatentInputs latent_inputs(const DetectorInput& input) {
  constexpr std::size_t most_shown = 3;
  LatentInputs latent;
  const LayoutTrace& trace = input.trace;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    const OperatorNode& one = trace.nodes()[node];
    if (one.step == none || one.work_begin == one.work_end) continue;
    const RecordedInputs* const inputs =
        one.role == OperatorRole::gemm || one.role == OperatorRole::convolution ? trace.inputs(node) : nullptr;
    if (!inputs) continue;
    const bool has_other = std::ranges::any_of(inputs->inputs, [&](const RecordedInput& input_of) {
      if (input_of.kind != RecordedInput::Kind::tensor || !input_of.tensors.front().strides) return false;
      const RecordedTensor& tensor = input_of.tensors.front();
      if (one.role == OperatorRole::gemm) return !is_native_for_gemm(tensor.shape, *tensor.strides);
      const LayoutClass layout = layout_of(tensor.shape, *tensor.strides);
      return layout == LayoutClass::permuted || layout == LayoutClass::gapped || layout == LayoutClass::overlapping;
    });
    if (!has_other) continue;
    latent.per_step += 1;
    if (latent.nodes.size() < most_shown) latent.nodes.push_back(node);
  }
  latent.per_step = trace.per_step(latent.per_step);
  return latent;
}

}  // namespace frx::derive::layout
