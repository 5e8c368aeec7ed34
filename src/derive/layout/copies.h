// Copies of a trace that change nothing but where elements lie, each counted once: contiguous > clone > copy_ is one copy.
//
// Three origins: operators of PyTorch that copy; kernels by which a library converts the operands of a convolution
// (nchwToNhwcKernel); kernels of torch.compile that do nothing but move elements. Without operators, the last two are known by the names
// of kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"
#include "knowledge/kernel_classes.h"

namespace frx::derive::layout {

enum class CopyKind : std::uint8_t {
  unknown,        // neither strides nor the name of a kernel tell
  transfer,       // between host and device, or between devices
  cast,           // the type changes, and the order of elements does not
  relayout,       // the order changes
  cast_relayout,  // both
  materialise,    // the source is expanded: its elements are written several times
  compact,        // the source is a slice with gaps
  plain,          // the same layout: a defensive clone
};
std::string_view name_of(CopyKind kind);
// Is it a cost of layout? Of cast_relayout, half of it is.
constexpr bool is_of_layout(CopyKind kind) { return kind >= CopyKind::relayout && kind <= CopyKind::compact; }

enum class CopyOrigin : std::uint8_t { eager, library, compiled };

struct Copy {
  std::uint32_t node = none;  // the outermost operator that is this copy; of a library or compiled code, the one that launched it, or none
  std::uint32_t leaf = none;  // the operator whose inputs are destination and source; none for a library
  std::uint32_t hot = none;   // the innermost product, convolution, ... that it happens inside of
  std::uint32_t step = none;
  CopyKind kind = CopyKind::unknown;
  CopyOrigin origin = CopyOrigin::eager;
  bool pads_channels = false;            // of a library
  double confidence = 0;                 // of the kind
  double time_ns = 0;                    // of GPU work; of a recording without any, of the operator
  std::optional<double> bytes;           // read and written
  std::vector<std::uint32_t> work = {};  // indices

  // The share of its cost that is of layout.
  double layout_share() const { return kind == CopyKind::cast_relayout ? 0.5 : is_of_layout(kind) ? 1 : 0; }
};

// Of steady steps, in the order of nodes. Linear in nodes and work.
std::vector<Copy> copies_of(const LayoutTrace& trace, const knowledge::KernelClasses& classes);

// Source and destination of a copy as recorded; null where they were not.
struct CopyTensors {
  const RecordedTensor* destination = nullptr;
  const RecordedTensor* source = nullptr;
};
CopyTensors tensors_of(const LayoutTrace& trace, const Copy& copy);

// By strides and types; nothing where they were not recorded.
std::optional<CopyKind> kind_by_strides(const RecordedTensor& destination, const RecordedTensor& source);

// What the name of a kernel of torch.compile says.
struct InductorKernel {
  bool only_moves = false;  // "triton_poi_fused_clone_permute_3": all operators in the name move elements
  bool casts = false;       // one of them changes the type
  // "triton_poi_fused_convolution_0": writes an operand in the order of the convolution after it, or adds the bias of the one before.
  bool is_convolution = false;
};
InductorKernel inductor_kernel(std::string_view kernel);

}  // namespace frx::derive::layout
