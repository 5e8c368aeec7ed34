#include "derive/layout/view_chains.h"

#include <algorithm>
#include <array>

#include "derive/layout/recorded_values.h"

namespace frx::derive::layout {
namespace {

// view(-1, 8) of 32 elements.
std::optional<Dimensions> resolved(Dimensions sizes, double elements) {
  double product = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& size : sizes) {
    if (size == -1) {
      open = &size;
    } else {
      product *= static_cast<double>(size);
    }
  }
  constexpr double most = 9e18;  // what a file claims may be more than a dimension can have
  if (open && (product <= 0 || elements / product > most)) return std::nullopt;
  if (open) *open = static_cast<std::int64_t>(elements / product);
  return sizes;
}

std::optional<Dimensions> expanded_sizes(const Dimensions& from, Dimensions sizes) {
  if (sizes.size() < from.size()) return std::nullopt;
  const std::size_t added = sizes.size() - from.size();
  for (std::size_t i = added; i < sizes.size(); ++i) {
    if (sizes[i] == -1) sizes[i] = from[i - added];
  }
  return sizes;
}

// The dimension that is the second input.
std::optional<std::size_t> dimension_at(const RecordedInputs& inputs, std::size_t rank) {
  const std::optional<std::int64_t> dimension = integer_at(inputs, 1);
  return dimension ? resolved_dimension(*dimension, rank) : std::nullopt;
}

std::optional<Dimensions> permuted_sizes(const Dimensions& from, const Permutation& permutation) {
  Dimensions sizes;
  for (const std::uint32_t dimension : permutation) sizes.push_back(from[dimension]);
  return sizes;
}

bool copies(const LayoutTrace& trace, std::uint32_t node) {
  if (trace.nodes()[node].role != OperatorRole::copy) return false;
  if (!trace.all_work(node).empty()) return true;
  for (std::uint32_t at = node; at < trace.nodes()[node].end; ++at) {
    if (trace.name(at) == "aten::copy_") return true;
  }
  return false;
}

class ChainBuilder {
 public:
  explicit ChainBuilder(const LayoutTrace& trace) : trace_(trace) {}

  std::vector<ViewChain> build() {
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      const OperatorNode& one = trace_.nodes()[node];
      // Views of the backward pass follow from those of the forward pass, and no program calls them.
      const bool is_of_autograd = one.parent != none && trace_.nodes()[one.parent].role == OperatorRole::autograd;
      if (one.step == none || is_of_autograd || !trace_.is_called_by_program(node)) continue;
      const std::uint32_t track = trace_.timeline().track[one.row];
      if (track != track_ || one.step != step_) finish();
      track_ = track;
      step_ = one.step;
      take(node);
    }
    finish();
    return std::move(chains_);
  }

 private:
  void take(std::uint32_t node) {
    const OperatorRole role = trace_.nodes()[node].role;
    const bool is_copy = copies(trace_, node);
    const bool is_view = role == OperatorRole::view || (role == OperatorRole::copy && !is_copy && trace_.name(node) != "aten::to");
    if (is_view) {
      if (!follows(node)) finish();
      add(node);
    } else if (is_copy) {
      if (follows(node)) open_.copy = node;
      wait_for_consumer();
    } else if (role != OperatorRole::allocation && role != OperatorRole::autograd && role != OperatorRole::compiled) {
      open_.consumer = node;
      finish(node);
    }
  }

  // A copy ends the chain; what consumes it is the next operator.
  void wait_for_consumer() {
    if (open_.views.empty()) return;
    chains_.push_back(std::move(open_));
    open_ = {};
    waiting_ = chains_.size();
    expected_.reset();
  }

  void finish(std::uint32_t consumer = none) {
    if (waiting_ > 0 && consumer != none && chains_[waiting_ - 1].consumer == none) chains_[waiting_ - 1].consumer = consumer;
    waiting_ = 0;
    if (!open_.views.empty()) chains_.push_back(std::move(open_));
    open_ = {};
    expected_.reset();
  }

  // May the operator work on the result of the last view?
  bool follows(std::uint32_t node) const {
    if (open_.views.empty()) return false;
    const RecordedInputs* const inputs = trace_.inputs(node);
    const RecordedTensor* const source = inputs ? tensor_at(*inputs, 0) : nullptr;
    return !expected_ || !source || source->shape == *expected_;
  }

