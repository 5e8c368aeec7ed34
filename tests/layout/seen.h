// What really happened in a simulated program, whatever of it was recorded.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "layout/tensor.h"

namespace frx::testing::layout {

// Where code is: the innermost module of the program, and the function that is not of PyTorch.
struct Site {
  std::string module;  // "Attention_0"; with modules of PyTorch inside: "Attention_0.Linear_2"
  std::string file;
  int line = 0;  // where the function begins, which is what frames tell

  auto operator<=>(const Site&) const = default;
};

enum class CopyKind : std::uint8_t { relayout, materialise, compact, plain, cast, cast_relayout, transfer };

// Operators that PyTorch ran from the outermost one to the one that copied: {"aten::matmul", "aten::reshape", "aten::clone",
// "aten::copy_"}.
using OperatorPath = std::vector<std::string>;

struct CopySeen {
  int step = 0;
  bool is_backward = false;
  Site site;
  OperatorPath path;
  std::string hot;  // the operator whose kernels needed another layout: "aten::matmul"; "": the program asked for the copy
  CopyKind kind = CopyKind::plain;
  std::int64_t bytes = 0;  // written, and read with repeated elements once
  double us = 0;
};

struct ConvolutionSeen {
  int step = 0;
  Site site;
  Scalar type = Scalar::f32;
  bool is_channels_last = false, is_ambiguous = false, has_aligned_channels = false, is_grouped = false, has_image_channels = false;
  bool has_relayout_kernels = false, has_nchw_kernel = false, has_tensor_cores = false;
};

struct KernelSeen {
  int step = 0;
  bool is_backward = false;
  Site site;
  OperatorPath path;
  std::int64_t bytes = 0;
  double us = 0;
  bool is_elementwise = false, is_copy = false;
};

struct ViewSeen {
  std::string name;
  Site site;
  int from = 0, to = 0;  // tensors
  Extents order;         // of a permutation, else empty
  Extents sizes;         // of what it was applied to
};

// Views of one thread with no other operator between them.
struct ViewRun {
  int step = 0;
  bool is_backward = false;
  std::vector<ViewSeen> views;
  int copied = 0;    // the tensor that the next operator copied into another layout; 0: none
  OperatorPath end;  // that operator
};

struct Seen {
  std::vector<CopySeen> copies;
  std::vector<ConvolutionSeen> convolutions;
  std::vector<KernelSeen> kernels;
  std::vector<ViewRun> runs;
  std::set<std::pair<Site, std::string>> unstable;  // operators that read tensors whose strides change from step to step
  double total_bytes = 0;                           // of all GPU work
};

}  // namespace frx::testing::layout
