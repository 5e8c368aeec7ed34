#include "derive/layout/conversion_graph.h"

#include <algorithm>
#include <unordered_map>

#include "derive/layout/operator_output.h"

namespace frx::derive::layout {
namespace {

// How many tensors of equal sizes are looked at for an input: enough for residual connections, and a constant.
constexpr std::size_t most_candidates = 16;

bool is_picture(const Dimensions& sizes) {
  if (sizes.size() != 4 && sizes.size() != 5) return false;
  double pixels = 1;
  for (std::size_t i = 2; i < sizes.size(); ++i) pixels *= static_cast<double>(sizes[i]);
  return sizes[1] > 1 && pixels > 1 && sizes[0] > 0;
}

// A file may claim tensors of any size.
ConversionCost whole_cost(double bytes) { return bytes > 0 ? static_cast<ConversionCost>(std::min(bytes, 1e15)) : 0; }

// Of PyTorch, or of an extension: what that does inside is its own affair.
bool is_operator(const LayoutTrace& trace, std::uint32_t node) {
  return trace.name(node).starts_with("aten::") || trace.nodes()[node].role == OperatorRole::custom;
}

// Where each node stands, found out in one pass over the tree.
struct OperatorPlaces {
  std::vector<std::uint32_t> outermost;  // the operator that the program called; of other nodes, themselves
  std::vector<bool> is_backward;

  explicit OperatorPlaces(const LayoutTrace& trace) : outermost(trace.nodes().size()), is_backward(trace.nodes().size()) {
    for (std::uint32_t node = 0; node < outermost.size(); ++node) {
      const std::uint32_t parent = trace.nodes()[node].parent;
      outermost[node] = parent != none && is_operator(trace, parent) ? outermost[parent] : node;
      is_backward[node] = trace.nodes()[node].role == OperatorRole::autograd || (parent != none && is_backward[parent]);
    }
  }
};

enum class Accepts : std::uint8_t { both, contiguous, current };

bool changes_sizes(std::string_view plain) {
  return plain.ends_with("view") || plain.find("reshape") != plain.npos || plain == "flatten" || plain == "unflatten" || plain == "ravel";
}

Accepts accepted_by(std::string_view name, OperatorFamily family) {
  const std::string_view plain = plain_name(name);
  if (changes_sizes(plain)) return Accepts::contiguous;
  switch (family) {
    case OperatorFamily::convolution:
    case OperatorFamily::pooling:
    case OperatorFamily::elementwise:
    case OperatorFamily::filling:
    case OperatorFamily::copying:
    case OperatorFamily::resampling:
    case OperatorFamily::reduction:
    case OperatorFamily::concatenation: return Accepts::both;
    case OperatorFamily::normalisation: return plain.find("batch_norm") != plain.npos ? Accepts::both : Accepts::contiguous;
    default: break;
  }
  return role_of(name) == OperatorRole::view ? Accepts::both : Accepts::current;
}

// What the name of an operator says.
struct OperatorKind {
  OperatorFamily family = OperatorFamily::unknown;
  Accepts accepts = Accepts::current;
  bool has_other_sizes = false;  // its result, and they are not asked for

  explicit OperatorKind(std::string_view name)
      : family(family_of(name)), accepts(accepted_by(name, family)), has_other_sizes(changes_sizes(plain_name(name))) {}
};

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
    track_ = busiest_track();
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      const OperatorNode& one = trace_.nodes()[node];
      if (one.step != 0 || trace_.timeline().track[one.row] != track_ || !is_operator(trace_, node)) continue;
      if (places_.outermost[node] != node || places_.is_backward[node]) continue;
      add(node);
    }
    attach_seen();
    price_planar_convolutions();
    keep_what_convolves();
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

