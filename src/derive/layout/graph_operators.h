// What the conversion graph asks of single operators: where each stands, what layouts it takes, whether a tensor counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "derive/layout/conversion_cut.h"
#include "derive/layout/layout_trace.h"
#include "derive/layout/operator_output.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

// Has it four or five dimensions, more than one channel and more than one pixel, so that it is either contiguous or channels-last?
bool is_picture(const Dimensions& sizes);

// Bytes as the cut counts them, 1e15 at most: a file may claim tensors of any size.
ConversionCost whole_cost(double bytes);

// Of PyTorch, or of an extension: what that does inside is its own affair.
bool is_operator(const LayoutTrace& trace, std::uint32_t node);

// Where each node stands, found out in one pass over the tree.
struct OperatorPlaces {
  std::vector<std::uint32_t> outermost;  // the operator that the program called; of other nodes, themselves
  std::vector<bool> is_backward;

  explicit OperatorPlaces(const LayoutTrace& trace);
};

// The thread whose operators are looked at: of the forward pass of the first step, the one with most convolutions; none without any.
std::uint32_t busiest_track(const LayoutTrace& trace, const OperatorPlaces& places);

// The operator that the program called, of the backward pass that of the forward pass; none where it is not known.
std::uint32_t forward_operator(const LayoutTrace& trace, const OperatorPlaces& places, std::uint32_t node);

enum class Accepts : std::uint8_t { both, contiguous, current };

// What the name of an operator says.
struct OperatorKind {
  OperatorFamily family = OperatorFamily::unknown;
  Accepts accepts = Accepts::current;
  bool has_other_sizes = false;  // its result, and they are not asked for

  explicit OperatorKind(std::string_view name);
};

}  // namespace frx::derive::layout
