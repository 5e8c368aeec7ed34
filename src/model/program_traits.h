// What a recording says of the program that was recorded, besides its steps. Absent: the recording does not tell.
#pragma once

#include <optional>

namespace frx::model {

struct ProgramTraits {
  std::optional<bool> is_pytorch;  // false: GPU work was recorded, and no kernel or operator of PyTorch is in it
  // Operators were recorded, and nothing of a GPU; false when something else in the recording names one. Absent where a GPU was recorded.
  std::optional<bool> cpu_only;
  // torch.compile made at least some of what ran.
  std::optional<bool> is_compiled;
  // Of a step, the median of the steps: calls of compiled regions on one thread that lie in no other, and those of them that follow another
  // with operators between them that are not compiled.
  std::optional<double> compiled_regions, graph_breaks;
  // Most kernels are launched as part of a CUDA or HIP graph.
  std::optional<bool> replays_graphs;
  // Operators were recorded, and none of them is of a backward pass or an optimizer.
  std::optional<bool> is_inference;
  std::optional<bool> is_amd;            // the GPU
  std::optional<bool> has_tensor_cores;  // the GPU, one of NVIDIA
  std::optional<double>
      fp32_matrix_share;  // of the time of kernels that are no collectives: FP32 matrix products past the tensor cores, by name
  std::optional<double> layout_copy_share;  // the same of kernels that only bring tensors into another layout
  std::optional<bool> recorded_by_nsys;
  // Of the time of copies from the host whose names say so, those from pinned memory.
  std::optional<double> pinned_copy_share;
  // Several ranks of the run were given together.
  std::optional<bool> ranks_given;
};

}  // namespace frx::model
