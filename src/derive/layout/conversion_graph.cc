#include "derive/layout/conversion_graph.h"

#include <algorithm>
#include <unordered_map>

#include "derive/layout/convolving_part.h"
#include "derive/layout/graph_operators.h"

namespace frx::derive::layout {
namespace {

// How many tensors of equal sizes are looked at for an input: enough for residual connections, and a constant.
constexpr std::size_t most_candidates = 16;

struct DimensionsHash {
  std::size_t operator()(const Dimensions& sizes) const {
    std::uint64_t hash = sizes.size();
    for (const std::int64_t size : sizes) hash = (hash ^ static_cast<std::uint64_t>(size)) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 32U;
  }
};

// A tensor on its way through the graph.
struct FlowingTensor {
  std::uint32_t index = 0;  // of the tensors of the graph
  std::uint32_t chain = 0;  // operators in a row that keep the sizes, from a convolution on
  std::string_view type;
};

class GraphBuilder {
 public:
  GraphBuilder(const LayoutTrace& trace, std::span<const SeenConversion> seen, std::optional<double> bandwidth)
      : trace_(trace), places_(trace) {
    for (const SeenConversion& one : seen) {
      if (one.node != none && trace.nodes()[one.node].step == 0) add_seen(one);
    }
    if (timed_bytes_ > 0) {
      graph_.ns_per_byte = timed_ns_ / timed_bytes_;
    } else if (bandwidth && *bandwidth > 0) {
      graph_.ns_per_byte = 1e9 / *bandwidth;
    }
    trains_ = std::ranges::any_of(trace.nodes(), [](const OperatorNode& node) { return node.role == OperatorRole::autograd; });
  }

  LayoutGraph build() {
    track_ = busiest_track(trace_, places_);
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      const OperatorNode& one = trace_.nodes()[node];
      if (one.step != 0 || trace_.timeline().track[one.row] != track_ || !is_operator(trace_, node)) continue;
      if (places_.outermost[node] != node || places_.is_backward[node]) continue;
      add(node);
    }
    attach_seen();
    price_planar_convolutions();
    keep_what_convolves(trace_, graph_);
    return std::move(graph_);
  }

 private:
  // An operator whose result has unknown sizes, but for these.
  struct UnknownResult {
    std::uint32_t producer = 0;
    std::int64_t batch = 0, channels = 0;
  };
  struct Seen {
    std::uint32_t node = none;  // where it was seen
    double time_ns = 0;
    std::optional<double> bytes;
    bool is_placed = false;
  };

  void add_seen(const SeenConversion& one) {
    if (one.bytes && one.time_ns > 0) {
      timed_bytes_ += *one.bytes;
      timed_ns_ += one.time_ns;
    }
    seen_at_.emplace(one.node, seen_.size());
    seen_.push_back({one.node, one.time_ns, one.bytes});
  }

  // Where conversions of libraries are not known by bytes, their time tells.
  double bytes_of(const Seen& one) const {
    if (one.bytes) return *one.bytes;
    return graph_.ns_per_byte ? one.time_ns / *graph_.ns_per_byte : 0;
  }

  const OperatorKind& kind_of(std::uint32_t node) {
    const std::uint32_t name = trace_.timeline().name[trace_.nodes()[node].row];
    return kinds_.try_emplace(name, trace_.name(node)).first->second;
  }

  const std::optional<OperatorOutput>& own_result(std::uint32_t node) {
    const std::uint64_t name = trace_.timeline().name[trace_.nodes()[node].row];
    const auto [at, is_new] = results_.try_emplace(name << 32U | trace_.signature(node));
    if (is_new) at->second = output_of(trace_.name(node), *trace_.inputs(node));
    return at->second;
  }

  // Of the operator, or of the first one inside of it whose result is known.
  std::optional<OperatorOutput> result_of(std::uint32_t node) {
    constexpr std::uint32_t most_looked_at = 32;
    if (kind_of(node).has_other_sizes) return std::nullopt;
    for (std::uint32_t at = node; at < std::min(trace_.nodes()[node].end, node + most_looked_at); ++at) {
      if (!trace_.inputs(at) || (at != node && trace_.nodes()[at].role == OperatorRole::allocation)) continue;
      if (const std::optional<OperatorOutput>& output = own_result(at)) return output;
    }
    return std::nullopt;
  }

