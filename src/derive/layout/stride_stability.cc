#include "derive/layout/stride_stability.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "base/text.h"
#include "derive/layout/compile_stability.h"
#include "derive/layout/output_guess.h"
#include "derive/layout/step_alignment.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {
namespace {

// A tensor among the inputs of an operator.
struct Slot {
  std::uint32_t input = 0, item = 0;  // item: of a list of tensors
  friend auto operator<=>(const Slot&, const Slot&) = default;
};

// Strides that decide where elements lie: those of dimensions of one element are 0, and all of a tensor of one element or none.
Dimensions telling_strides(const RecordedTensor& tensor) {
  const double elements = element_count(tensor.shape);
  Dimensions strides = *tensor.strides;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (elements <= 1 || tensor.shape[i] == 1) strides[i] = 0;
  }
  return strides;
}

const RecordedTensor* tensor_in(const RecordedInputs& inputs, Slot slot) {
  if (slot.input >= inputs.inputs.size()) return nullptr;
  const RecordedInput& input = inputs.inputs[slot.input];
  const bool has_tensors = input.kind == RecordedInput::Kind::tensor || input.kind == RecordedInput::Kind::tensors;
  return has_tensors && slot.item < input.tensors.size() ? &input.tensors[slot.item] : nullptr;
}

// An input of a site whose strides differ between steps, while its sizes and type are the same.
struct UnstableInput {
  std::size_t site = 0;
  Slot slot;
  const RecordedTensor* usual = nullptr;    // as most steps have it
  const RecordedTensor* changed = nullptr;  // as the first step has it that differs
  Dimensions usual_strides, changed_strides;
  std::vector<std::uint32_t> usual_steps, changed_steps;  // ascending, with these sizes
  std::size_t steps = 0, variants = 0;                    // with these sizes
};

// Steps by what they have of one slot.
using ByStrides = std::map<Dimensions, std::vector<std::uint32_t>>;
using BySizes = std::map<std::pair<Dimensions, std::string_view>, ByStrides>;

class SlotHistory {
 public:
  SlotHistory(const LayoutTrace& trace, const StepAlignment& steps, std::size_t site, Slot slot)
      : trace_(trace), steps_(steps), site_(site), slot_(slot) {
    for (std::uint32_t step = 0; step < steps.steps(); ++step) {
      const RecordedTensor* const tensor = at(step);
      if (tensor == nullptr || !tensor->strides) continue;
      history_[{tensor->shape, tensor->type}][telling_strides(*tensor)].push_back(step);
    }
  }

  bool has_several_sizes() const { return history_.size() > 1; }

  // Of the sizes that most steps have, with more than one kind of strides.
  std::optional<UnstableInput> unstable() const {
    const ByStrides* most = nullptr;
    std::size_t steps = 0;
    for (const auto& [sizes, by_strides] : history_) {
      const std::size_t count = steps_of(by_strides);
      if (by_strides.size() > 1 && count > steps) std::tie(most, steps) = std::pair(&by_strides, count);
    }
    return most == nullptr ? std::nullopt : std::optional(described(*most, steps));
  }

 private:
  const RecordedTensor* at(std::uint32_t step) const {
    const std::uint32_t node = steps_.node(site_, step);
    const RecordedInputs* const inputs = node == none ? nullptr : trace_.inputs(node);
    return inputs == nullptr ? nullptr : tensor_in(*inputs, slot_);
  }
  static std::size_t steps_of(const ByStrides& by_strides) {
    std::size_t count = 0;
    for (const auto& [strides, steps] : by_strides) count += steps.size();
    return count;
  }
  UnstableInput described(const ByStrides& by_strides, std::size_t steps) const {
    // Most steps, then the earliest.
    const auto usual = std::ranges::max_element(
        by_strides, {}, [](const auto& one) { return std::pair(one.second.size(), -static_cast<std::int64_t>(one.second.front())); });
    UnstableInput found;
    found.site = site_;
    found.slot = slot_;
    found.usual = at(usual->second.front());
    found.usual_strides = usual->first;
    found.usual_steps = usual->second;
    found.steps = steps;
    found.variants = by_strides.size();
    for (const auto& [strides, of] : by_strides) {
      if (strides != usual->first) found.changed_steps.insert(found.changed_steps.end(), of.begin(), of.end());
    }
    std::ranges::sort(found.changed_steps);
    found.changed = at(found.changed_steps.front());
    found.changed_strides = telling_strides(*found.changed);
    return found;
  }

  const LayoutTrace& trace_;
  const StepAlignment& steps_;
  std::size_t site_;
  Slot slot_;
  BySizes history_;
};