  std::uint32_t busiest_track() const {
    std::unordered_map<std::uint32_t, std::size_t> convolutions;
    std::uint32_t busiest = none;
    std::size_t most = 0;
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      const OperatorNode& one = trace_.nodes()[node];
      if (one.step != 0 || one.role != OperatorRole::convolution || places_.is_backward[node]) continue;
      const std::uint32_t track = trace_.timeline().track[one.row];
      if (++convolutions[track] > most) {
        most = convolutions[track];
        busiest = track;
      }
    }
    return busiest;
  }

  // ---- Operators and what flows between them ----

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

  // ---- Conversions that the trace shows ----

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
      const auto at = operator_of_.find(forward_operator(one.node));
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

  std::uint32_t forward_operator(std::uint32_t node) const {
    if (!places_.is_backward[node]) return places_.outermost[node];
    for (const std::uint32_t work : trace_.all_work(node)) {
      const std::uint32_t forward = trace_.node_of_row(trace_.backward().forward[work]);
      if (forward != none) return places_.outermost[forward];
    }
    return none;
  }

  // ---- Parts without a convolution (weights of an optimizer, attention) are left out ----

  std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t of) const {
    while (parents[of] != of) of = parents[of] = parents[parents[of]];
    return of;
  }

  std::vector<bool> convolving_operators() const {
    std::vector<std::uint32_t> parents(graph_.nodes.size());
    for (std::uint32_t i = 0; i < parents.size(); ++i) parents[i] = i;
    for (const ConvertedTensor& tensor : graph_.problem.tensors) {
      for (const std::uint32_t consumer : tensor.consumers) parents[root_of(parents, consumer)] = root_of(parents, tensor.producer);
    }
    std::vector<bool> convolves(parents.size()), kept(parents.size());
    for (std::uint32_t i = 0; i < parents.size(); ++i) {
      const bool is_convolution = graph_.nodes[i] != none && trace_.nodes()[graph_.nodes[i]].role == OperatorRole::convolution;
      if (is_convolution) convolves[root_of(parents, i)] = true;
    }
    for (std::uint32_t i = 0; i < parents.size(); ++i) kept[i] = convolves[root_of(parents, i)];
    return kept;
  }

  void keep_what_convolves() {
    const std::vector<bool> kept = convolving_operators();
    LayoutGraph small;
    std::vector<std::uint32_t> number(kept.size(), none);
    for (std::uint32_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      number[i] = static_cast<std::uint32_t>(small.nodes.size());
      small.problem.operators.push_back(graph_.problem.operators[i]);
      small.nodes.push_back(graph_.nodes[i]);
      small.current.push_back(graph_.current[i]);
      small.inside.push_back(graph_.inside[i]);
    }
    for (std::uint32_t i = 0; i < graph_.problem.tensors.size(); ++i) {
      ConvertedTensor tensor = graph_.problem.tensors[i];
      if (!kept[tensor.producer]) continue;
      tensor.producer = number[tensor.producer];
      for (std::uint32_t& consumer : tensor.consumers) consumer = number[consumer];
      small.problem.tensors.push_back(std::move(tensor));
      small.sizes.push_back(graph_.sizes[i]);
      small.between.push_back(graph_.between[i]);
    }
    std::swap(graph_.problem, small.problem);
    std::swap(graph_.nodes, small.nodes);
    std::swap(graph_.current, small.current);
    std::swap(graph_.inside, small.inside);
    std::swap(graph_.sizes, small.sizes);
    std::swap(graph_.between, small.between);
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

// ---- What plans cost ----

LayoutCost cost_of(const LayoutGraph& graph, const ConversionPlan& plan) {
  LayoutCost cost{static_cast<double>(plan.cost), 0, plan.conversions.size()};
  for (std::size_t i = 0; i < plan.layouts.size(); ++i) {
    if (plan.layouts[i] == graph.current[i]) {
      *cost.time_ns += graph.inside[i].time_ns;
      continue;
    }
    const ConvertingOperator& one = graph.problem.operators[i];
    const ConversionCost bytes = plan.layouts[i] == TensorLayout::contiguous ? one.contiguous : one.channels_last;
    if (bytes == 0) continue;
    if (!graph.ns_per_byte) return {cost.bytes, std::nullopt, cost.conversions};
    *cost.time_ns += static_cast<double>(bytes) * *graph.ns_per_byte;
  }
  for (const ConversionPoint& point : plan.conversions) {
    const ConvertedTensor& tensor = graph.problem.tensors[point.tensor];
    const double bytes = static_cast<double>(point.to == TensorLayout::contiguous ? tensor.to_contiguous : tensor.to_channels_last);
    const SeenThere& there = graph.between[point.tensor];
    if (there.count > 0) {
      *cost.time_ns += there.time_ns / static_cast<double>(there.count);
    } else if (graph.ns_per_byte) {
      *cost.time_ns += bytes * *graph.ns_per_byte;
    } else {
      return {cost.bytes, std::nullopt, cost.conversions};
    }
  }
  return cost;
}

LayoutCost cost_as_it_is(const LayoutGraph& graph) {
  LayoutCost cost{0, 0, 0};
  const auto add = [&](const SeenThere& there) {
    cost.bytes += there.bytes;
    *cost.time_ns += there.time_ns;
  };
  std::ranges::for_each(graph.inside, add);
  std::ranges::for_each(graph.between, add);
  for (const SeenThere& there : graph.between) cost.conversions += there.count;
  return cost;
}

// Everything in this layout that accepts it.
ConversionPlan policy(const LayoutGraph& graph, TensorLayout wanted) {
  std::vector<TensorLayout> layouts;
  for (const ConvertingOperator& one : graph.problem.operators) {
    const bool is_forbidden = (wanted == TensorLayout::contiguous ? one.contiguous : one.channels_last) == forbidden;
    const TensorLayout other = wanted == TensorLayout::contiguous ? TensorLayout::channels_last : TensorLayout::contiguous;
    layouts.push_back(is_forbidden ? other : wanted);
  }
  return plan_with(graph.problem, std::move(layouts));
}

std::vector<GlobalConversion> conversions_of(const LayoutGraph& graph, const ConversionPlan& plan) {
  std::vector<GlobalConversion> conversions;
  for (const ConversionPoint& point : plan.conversions) {
    const ConvertedTensor& tensor = graph.problem.tensors[point.tensor];
    GlobalConversion one{graph.nodes[tensor.producer], none, graph.sizes[point.tensor], point.to};
    one.bytes = static_cast<double>(point.to == TensorLayout::contiguous ? tensor.to_contiguous : tensor.to_channels_last);
    const auto first = std::ranges::find(tensor.consumers, point.to, [&](std::uint32_t consumer) { return plan.layouts[consumer]; });
    if (first != tensor.consumers.end()) one.consumer = graph.nodes[*first];
    conversions.push_back(std::move(one));
  }
  std::ranges::stable_sort(conversions, std::ranges::greater{}, &GlobalConversion::bytes);
  return conversions;
}

double confidence_of(const LayoutTrace& trace, const LayoutGraph& graph, const std::optional<double>& explained) {
  constexpr double with_strides = 0.8, without = 0.5;
  // One tensor comes from outside in any case: the input of the program.
  const double doubtful = static_cast<double>(graph.guessed_edges + std::max<std::size_t>(1, graph.outside_edges) - 1);
  const double sure = graph.edges == 0 ? 0 : std::max(0.0, 1 - doubtful / static_cast<double>(graph.edges));
  return (trace.has_strides() ? with_strides : without) * (0.5 + 0.5 * sure) * explained.value_or(1);
}

std::string reason_against(const LayoutTrace& trace, std::span<const SeenConversion> seen) {
  if (!trace.has_shapes()) return "the sizes of tensors were not recorded: record with record_shapes=True";
  const bool any =
      std::ranges::any_of(seen, [&](const SeenConversion& one) { return one.node != none && trace.nodes()[one.node].step == 0; });
  if (!trace.has_strides() && !any)
    return "strides were not recorded, and no conversion of layout was seen: record with PyTorch 2.4 or newer and record_shapes=True";
  return "";
}

}  // namespace