  std::vector<const RecordedTensor*> pictures_of(std::uint32_t node) {
    std::vector<const RecordedTensor*> pictures;
    const RecordedInputs* const inputs = trace_.inputs(node);
    if (!inputs) return pictures;
    // A convolution's second input is its weight, which is converted once for all steps.
    const OperatorFamily family = kind_of(node).family;
    const bool takes_all = family == OperatorFamily::elementwise || family == OperatorFamily::concatenation;
    for (std::size_t i = 0; i < (takes_all ? inputs->inputs.size() : std::min<std::size_t>(1, inputs->inputs.size())); ++i) {
      for (const RecordedTensor& tensor : inputs->inputs[i].tensors) {
        if (is_picture(tensor.shape)) pictures.push_back(&tensor);
      }
    }
    return pictures;
  }

  static std::optional<TensorLayout> layout_in(const RecordedTensor& tensor) {
    if (!tensor.strides) return std::nullopt;
    const LayoutClass layout = layout_of(tensor.shape, *tensor.strides);
    if (layout == LayoutClass::channels_last) return TensorLayout::channels_last;
    return layout == LayoutClass::contiguous ? std::optional(TensorLayout::contiguous) : std::nullopt;
  }

  void add(std::uint32_t node) {
    const std::vector<const RecordedTensor*> pictures = pictures_of(node);
    if (pictures.empty()) return;
    const Accepts accepts = kind_of(node).accepts;
    const std::uint32_t seen = trace_.nodes()[node].role == OperatorRole::copy ? seen_in(node) : none;
    if (seen != none && accepts == Accepts::both) {
      add_conversion(node, *pictures.front(), seen);
      return;
    }
    const std::uint32_t index = new_operator(node, accepts, layout_in(*pictures.front()));
    std::vector<FlowingTensor> taken;
    for (const RecordedTensor* const picture : pictures) {
      taken.push_back(find(*picture, taken));
      graph_.problem.tensors[taken.back().index].consumers.push_back(index);
      note_layout_of(taken.back().index, *picture);
      ++graph_.edges;
    }
    if (seen != none) place_at(taken.front().index, seen);
    const std::optional<OperatorOutput> output = result_of(node);
    if (!output) note_unknown_result(node, index, *pictures.front());
    if (!output || !is_picture(output->sizes)) return;
    if (trace_.nodes()[node].role == OperatorRole::convolution)
      inside_bytes_.emplace(index, conversion_bytes(*pictures.front(), has_gradient_[taken.front().index]) +
                                       conversion_bytes({output->sizes, {}, output->type}, true));
    const bool starts_chain = trace_.nodes()[node].role == OperatorRole::convolution || output->sizes != pictures.front()->shape;
    const bool is_trained =
        learns(trace_.nodes()[node].role) || std::ranges::any_of(taken, [&](const FlowingTensor& one) { return has_gradient_[one.index]; });
    flow(output->sizes, {new_tensor(index, *output, is_trained), starts_chain ? ++chains_ : taken.front().chain, output->type});
  }

  // The copy goes away where both ends agree: what it makes is the same tensor.
  void add_conversion(std::uint32_t node, const RecordedTensor& source, std::uint32_t seen) {
    const FlowingTensor tensor = find(source, {});
    note_layout_of(tensor.index, source);
    place_at(tensor.index, seen);
    const std::optional<OperatorOutput> output = result_of(node);
    flow(source.shape, {tensor.index, tensor.chain, output ? output->type : source.type});
  }

  // What the conversion of this tensor costs was seen.
  void place_at(std::uint32_t tensor, std::uint32_t seen) {
    seen_[seen].is_placed = true;
    ConvertedTensor& converted = graph_.problem.tensors[tensor];
    SeenThere& there = graph_.between[tensor];
    there = {there.bytes + bytes_of(seen_[seen]), there.time_ns + seen_[seen].time_ns, there.count + 1};
    const ConversionCost bytes = whole_cost(there.bytes / static_cast<double>(there.count));
    if (bytes > 0) converted.to_contiguous = converted.to_channels_last = bytes;
  }