// What operators of a group hand on: a tensor that one of them may have made, or takes as well, is no finding of its own.
class Flow {
 public:
  bool explains(const UnstableInput& input) const {
    const Dimensions& sizes = input.usual->shape;
    if (taken_.contains({sizes, input.usual_strides, input.changed_strides}) || known_.contains(sizes)) return true;
    if (permuted_.contains(sorted(sizes)) || regrouped_.contains(element_count(sizes))) return true;
    return !sizes.empty() && (ends_of_others_.contains(sizes.front()) || ends_of_others_.contains(sizes.back()));
  }

  void add_input(const UnstableInput& input) { taken_.insert({input.usual->shape, input.usual_strides, input.changed_strides}); }

  void add_output(const OutputGuess& guess) {
    switch (guess.kind) {
      case OutputGuess::Kind::known: known_.insert(guess.sizes); break;
      case OutputGuess::Kind::permuted: permuted_.insert(sorted(guess.sizes)); break;
      case OutputGuess::Kind::regrouped: regrouped_.insert(element_count(guess.sizes)); break;
      case OutputGuess::Kind::other:
        // Most operators keep the batch, or the last dimension.
        if (!guess.sizes.empty()) ends_of_others_.insert({guess.sizes.front(), guess.sizes.back()});
        break;
      case OutputGuess::Kind::nothing: break;
    }
  }

 private:
  static Dimensions sorted(Dimensions sizes) {
    std::ranges::sort(sizes);
    return sizes;
  }

  std::set<std::tuple<Dimensions, Dimensions, Dimensions>> taken_;  // sizes, strides in most steps and in others
  std::set<Dimensions> known_, permuted_;
  std::set<double> regrouped_;
  std::set<std::int64_t> ends_of_others_;
};

// Of tensors that change in the same steps; what is beyond counts with the last of them.
constexpr std::size_t most_groups = 100;

struct Group {
  UnstableInput root;
  std::set<std::size_t> sites;
  Flow flow;
};

class EagerStability {
 public:
  explicit EagerStability(const LayoutTrace& trace) : trace_(trace), steps_(StepAlignment::of(trace)) {}

  StrideStability run() {
    if (!trace_.has_operators() || !can_be_asked()) return std::move(result_);
    for (const std::size_t site : sites_in_program_order()) look_at(site);
    for (const Group& group : groups_) result_.candidates.push_back(candidate_of(group));
    return std::move(result_);
  }

 private:
  bool can_be_asked() {
    const char* reason = nullptr;
    if (!trace_.has_strides()) {
      reason = "whether strides change between steps: the trace has no strides (record_shapes=True, with PyTorch 2.4 or newer)";
    } else if (steps_.steps() < 2) {
      reason = "whether strides change between steps: the trace has one step that counts (schedule(wait=1, warmup=2, active=3))";
    }
    if (reason != nullptr) result_.not_assessed.emplace_back(reason);
    return reason == nullptr;
  }

  std::int64_t start(std::size_t site) const { return trace_.timeline().start[trace_.nodes()[steps_.node(site, steps_.usual_step())].row]; }

