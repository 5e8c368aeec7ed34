#include "knowledge/run_labels.h"

#include <algorithm>
#include <cmath>

namespace frx::knowledge {
namespace {

using model::run_fact_names;
using model::RunFact;

std::optional<RunFact> fact_called(std::string_view name) {
  const auto* const at = std::ranges::find(run_fact_names, name, &model::RunFactName::name);
  return at == std::end(run_fact_names) ? std::nullopt : std::optional(static_cast<RunFact>(at - run_fact_names));
}

// Slots of thresholds follow those of facts.
std::optional<Operand> operand_called(std::string_view name, const Thresholds& thresholds) {
  if (const std::optional<RunFact> fact = fact_called(name)) {
    const auto slot = static_cast<std::uint32_t>(*fact);
    return Operand{slot, *parse_unit(run_fact_names[slot].unit), false};
  }
  const std::optional<std::size_t> at = thresholds.find(name);
  if (!at) return std::nullopt;
  return Operand{static_cast<std::uint32_t>(model::run_fact_count + *at), thresholds.all()[*at].unit, false};
}

Result<RunLabel> run_label_of(const Value& root, const Thresholds& thresholds) {
  RunLabel label;
  label.id = root["id"].text();
  label.display = root["display"].text();
  label.why = root["why"].text();
  label.why_timed = root["why_timed"] ? root["why_timed"].text() : label.why;
  label.missing = root["missing"].text();
  label.stall = root["stall"] ? root["stall"].text() : label.id;
  if (label.id.empty() || label.display.empty() || label.why.empty()) {
    return fail(ErrorKind::malformed, "expected id, display and why").at(root.where());
  }
  label.layer = model::Layer::profiler;
  label.rule = root["when"].text();
  TRY_ASSIGN(label.kind, finding_kind(root));
  label.order = root["order"].number().value_or(0);
  label.is_risk = root["risk"].boolean().value_or(false);
  const auto operand = [&](std::string_view name) { return operand_called(name, thresholds); };
  TRY_ASSIGN(label.when, Expression::parse(root["when"].text(), operand, root["when"].where()));
  TRY_ASSIGN(label.score, Expression::parse(root["score"].text(), operand, root["score"].where()));
  if (root["lost"]) {
    TRY_ASSIGN(label.lost, Expression::parse(root["lost"].text(), operand, root["lost"].where()));
  }
  if (!label.when.is_truth() || label.score.is_truth() || label.lost.is_truth()) {
    return fail(ErrorKind::malformed, "expected a condition as 'when', numbers as 'score' and 'lost'").at(root.where());
  }
  const Value evidence = root["evidence"];
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const std::optional<RunFact> fact = fact_called(evidence.value(i).text());
    if (!fact) return fail(ErrorKind::malformed, "no fact '{}'", evidence.value(i).text()).at(evidence.value(i).where());
    label.evidence.emplace_back(evidence.key(i), *fact);
  }
  label.cases = root["cases"];
  label.where = root.where();
  return label;
}

std::string shown(std::string_view name, const model::RunFacts& facts) {
  const bool as_share = name.ends_with("_pct") && !fact_called(name);
  const std::optional<RunFact> fact = fact_called(as_share ? name.substr(0, name.size() - 4) : name);
  if (!fact || !facts[*fact]) return "?";
  const double value = *facts[*fact];
  if (as_share) return fmt::format("{:.0f}", 100 * value);
  if (value > 0 && value < 0.01) return "less than 0.01";
  const bool is_whole = value == std::round(value) || std::abs(value) >= 1000;  // where three digits would need an exponent
  return is_whole && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

Result<RunLabels> RunLabels::load(const Library& library, const std::map<std::string, double>& own) {
  RunLabels loaded;
  TRY_ASSIGN(loaded.thresholds_, Thresholds::load(library));
  TRY(loaded.thresholds_.lay(own));
  for (const Value& root : library.folder("run_labels")) {
    TRY_ASSIGN(RunLabel label, run_label_of(root, loaded.thresholds_));
    loaded.labels_.push_back(std::move(label));
  }
  std::ranges::stable_sort(loaded.labels_, {}, &RunLabel::order);
  return loaded;
}

Lookup RunLabels::lookup(const model::RunFacts& facts) const {
  return [&facts, this](std::uint32_t slot) {
    return slot < model::run_fact_count ? facts[static_cast<RunFact>(slot)]
                                        : std::optional(thresholds_.all()[slot - model::run_fact_count].value);
  };
}

const RunLabel* RunLabels::with_id(std::string_view id) const {
  const auto at = std::ranges::find(labels_, id, &RunLabel::id);
  return at == labels_.end() ? nullptr : &*at;
}

std::string filled(std::string_view words, const model::RunFacts& facts) {
  std::string text;
  while (!words.empty()) {
    const std::size_t open = words.find('{');
    text += words.substr(0, open);
    if (open == words.npos) break;
    const std::size_t close = words.find('}', open);
    if (close == words.npos) break;
    text += shown(words.substr(open + 1, close - open - 1), facts);
    words.remove_prefix(close + 1);
  }
  return text;
}

}  // namespace frx::knowledge