  std::uint32_t new_operator(std::uint32_t node, Accepts accepts, std::optional<TensorLayout> layout) {
    const auto index = static_cast<std::uint32_t>(graph_.nodes.size());
    TensorLayout current = layout.value_or(TensorLayout::contiguous);
    if (accepts == Accepts::contiguous) current = TensorLayout::contiguous;
    ConvertingOperator one;
    if (accepts != Accepts::both) (current == TensorLayout::contiguous ? one.channels_last : one.contiguous) = forbidden;
    graph_.problem.operators.push_back(one);
    graph_.nodes.push_back(node);
    graph_.current.push_back(current);
    graph_.inside.emplace_back();
    is_settled_.push_back(accepts != Accepts::both);
    if (node != none) operator_of_.emplace(node, index);
    return index;
  }

  static bool learns(OperatorRole role) { return role == OperatorRole::convolution || role == OperatorRole::normalisation; }

  std::uint32_t new_tensor(std::uint32_t producer, const OperatorOutput& output, bool has_gradient) {
    const auto index = static_cast<std::uint32_t>(graph_.problem.tensors.size());
    const ConversionCost cost = conversion_bytes({output.sizes, {}, output.type}, has_gradient);
    has_gradient_.push_back(has_gradient);
    graph_.problem.tensors.push_back({producer, {}, cost, cost});
    graph_.sizes.push_back(output.sizes);
    graph_.between.emplace_back();
    return index;
  }

  // Reads and writes it once, and in training its gradient.
  ConversionCost conversion_bytes(const RecordedTensor& tensor, bool has_gradient) const {
    const double size = std::max(1.0, element_bytes(tensor.type));
    return whole_cost((trains_ && has_gradient ? 4 : 2) * element_count(tensor.shape) * size);
  }

  // The producer works in the layout in which its result is first seen.
  void note_layout_of(std::uint32_t tensor, const RecordedTensor& seen) {
    const std::uint32_t producer = graph_.problem.tensors[tensor].producer;
    const std::optional<TensorLayout> layout = layout_in(seen);
    if (is_settled_[producer] || !layout) return;
    graph_.current[producer] = *layout;
    is_settled_[producer] = true;
  }

  void flow(const Dimensions& sizes, const FlowingTensor& tensor) { flowing_[sizes].push_back(tensor); }

  FlowingTensor find(const RecordedTensor& input, const std::vector<FlowingTensor>& taken) {
    const auto is_taken = [&](const FlowingTensor& one) {
      return std::ranges::any_of(taken, [&](const auto& t) { return t.index == one.index; });
    };
    const auto is_of_chain = [&](const FlowingTensor& one) {
      return std::ranges::any_of(taken, [&](const auto& t) { return t.chain == one.chain; });
    };
    std::vector<FlowingTensor>& known = flowing_[input.shape];
    const FlowingTensor *unread = nullptr, *of_other_chain = nullptr, *latest = nullptr;
    std::size_t fitting = 0;
    for (std::size_t back = 1; back <= std::min(known.size(), most_candidates); ++back) {
      const FlowingTensor& one = known[known.size() - back];
      const bool fits = one.type.empty() || input.type.empty() || one.type == input.type;
      if (!fits || is_taken(one)) continue;
      ++fitting;
      if (!unread && graph_.problem.tensors[one.index].consumers.empty()) unread = &one;
      if (!of_other_chain && !is_of_chain(one)) of_other_chain = &one;
      if (!latest) latest = &one;
    }
    if (!unread) {
      if (const std::optional<FlowingTensor> made = result_as(input)) return *made;
    }
    const FlowingTensor* const found = unread ? unread : taken.empty() ? latest : of_other_chain ? of_other_chain : latest;
    if (found) {
      graph_.guessed_edges += !unread && fitting > 1 ? 1 : 0;
      return *found;
    }
    return from_outside(input);
  }