  // Over all threads; an operator before those inside of it.
  std::vector<std::size_t> sites_in_program_order() const {
    std::vector<std::size_t> order(steps_.sites());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t site) { return start(site); });
    return order;
  }

  void look_at(std::size_t site) {
    const std::uint32_t usual = trace_.signature(steps_.node(site, steps_.usual_step()));
    if (usual == none) return;
    ++result_.compared;
    bool differs = false;
    for (std::size_t step = 0; step < steps_.steps() && !differs; ++step) {
      const std::uint32_t node = steps_.node(site, step);
      differs = node != none && trace_.signature(node) != none && trace_.signature(node) != usual;
    }
    if (differs) compare(site);
  }

  void compare(std::size_t site) {
    bool shapes_change = false;
    for (const Slot slot : slots_of(site)) {
      const SlotHistory history(trace_, steps_, site, slot);
      shapes_change = shapes_change || history.has_several_sizes();
      const std::optional<UnstableInput> found = history.unstable();
      if (found && is_believed(*found)) put(*found);
    }
    if (shapes_change) ++result_.changing_shapes;
  }

  std::vector<Slot> slots_of(std::size_t site) const {
    std::vector<Slot> slots;
    const RecordedInputs* const inputs = trace_.inputs(steps_.node(site, steps_.usual_step()));
    for (std::uint32_t i = 0; inputs != nullptr && i < inputs->inputs.size(); ++i) {
      for (std::uint32_t item = 0; item < inputs->inputs[i].tensors.size(); ++item) slots.push_back({i, item});
    }
    return slots;
  }

  // Where a step may be aligned another way, its nodes may have been joined with a neighbour of the same name: strides that the usual step
  // has at another place of that path prove nothing.
  bool is_believed(const UnstableInput& input) {
    if (std::ranges::any_of(input.changed_steps, [&](std::uint32_t step) { return steps_.is_certain(input.site, step); })) return true;
    if (seen_.empty()) note_all_strides();
    const std::uint32_t path = steps_.path(steps_.node(input.site, steps_.usual_step()));
    return !seen_.contains({path, input.slot, input.usual->shape, input.changed_strides});
  }

  void note_all_strides() {
    for (std::size_t site = 0; site < steps_.sites(); ++site) {
      const std::uint32_t node = steps_.node(site, steps_.usual_step());
      const RecordedInputs* const inputs = trace_.inputs(node);
      if (inputs == nullptr) continue;
      for (const Slot slot : slots_of(site)) {
        const RecordedTensor* const tensor = tensor_in(*inputs, slot);
        if (tensor->strides) seen_.insert({steps_.path(node), slot, tensor->shape, telling_strides(*tensor)});
      }
    }
  }

  void put(const UnstableInput& input) {
    std::vector<std::size_t>& same_steps = groups_by_steps_[input.changed_steps];
    auto found = std::ranges::find_if(same_steps, [&](std::size_t group) { return groups_[group].flow.explains(input); });
    if (found == same_steps.end() && same_steps.size() >= most_groups) found = std::prev(same_steps.end());
    const std::size_t at = found != same_steps.end() ? *found : groups_.size();
    if (found == same_steps.end()) {
      same_steps.push_back(at);
      groups_.push_back({input, {}, {}});
    }
    groups_[at].sites.insert(input.site);
    groups_[at].flow.add_input(input);
    groups_[at].flow.add_output(guess_output(trace_, steps_.node(input.site, input.usual_steps.front())));
  }

  Candidate candidate_of(const Group& group) const {
    const UnstableInput& root = group.root;
    Candidate made;
    made.detector = stride_instability_id;
    made.pattern = "eager_strides";
    for (const std::size_t site : group.sites) {
      for (const std::uint32_t step : root.changed_steps) {
        if (const std::uint32_t node = steps_.node(site, step); node != none) made.nodes.push_back(node);
      }
    }
    std::ranges::sort(made.nodes);
    made.node = steps_.node(root.site, root.changed_steps.front());
    made.count = trace_.per_step(static_cast<double>(made.nodes.size()));
    add_facts(group, made);
    add_words(root, made);
    add_time(group, made);
    add_doubts(root, made);
    return made;
  }

  bool is_compiled(std::uint32_t node) const {
    return trace_.outermost_around(node, [](OperatorRole role) { return role == OperatorRole::compiled; }) != none;
  }

  void add_facts(const Group& group, Candidate& into) const {
    const UnstableInput& root = group.root;
    const bool has_compiled =
        std::ranges::any_of(trace_.nodes(), [](const OperatorNode& node) { return node.role == OperatorRole::compiled; });
    into.facts["changes_per_step"] = static_cast<double>(root.changed_steps.size()) / static_cast<double>(root.steps);
    into.facts["steps_changed"] = static_cast<double>(root.changed_steps.size());
    into.facts["steps_compared"] = static_cast<double>(root.steps);
    into.facts["variants"] = static_cast<double>(root.variants);
    into.facts["input"] = root.slot.input;
    into.facts["followers"] = static_cast<double>(group.sites.size() - 1);
    into.facts["has_compiled"] = has_compiled ? 1 : 0;
    into.facts["at_compiled_region"] = is_compiled(into.node) ? 1 : 0;
    const double bytes = element_bytes(root.usual->type);
    if (bytes > 0) into.facts["pin_bytes"] = 2 * bytes * element_count(root.usual->shape);
  }

  static std::string pin_for(const UnstableInput& root) {
    const bool is_last =
        is_channels_last(root.usual->shape, *root.usual->strides) && !is_contiguous(root.usual->shape, *root.usual->strides);
    if (!is_last) return ".contiguous()";
    return fmt::format(".contiguous(memory_format=torch.channels_last{})", root.usual->shape.size() == 5 ? "_3d" : "");
  }

  void add_words(const UnstableInput& root, Candidate& into) const {
    std::map<std::string, std::string, std::less<>>& words = into.words;
    words["operator"] = trace_.name(into.node);
    words["sizes"] = text_of(root.usual->shape);
    words["type"] = root.usual->type;
    words["expected"] = text_of(*root.usual->strides);
    words["actual"] = text_of(*root.changed->strides);
    words["usual_layout"] = name_of(layout_of(root.usual->shape, *root.usual->strides));
    words["changed_layout"] = name_of(layout_of(root.changed->shape, *root.changed->strides));
    words["steps"] = words_of_steps(trace_, root.changed_steps);
    words["pin"] = pin_for(root);
    const std::uint32_t usual = maker_before(trace_, steps_.node(root.site, root.usual_steps.front()), root.usual->shape);
    const std::uint32_t changed = maker_before(trace_, into.node, root.usual->shape);
    constexpr std::string_view outside = "outside of the recorded operators of the step";  // a data loader, a tensor that is kept
    words["usual_producer"] = usual != none ? trace_.name(usual) : outside;
    words["producer"] = changed != none ? trace_.name(changed) : outside;
    if (const std::string inserted = inserted_before(into.node); !inserted.empty()) words["inserted"] = inserted;
  }

  // Views and copies just before the operator that the usual step does not call.
  std::string inserted_before(std::uint32_t node) const {
    constexpr std::uint32_t reach = 64;
    constexpr std::size_t most = 6;
    std::vector<std::string> names;
    const std::vector<OperatorNode>& nodes = trace_.nodes();
    for (std::uint32_t back = 1; back <= std::min(node, reach) && names.size() < most; ++back) {
      const std::uint32_t at = node - back;
      if (nodes[at].step != nodes[node].step) break;
      const bool is_inner = nodes[at].parent != none && steps_.site_of(nodes[at].parent) == none && nodes[nodes[at].parent].end <= node;
      if (nodes[at].end > node || is_inner || steps_.site_of(at) != none) continue;
      if (nodes[at].role == OperatorRole::view || nodes[at].role == OperatorRole::copy) names.emplace_back(trace_.name(at));
    }
    std::ranges::reverse(names);
    return join_with_and(names);
  }

  // Of the operators of a group, those within each other once; ns in each of these steps.
  double gpu_time(const Group& group, const std::vector<std::uint32_t>& steps) const {
    double sum = 0;
    for (const std::size_t site : group.sites) {
      const std::uint32_t parent = trace_.nodes()[steps_.node(site, steps_.usual_step())].parent;
      if (parent != none && group.sites.contains(steps_.site_of(parent))) continue;
      for (const std::uint32_t step : steps) {
        if (const std::uint32_t node = steps_.node(site, step); node != none) sum += static_cast<double>(trace_.gpu_time(node));
      }
    }
    return sum / static_cast<double>(steps.size());
  }

  // What the operators take more of the GPU in steps with other strides than in the others.
  void add_time(const Group& group, Candidate& into) const {
    if (!trace_.has_gpu_work()) return;
    const double extra_ns = gpu_time(group, group.root.changed_steps) - gpu_time(group, group.root.usual_steps);
    into.facts["extra_us_per_changed_step"] = extra_ns / 1000;
    const double best = std::max(0.0, trace_.per_step(extra_ns * static_cast<double>(group.root.changed_steps.size())));
    into.saving = SavedPerStep{0, best, 0, 0, false};
  }

  void add_doubts(const UnstableInput& root, Candidate& into) const {
    into.confidence = 0.95;
    if (!std::ranges::all_of(root.changed_steps, [&](std::uint32_t step) { return steps_.is_certain(root.site, step); })) {
      into.confidence = 0.6;
      into.caveats.emplace_back("the steps call different operators, and it is not certain which of them is this one");
    }
    if (root.steps < 3) {
      into.confidence = std::min(into.confidence, 0.7);
      into.caveats.emplace_back("two steps alone do not say which strides are the usual ones");
    }
  }

  const LayoutTrace& trace_;
  const StepAlignment steps_;
  StrideStability result_;
  std::vector<Group> groups_;
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> groups_by_steps_;
  std::set<std::tuple<std::uint32_t, Slot, Dimensions, Dimensions>> seen_;  // path, slot, sizes, strides; of the usual step
};

}  // namespace

std::string words_of_steps(const LayoutTrace& trace, const std::vector<std::uint32_t>& steps) {
  constexpr std::size_t most = 8;
  std::vector<std::string> numbers;
  for (const std::uint32_t step : steps) {
    if (numbers.size() < most) numbers.push_back(std::to_string(trace.steps().numbers[step]));
  }
  if (steps.size() > most) numbers.push_back(fmt::format("{} more", steps.size() - most));
  return join_with_and(numbers);
}

StrideStability eager_stride_instability(const LayoutTrace& trace) { return EagerStability(trace).run(); }

StrideStability stride_instability(const LayoutTrace& trace, const model::DynamoLog* log) {
  StrideStability found = eager_stride_instability(trace);
  add_compile_instability(trace, log, found);
  return found;
}

}  // namespace frx::derive::layout