LayoutGraph conversion_graph_of(const LayoutTrace& trace, std::span<const SeenConversion> seen,
                                std::optional<double> bandwidth_bytes_per_s) {
  return GraphBuilder(trace, seen, bandwidth_bytes_per_s).build();
}

GlobalLayout global_layout(const LayoutTrace& trace, std::span<const SeenConversion> seen, std::optional<double> bandwidth_bytes_per_s) {
  GlobalLayout global;
  global.not_assessed = reason_against(trace, seen);
  if (!global.not_assessed.empty()) return global;
  const LayoutGraph graph = conversion_graph_of(trace, seen, bandwidth_bytes_per_s);
  if (graph.nodes.empty()) {
    global.not_assessed = "no convolution passes its result on in the first step";
    return global;
  }
  global.as_it_is = cost_as_it_is(graph);
  global.contiguous = cost_of(graph, policy(graph, TensorLayout::contiguous));
  global.channels_last = cost_of(graph, policy(graph, TensorLayout::channels_last));
  global.best = global.as_it_is;
  // Where nothing is converted there is nothing to look for.
  const std::optional<ConversionPlan> plan = global.as_it_is.bytes > 0 ? cheapest_plan(graph.problem) : std::nullopt;
  const bool is_less = plan && static_cast<double>(plan->cost) < global.as_it_is.bytes;
  if (is_less) {
    global.best = cost_of(graph, *plan);
    global.conversions = conversions_of(graph, *plan);
  }
  global.operators = graph.nodes.size();
  global.in_channels_last =
      static_cast<std::size_t>(std::ranges::count(is_less ? plan->layouts : graph.current, TensorLayout::channels_last));
  if (graph.seen_bytes > 0) global.explained = global.as_it_is.bytes / graph.seen_bytes;
  global.confidence = confidence_of(trace, graph, global.explained);
  return global;
}

}  // namespace frx::derive::layout