  // Without the values of its settings, the result of a convolution or a pool is what is read next of its channels.
  void note_unknown_result(std::uint32_t node, std::uint32_t index, const RecordedTensor& input) {
    const RecordedTensor* const weight = tensor_at(*trace_.inputs(node), 1);
    const OperatorFamily family = kind_of(node).family;
    if (family == OperatorFamily::convolution && weight && weight->shape.size() == input.shape.size()) {
      unknown_result_ = UnknownResult{index, input.shape[0], weight->shape[0]};
    } else if (family == OperatorFamily::pooling) {
      unknown_result_ = UnknownResult{index, input.shape[0], input.shape[1]};
    }
  }

  std::optional<FlowingTensor> result_as(const RecordedTensor& input) {
    if (!unknown_result_ || unknown_result_->batch != input.shape[0] || unknown_result_->channels != input.shape[1]) return std::nullopt;
    const FlowingTensor tensor{new_tensor(unknown_result_->producer, {input.shape, input.type}, true), ++chains_, input.type};
    unknown_result_.reset();
    ++graph_.guessed_edges;
    flow(input.shape, tensor);
    return tensor;
  }

  // Made before the step, or by something that is not understood: it comes in the layout that it has.
  FlowingTensor from_outside(const RecordedTensor& input) {
    ++graph_.outside_edges;
    const std::uint32_t source = new_operator(none, Accepts::current, layout_in(input));
    const FlowingTensor tensor{new_tensor(source, {input.shape, input.type}, false), ++chains_, input.type};
    flow(input.shape, tensor);
    return tensor;
  }

  // In the operator; none.
  std::uint32_t seen_in(std::uint32_t node) const {
    const auto at = seen_at_.find(node);
    return at == seen_at_.end() ? none : static_cast<std::uint32_t>(at->second);
  }

  // What stands inside of an operator of the graph, or in the backward pass of one.
  void attach_seen() {
    for (Seen& one : seen_) {
      graph_.seen_bytes += bytes_of(one);
      if (one.is_placed) continue;
      const auto at = operator_of_.find(forward_operator(trace_, places_, one.node));
      if (at == operator_of_.end()) continue;
      const std::uint32_t index = at->second;
      ConvertingOperator& cost = graph_.problem.operators[index];
      ConversionCost& paid = graph_.current[index] == TensorLayout::contiguous ? cost.contiguous : cost.channels_last;
      paid += whole_cost(bytes_of(one));
      SeenThere& there = graph_.inside[index];
      there = {there.bytes + bytes_of(one), there.time_ns + one.time_ns, there.count + 1};
    }
  }

  // A convolution that works in channels-last without converting anything would, on contiguous tensors, be expected to convert what goes in
  // and out: kernels of tensor cores do.
  void price_planar_convolutions() {
    for (const auto& [index, bytes] : inside_bytes_) {
      ConvertingOperator& one = graph_.problem.operators[index];
      if (graph_.current[index] == TensorLayout::channels_last && one.channels_last == 0) one.contiguous = bytes;
    }
  }

  const LayoutTrace& trace_;
  const OperatorPlaces places_;
  LayoutGraph graph_;
  std::vector<Seen> seen_;
  std::unordered_map<std::uint32_t, std::size_t> seen_at_;                              // by node
  std::unordered_map<std::uint32_t, std::uint32_t> operator_of_;                        // by node
  std::unordered_map<Dimensions, std::vector<FlowingTensor>, DimensionsHash> flowing_;  // by sizes
  std::unordered_map<std::uint32_t, OperatorKind> kinds_;                               // by name
  std::unordered_map<std::uint64_t, std::optional<OperatorOutput>> results_;            // by name and signature
  std::unordered_map<std::uint32_t, ConversionCost> inside_bytes_;  // by convolution: of converting what goes in and out
  std::vector<bool> is_settled_;                                    // by operator: its layout is known for sure
  std::vector<bool> has_gradient_;                                  // by tensor: something before it learns
  std::optional<UnknownResult> unknown_result_;
  std::uint32_t chains_ = 0, track_ = none;
  double timed_bytes_ = 0, timed_ns_ = 0;
  bool trains_ = false;
};

}  // namespace

LayoutGraph conversion_graph_of(const LayoutTrace& trace, std::span<const SeenConversion> seen,
                                std::optional<double> bandwidth_bytes_per_s) {
  return GraphBuilder(trace, seen, bandwidth_bytes_per_s).build();
}

}  // namespace frx::derive::layout