  void add(std::uint32_t node) {
    const bool is_first = open_.views.empty();
    open_.views.push_back(node);
    open_.cpu_ns += static_cast<double>(trace_.timeline().duration[trace_.nodes()[node].row]);
    expected_ = result_sizes(trace_, node);
    if (!is_permutation(plain_name(trace_.name(node)))) {
      open_.composed.reset();
      is_composed_ = false;
      return;
    }
    ++open_.permutations;
    const std::optional<Permutation> by = permutation_by(trace_, node);
    if (is_first) {
      open_.composed = by;
      is_composed_ = by.has_value();
    } else if (is_composed_ && by && open_.composed && by->size() == open_.composed->size()) {
      open_.composed = then(*open_.composed, *by);
    } else {
      open_.composed.reset();
      is_composed_ = false;
    }
  }

  const LayoutTrace& trace_;
  std::vector<ViewChain> chains_;
  ViewChain open_;
  std::optional<Dimensions> expected_;  // the sizes of the result of the last view
  bool is_composed_ = false;
  std::size_t waiting_ = 0;  // 1 + the chain whose consumer is not known yet; 0: none
  std::uint32_t track_ = none, step_ = none;
};

}  // namespace

std::vector<ViewChain> view_chains(const LayoutTrace& trace) { return ChainBuilder(trace).build(); }

bool is_permutation(std::string_view plain_name) {
  constexpr std::array<std::string_view, 10> names = {"permute",  "transpose", "t",        "mT",      "swapaxes",
                                                      "swapdims", "movedim",   "moveaxis", "numpy_T", "adjoint"};
  return std::ranges::find(names, plain_name) != names.end();
}

std::optional<Permutation> permutation_by(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  const RecordedTensor* const source = inputs ? tensor_at(*inputs, 0) : nullptr;
  if (!source) return std::nullopt;
  const std::size_t rank = source->shape.size();
  const std::string_view name = plain_name(trace.name(node));
  if (name == "t") return rank == 2 ? transposition(0, 1, 2) : std::optional(identity_permutation(rank));
  if (name == "mT" || name == "adjoint") return transposition(-2, -1, rank);
  if (name == "permute") {
    const std::optional<Dimensions> dimensions = integers_at(*inputs, 1);
    return dimensions ? permutation_of(*dimensions, rank) : std::nullopt;
  }
  if (name == "transpose" || name == "swapaxes" || name == "swapdims") {
    const std::optional<std::int64_t> first = integer_at(*inputs, 1), second = integer_at(*inputs, 2);
    return first && second ? transposition(*first, *second, rank) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Dimensions> result_sizes(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  const RecordedTensor* const source = inputs ? tensor_at(*inputs, 0) : nullptr;
  if (!source) return std::nullopt;
  const std::string_view name = plain_name(trace.name(node));
  const Dimensions& from = source->shape;
  if (is_permutation(name)) {
    const std::optional<Permutation> by = permutation_by(trace, node);
    return by && by->size() == from.size() ? permuted_sizes(from, *by) : std::nullopt;
  }
  if (name == "detach" || name == "alias") return from;
  if (name == "view" || name == "_unsafe_view" || name == "reshape" || name == "_reshape_alias") {
    std::optional<Dimensions> sizes = integers_at(*inputs, 1);
    return sizes ? resolved(std::move(*sizes), element_count(from)) : std::nullopt;
  }
  if (name == "expand") {
    std::optional<Dimensions> sizes = integers_at(*inputs, 1);
    return sizes ? expanded_sizes(from, std::move(*sizes)) : std::nullopt;
  }
  if (name == "unsqueeze") {
    const std::optional<std::size_t> at = dimension_at(*inputs, from.size() + 1);
    if (!at) return std::nullopt;
    Dimensions sizes = from;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*at), 1);
    return sizes;
  }
  if (name == "select") {
    const std::optional<std::size_t> at = dimension_at(*inputs, from.size());
    if (!at) return std::nullopt;
    Dimensions sizes = from;
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(*at));
    return sizes;
  }
  return std::nullopt;
}

}  // namespace frx::derive::layout
