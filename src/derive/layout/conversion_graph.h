// The operators of one step that pass pictures (tensors of 4 or 5 dimensions) to each other, and the layouts that would convert least.
//
// A trace names no tensors. Which operator made the input of another is inferred: the last one before it, on its thread, whose result has
// these sizes; one whose result nothing has read yet comes first, and of several equal inputs the second is taken from another chain of
// operators, as residual connections have it. Pools, batch norms and elementwise work take both layouts, views and group norms the
// contiguous one, operators that are not known the one they have. What the trace shows of conversions (copies, kernels of libraries) gives
// the costs of those places; elsewhere a conversion reads and writes the tensor once, and in training its gradient too. A convolution that
// works in channels-last as the trace has it is expected to convert what goes in and out if it were contiguous.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "derive/layout/conversion_cut.h"
#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

// A conversion that the trace shows, by the operator that is the copy, or that launched the kernel.
struct SeenConversion {
  std::uint32_t node = none;
  std::optional<double> bytes;
  double time_ns = 0;
};

// Conversions that the trace shows at one place of the graph.
struct SeenThere {
  double bytes = 0, time_ns = 0;
  std::size_t count = 0;
};

struct LayoutGraph {
  ConversionProblem problem;                 // costs in bytes
  std::vector<std::uint32_t> nodes;          // by operator; none: something made before the step, such as its input
  std::vector<TensorLayout> current;         // by operator
  std::vector<Dimensions> sizes;             // by tensor
  std::vector<SeenThere> inside;             // by operator: inside of it, in its current layout
  std::vector<SeenThere> between;            // by tensor: on its way, all of them
  std::size_t edges = 0, guessed_edges = 0;  // guessed: another tensor was as likely, or sizes of a result were not known
  std::size_t outside_edges = 0;             // from tensors that nothing in the step made
  double seen_bytes = 0;                     // of all conversions of the step, whether they are in the graph or not
  std::optional<double> ns_per_byte;         // of a conversion
};

struct LayoutCost {
  double bytes = 0;               // of conversions, in a step
  std::optional<double> time_ns;  // nothing where no conversion was timed and the bandwidth is not known
  std::size_t conversions = 0;    // between operators; those inside of operators aside
};

struct GlobalConversion {
  std::uint32_t producer = none, consumer = none;  // nodes; `consumer`: the first that needs it
  Dimensions sizes;
  TensorLayout to = TensorLayout::contiguous;
  double bytes = 0;
};

struct GlobalLayout {
  std::string not_assessed;  // why; "": it is
  // What the trace shows; everything in one layout that accepts it; the least. Where the least that the graph finds is not less than what
  // the trace shows, that is the best.
  LayoutCost as_it_is, contiguous, channels_last, best;
  std::vector<GlobalConversion> conversions;        // of the best, by falling bytes
  std::size_t operators = 0, in_channels_last = 0;  // of the graph; of those, in the best
  // Share of the bytes of conversions that the trace shows which the graph explains; nothing where it shows none.
  std::optional<double> explained;
  double confidence = 0;
};

// Of the first steady step. Linear in its operators.
LayoutGraph conversion_graph_of(const LayoutTrace& trace, std::span<const SeenConversion> seen,
                                std::optional<double> bandwidth_bytes_per_s = {});
// n log n in the conversions of the best plan beside the cut. Not assessed: without shapes, without strides unless conversions by a library
// were seen, and without convolutions.
GlobalLayout global_layout(const LayoutTrace& trace, std::span<const SeenConversion> seen,
                           std::optional<double> bandwidth_bytes_per_s = {});

}  // namespace frx::derive::layout
