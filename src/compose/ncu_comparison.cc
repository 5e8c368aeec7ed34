#include "compose/ncu_comparison.h"

#include "base/text.h"
#include "base/units.h"
#include "compose/json.h"
#include "compose/markdown.h"
#include "compose/ncu_json.h"
#include "compose/prediction_scores.h"

namespace frx::compose {
namespace {

std::string shown(std::optional<double> value, std::string_view unit) {
  if (!value) return "n/a";
  return unit == "byte" ? format_quantity(*value, unit) : fmt::format("{:.1f}", *value);
}

std::string tag(const report::MetricDelta& delta) {
  if (delta.direction == "improved") return "[+]";
  if (delta.direction == "regressed") return "[-]";
  return delta.delta ? "[=]" : "[ ]";
}

void add_labels(std::string& text, std::string_view heading, const std::vector<std::string>& labels, std::string_view mark) {
  if (labels.empty()) return;
  text += fmt::format("\n{}\n", heading);
  for (const std::string& label : labels) text += fmt::format("  {} {}\n", mark, label);
}

// By time alone, which is finer than the documented outcome: that takes 5 % for neutral.
std::string answer_line(const report::NcuComparison& c) {
  using derive::compare::Answer;
  if (c.judgement.answer == Answer::cannot_tell) return fmt::format("Answer: one cannot tell which is faster, {}\n", c.judgement.why_not);
  const bool better = c.judgement.answer == Answer::better;
  return fmt::format("Answer: {} is faster\n", better ? c.label_optimized : c.label_baseline);
}

std::string time_line(const report::NcuComparison& c) {
  if (!c.speedup) return "Kernel time: not comparable\n";
  return fmt::format("Kernel time: {} -> {} ({:.2f}x)\n", format_quantity(*c.baseline_us * 1e3, "ns"),
                     format_quantity(*c.optimized_us * 1e3, "ns"), *c.speedup);
}

std::string change_text(const report::MetricDelta& delta) {
  if (!delta.delta) return "n/a";
  return delta.unit == "byte" ? format_quantity(*delta.delta, "byte") : fmt::format("{:+.1f}", *delta.delta);
}

std::string metric_table(const report::NcuComparison& c) {
  if (c.metrics.empty()) return "";
  std::string text = fmt::format("\n{:<26} {:>14} {:>14} {:>12}\n", "METRIC", "BEFORE", "AFTER", "CHANGE");
  for (const report::MetricDelta& delta : c.metrics) {
    text += fmt::format("{:<26} {:>14} {:>14} {:>12} {}\n", delta.label, shown(delta.baseline, delta.unit),
                        shown(delta.optimized, delta.unit), change_text(delta), tag(delta));
  }
  return text;
}

void add_labels_to_list(std::string& text, std::string_view what, const std::vector<std::string>& labels) {
  if (labels.empty()) return;
  std::vector<std::string> names;
  for (const std::string& label : labels) names.push_back(markdown_code(label));
  text += fmt::format("- {}: {}\n", what, join(names, ", "));
}

Json baselines_json(const std::optional<derive::compare::BaselineSpread>& baselines) {
  if (!baselines) return nullptr;
  return {{"runs", baselines->runs}, {"largest_difference", number(baselines->largest)}, {"noise_floor", number(baselines->share_more())}};
}

}  // namespace

Json ncu_comparison_json(const report::NcuComparison& c) {
  Json json;
  json["schema"] = "ncu_comparison_v1";
  json["label_baseline"] = c.label_baseline;
  json["label_optimized"] = c.label_optimized;
  json["baseline"] = ncu_json(*c.baseline);
  json["optimized"] = ncu_json(*c.optimized);
  Json deltas = Json::object();
  for (const auto& [label, delta] : c.score_deltas) deltas[label] = number(delta);
  json["bottleneck_diff"] = {
      {"resolved", c.resolved}, {"new", c.appeared}, {"persistent", c.persistent}, {"improved", c.improved}, {"score_deltas", deltas}};
  json["metric_deltas"] = Json::object();
  for (const report::MetricDelta& delta : c.metrics) {
    json["metric_deltas"][delta.key] = {{"label", delta.label},
                                        {"unit", delta.unit},
                                        {"baseline", number(delta.baseline)},
                                        {"optimized", number(delta.optimized)},
                                        {"delta", number(delta.delta)},
                                        {"direction", delta.direction.empty() ? Json(nullptr) : Json(delta.direction)}};
  }
  json["kernel_time"] = {{"available", c.speedup.has_value()},
                         {"baseline_us", number(c.baseline_us)},
                         {"optimized_us", number(c.optimized_us)},
                         {"speedup_x", number(c.speedup)},
                         {"source", "gpu__time_duration.sum, summed over launches"}};
  json["verdict"] = {{"outcome", c.outcome},
                     {"basis", c.basis},
                     {"kernel_speedup_x", number(c.speedup)},
                     {"answer", derive::compare::name_of(c.judgement.answer)},
                     {"why_not", text_or_null(c.judgement.why_not)},
                     {"noise_floor", number(c.judgement.noise_floor)},
                     {"baselines", baselines_json(c.judgement.baselines)},
                     {"bottleneck_outcome", c.bottleneck_outcome},
                     {"bottlenecks_resolved", c.resolved.size()},
                     {"bottlenecks_new", c.appeared.size()},
                     {"bottlenecks_persistent", c.persistent.size()},
                     {"bottlenecks_improved", c.improved.size()}};
  json["predictions"] = prediction_scores_json(c.predictions);
  json["caveats"] = c.caveats;
  return json;
}

std::string ncu_comparison_text(const report::NcuComparison& c, const Style& style) {
  std::string text = fmt::format("NCU COMPARISON: {} -> {}\n\n", c.label_baseline, c.label_optimized);
  text += fmt::format("Verdict: {} (by {})\n", to_upper(c.outcome), c.basis == "kernel_gpu_time" ? "kernel time" : "bottlenecks");
  text += answer_line(c);
  text += time_line(c);
  text += fmt::format("Bottlenecks: {} resolved, {} new, {} persistent ({} improved)\n", c.resolved.size(), c.appeared.size(),
                      c.persistent.size(), c.improved.size());
  add_labels(text, "RESOLVED", c.resolved, "[+]");
  add_labels(text, "NEW", c.appeared, "[-]");
  add_labels(text, "PERSISTENT", c.persistent, "[=]");
  text += metric_table(c);
  text += prediction_scores_text(c.predictions, style);
  if (!c.caveats.empty()) text += "\nCAVEATS\n";
  for (const std::string& caveat : c.caveats) {
    for (const std::string& line : wrap("- " + caveat, static_cast<std::size_t>(style.width) - 2)) text += "  " + line + "\n";
  }
  return text;
}

std::string ncu_comparison_markdown(const report::NcuComparison& c) {
  std::string text = fmt::format("### frx: {} against {}: {} (by {})\n\n", markdown_text(c.label_optimized),
                                 markdown_text(c.label_baseline), c.outcome, c.basis == "kernel_gpu_time" ? "kernel time" : "bottlenecks");
  text += fmt::format("- {}\n- {}\n", markdown_text(trim(answer_line(c))), markdown_text(trim(time_line(c))));
  add_labels_to_list(text, "resolved", c.resolved);
  add_labels_to_list(text, "new", c.appeared);
  add_labels_to_list(text, "persistent", c.persistent);
  if (!c.metrics.empty()) text += "\n" + markdown_head({"metric", "before", "after", "change", ""});
  for (const report::MetricDelta& delta : c.metrics) {
    text += markdown_row({delta.label, shown(delta.baseline, delta.unit), shown(delta.optimized, delta.unit), change_text(delta),
                          delta.direction == "neutral" ? "" : delta.direction});
  }
  text += prediction_scores_markdown(c.predictions);
  if (!c.caveats.empty()) text += "\n";
  for (const std::string& caveat : c.caveats) text += fmt::format("- {}\n", markdown_text(caveat));
  return text;
}

}  // namespace frx::compose
