// Whether two captures are of batches of one size.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "report/operators/capture_comparison.h"

namespace frx::report {
namespace {

using Shape = std::vector<std::int64_t>;

// The tensors of "[[8, 128], [], [4]]", in the order of the text; those of lists of tensors one after the other.
std::vector<Shape> tensors_in(std::string_view text) {
  std::vector<Shape> tensors;
  bool is_open = false;
  while (!text.empty()) {
    std::int64_t number = 0;
    if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number); error == std::errc()) {
      if (is_open) tensors.back().push_back(number);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      continue;
    }
    if (text.front() == '[') {
      if (is_open && tensors.back().empty()) tensors.pop_back();  // it is a list of tensors
      tensors.emplace_back();
      is_open = true;
    }
    if (text.front() == ']') is_open = false;
    text.remove_prefix(1);
  }
  return tensors;
}

enum class Difference : std::uint8_t { none, outermost, other };

// `ratio`: by which all outermost dimensions that differ have grown.
Difference difference_of(std::string_view before, std::string_view after, double& ratio) {
  const std::vector<Shape> first = tensors_in(before), second = tensors_in(after);
  if (first.size() != second.size()) return Difference::other;
  ratio = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == second[i]) continue;
    if (first[i].size() != second[i].size() || first[i].empty() || first[i][0] <= 0 || second[i][0] <= 0) return Difference::other;
    if (!std::equal(first[i].begin() + 1, first[i].end(), second[i].begin() + 1)) return Difference::other;
    const double grown = static_cast<double>(second[i][0]) / static_cast<double>(first[i][0]);
    if (ratio != 0 && std::abs(grown - ratio) > 1e-9 * ratio) return Difference::other;
    ratio = grown;
  }
  return ratio == 0 ? Difference::none : Difference::outermost;
}

// What an optimizer does has the shapes of the parameters.
bool is_of_optimizer(std::string_view name) {
  return name.find("_foreach_") != name.npos || name.find("_fused_adam") != name.npos || name.find("_fused_sgd") != name.npos ||
         name.starts_with("Optimizer.");
}

std::string words_of(const std::map<std::string, Shape>& shapes) {
  std::vector<std::string> words;
  for (const auto& [name, shape] : shapes) words.push_back(fmt::format("{} [{}]", printable(name), fmt::join(shape, ", ")));
  return clip(join(words, ", "), 200);
}

BatchCheck by_operators(const OperatorCapture& before, const OperatorCapture& after, const std::vector<RowMatch>& matches,
                        std::string& why) {
  std::size_t equal = 0, outermost = 0, other = 0;
  std::string example;
  double common = 0;
  for (const RowMatch& match : matches) {
    if (match.kind != RowMatch::Kind::plain || match.before.size() != 1 || match.after.size() != 1) continue;
    const CapturedOperator& first = before.operators[match.before.front()];
    const CapturedOperator& second = after.operators[match.after.front()];
    if (!first.shapes.starts_with('[') || !second.shapes.starts_with('[') || is_of_optimizer(first.name)) continue;
    double ratio = 0;
    Difference difference = difference_of(first.shapes, second.shapes, ratio);
    if (difference == Difference::outermost && common != 0 && std::abs(ratio - common) > 1e-9 * common) difference = Difference::other;
    if (difference == Difference::outermost && common == 0) {
      common = ratio;
      example = fmt::format("{} has inputs of {} before and of {} after", printable(first.name), first.shapes, second.shapes);
    }
    ++(difference == Difference::none ? equal : difference == Difference::outermost ? outermost : other);
  }
  const std::size_t all = equal + outermost + other;
  if (all == 0) return BatchCheck::unknown;
  if (2 * outermost >= all && 2 * other <= outermost) {
    why = fmt::format(
        "of {} with known shapes, {} by the factor {:.4g}: {}", count_text(all, "operator"),
        outermost == 1 ? "1 differs in its outermost dimensions" : fmt::format("{} differ in their outermost dimensions", outermost),
        common, clip(example, 300));
    return BatchCheck::different;
  }
  return 2 * equal >= all ? BatchCheck::same : BatchCheck::unknown;
}

}  // namespace

BatchCheck check_batch(const OperatorCapture& before, const OperatorCapture& after, const std::vector<RowMatch>& matches,
                       std::string& why) {
  const auto &first = before.facts.input_shapes, &second = after.facts.input_shapes;
  if (first.empty() || second.empty()) return by_operators(before, after, matches, why);
  if (first == second) return BatchCheck::same;
  why = fmt::format("the model's inputs are {} before and {} after", words_of(first), words_of(second));
  return BatchCheck::different;
}

}  // namespace frx::report
