#include "derive/layout/output_guess.h"

#include "derive/layout/operator_output.h"

namespace frx::derive::layout {
namespace {

const RecordedTensor* first_tensor(const RecordedInputs& inputs) {
  for (std::size_t i = 0; i < inputs.inputs.size(); ++i) {
    if (const RecordedTensor* const tensor = tensor_at(inputs, i)) return tensor;
  }
  return nullptr;
}

bool is_permuting(std::string_view name) {
  constexpr std::string_view names[] = {"permute", "transpose", "t",       "mT",      "swapaxes", "swapdims",
                                        "movedim", "moveaxis",  "numpy_T", "adjoint", "detach",   "alias"};
  return std::ranges::find(names, name) != std::end(names);
}

bool is_regrouping(std::string_view name) {
  constexpr std::string_view names[] = {"view",           "_unsafe_view",  "view_as",    "reshape", "flatten", "unflatten",
                                        "_reshape_alias", "_reshape_copy", "reshape_as", "ravel",   "squeeze", "unsqueeze"};
  return std::ranges::find(names, name) != std::end(names);
}

bool makes_nothing(OperatorRole role) {
  return role == OperatorRole::allocation || role == OperatorRole::autograd || role == OperatorRole::compiled;
}

}  // namespace

OutputGuess guess_output(const LayoutTrace& trace, std::uint32_t node) {
  using Kind = OutputGuess::Kind;
  const RecordedInputs* const inputs = trace.inputs(node);
  const RecordedTensor* const first = inputs == nullptr ? nullptr : first_tensor(*inputs);
  if (first == nullptr || makes_nothing(trace.nodes()[node].role)) return {};
  const std::string_view name = plain_name(trace.name(node));
  if (is_permuting(name)) return {Kind::permuted, first->shape};
  if (is_regrouping(name)) return {Kind::regrouped, first->shape};
  if (const std::optional<OperatorOutput> output = output_of(trace.name(node), *inputs)) return {Kind::known, output->sizes};
  return {Kind::other, first->shape};
}

bool may_be(const OutputGuess& guess, DimensionsView sizes) {
  switch (guess.kind) {
    case OutputGuess::Kind::known: return std::ranges::equal(guess.sizes, sizes);
    case OutputGuess::Kind::permuted: return std::ranges::is_permutation(guess.sizes, sizes);
    case OutputGuess::Kind::regrouped: return element_count(guess.sizes) == element_count(sizes);
    default: return false;
  }
}

std::uint32_t maker_before(const LayoutTrace& trace, std::uint32_t node, DimensionsView sizes) {
  const std::vector<OperatorNode>& nodes = trace.nodes();
  const auto is_around = [&](std::uint32_t other) { return nodes[other].end > node; };
  for (std::uint32_t back = 1; back <= std::min(node, maker_reach); ++back) {
    const std::uint32_t at = node - back;
    if (nodes[at].step != nodes[node].step || trace.timeline().track[nodes[at].row] != trace.timeline().track[nodes[node].row]) break;
    if (is_around(at) || !may_be(guess_output(trace, at), sizes)) continue;
    std::uint32_t outermost = at;
    for (std::uint32_t outer = nodes[at].parent; outer != none && !is_around(outer); outer = nodes[outer].parent) {
      if (may_be(guess_output(trace, outer), sizes)) outermost = outer;
    }
    return outermost;
  }
  return none;
}

}  // namespace frx::derive::layout
