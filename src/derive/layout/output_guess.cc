#include "derive/layout/output_guess.h"

namespace frx::derive::layout {
namespace {

const RecordedTensor* first_tensor(const RecordedInputs& inputs) {
  for (std::size_t i = 0; i < inputs.inputs.size(); ++i) {
    if (const RecordedTensor* const tensor = tensor_at(inputs, i)) return tensor;
  }
  return nullptr;
}

bool is_permuting(std::string_view name) {
  constexpr std::string_view names[] = {"permute", "transpose", "t",       "mT",       "swapaxes", "swapdims",
                                        "movedim", "moveaxis",  "numpy_T", "adjoint", "detach",   "alias"};
  return std::ranges::find(names, name) != std::end(names);
}

bool is_regrouping(std::string_view name) {
  constexpr std::string_view names[] = {"view",          "_unsafe_view", "view_as",    "reshape", "flatten", "unflatten",
                                        "_reshape_alias", "_reshape_copy", "reshape_as", "ravel",   "squeeze", "unsqueeze"};
  return std::ranges::find(names, name) != std::end(names);
}

bool are_reordered(DimensionsView first, DimensionsView second) {
  Dimensions a(first.begin(), first.end()), b(second.begin(), second.end());
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

// Sizes of all inputs by the rules of broadcasting; nothing where they do not fit.
std::optional<Dimensions> broadcast(const RecordedInputs& inputs) {
  Dimensions result;
  for (std::size_t i = 0; i < inputs.inputs.size(); ++i) {
    const RecordedTensor* const tensor = tensor_at(inputs, i);
    if (tensor == nullptr) continue;
    const Dimensions& shape = tensor->shape;
    if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::int64_t& into = result[result.size() - 1 - k];
      const std::int64_t size = shape[shape.size() - 1 - k];
      if (into != size && into != 1 && size != 1) return std::nullopt;
      if (into == 1) into = size;
    }
  }
  return result;
}

bool is_of_inputs(const RecordedInputs& inputs, DimensionsView sizes) {
  for (std::size_t i = 0; i < inputs.inputs.size(); ++i) {
    const RecordedTensor* const tensor = tensor_at(inputs, i);
    if (tensor != nullptr && std::ranges::equal(tensor->shape, sizes)) return true;
  }
  const std::optional<Dimensions> all = broadcast(inputs);
  return all && std::ranges::equal(*all, sizes);
}

bool has_dimension(DimensionsView sizes, std::int64_t size) { return std::ranges::find(sizes, size) != sizes.end(); }

// The columns come from one input, the rows from another.
bool is_of_product(const RecordedInputs& inputs, DimensionsView sizes) {
  if (sizes.empty()) return false;
  const auto has = [&](std::int64_t size) {
    return std::ranges::any_of(inputs.inputs, [&](const RecordedInput& input) {
      return input.kind == RecordedInput::Kind::tensor && has_dimension(input.tensors.front().shape, size);
    });
  };
  return std::ranges::all_of(sizes, has);
}

bool is_of_image(const RecordedInputs& inputs, DimensionsView sizes) {
  const RecordedTensor* const image = first_tensor(inputs);
  return image != nullptr && image->shape.size() == sizes.size() && sizes.size() >= 3 && image->shape.front() == sizes.front();
}

}  // namespace

OutputSizes output_sizes(const LayoutTrace& trace, std::uint32_t node) {
  if (trace.inputs(node) == nullptr) return OutputSizes::nothing;
  const std::string_view name = plain_name(trace.name(node));
  switch (trace.nodes()[node].role) {
    case OperatorRole::allocation:
    case OperatorRole::autograd:
    case OperatorRole::compiled: return OutputSizes::nothing;
    case OperatorRole::view:
      if (is_permuting(name)) return OutputSizes::permuted;
      return is_regrouping(name) ? OutputSizes::regrouped : OutputSizes::other;
    case OperatorRole::copy: return is_regrouping(name) ? OutputSizes::regrouped : name == "repeat" ? OutputSizes::other : OutputSizes::same;
    case OperatorRole::elementwise:
    case OperatorRole::normalisation:
    case OperatorRole::softmax: return OutputSizes::same;
    case OperatorRole::gemm: return OutputSizes::product;
    case OperatorRole::attention: return OutputSizes::same;
    case OperatorRole::convolution:
    case OperatorRole::pooling: return OutputSizes::image;
    default: return OutputSizes::other;
  }
}

bool may_have_made(const LayoutTrace& trace, std::uint32_t node, DimensionsView sizes) {
  const RecordedInputs* const inputs = trace.inputs(node);
  if (inputs == nullptr) return false;
  const RecordedTensor* const first = first_tensor(*inputs);
  if (first == nullptr) return false;
  switch (output_sizes(trace, node)) {
    case OutputSizes::same: return is_of_inputs(*inputs, sizes);
    case OutputSizes::permuted: return are_reordered(first->shape, sizes);
    case OutputSizes::regrouped: return element_count(first->shape) == element_count(sizes);
    case OutputSizes::product: return is_of_product(*inputs, sizes);
    case OutputSizes::image: return is_of_image(*inputs, sizes);
    default: return false;
  }
}

std::uint32_t maker_before(const LayoutTrace& trace, std::uint32_t node, DimensionsView sizes) {
  const std::vector<OperatorNode>& nodes = trace.nodes();
  const auto is_around = [&](std::uint32_t other) { return nodes[other].end > node; };
  for (std::uint32_t back = 1; back <= std::min(node, maker_reach); ++back) {
    const std::uint32_t at = node - back;
    if (nodes[at].step != nodes[node].step || trace.timeline().track[nodes[at].row] != trace.timeline().track[nodes[node].row]) break;
    if (is_around(at) || !may_have_made(trace, at, sizes)) continue;
    std::uint32_t outermost = at;
    for (std::uint32_t outer = nodes[at].parent; outer != none && !is_around(outer); outer = nodes[outer].parent) {
      if (may_have_made(trace, outer, sizes)) outermost = outer;
    }
    return outermost;
  }
  return none;
}

}  // namespace frx::derive::layout
