#include "compose/documents.h"
#include "compose/figures.h"

#include "base/text.h"
#include "base/units.h"
#include "compose/payloads.h"
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

void add_changed_labels(Document& page, std::string_view heading, const std::vector<std::string>& labels, std::string_view mark) {
  if (!labels.empty()) page.add(answer::Section{std::string(heading), "", false});
  for (const std::string& label : labels) page.hanging(mark, as_name(label));
}

// By time alone, which is finer than the documented outcome: that takes 5 % for neutral.
std::string answer_words(const report::NcuComparison& c) {
  using derive::compare::Answer;
  if (c.judgement.answer == Answer::cannot_tell) return fmt::format("inconclusive, {}", c.judgement.why_not);
  const bool better = c.judgement.answer == Answer::better;
  return fmt::format("{} is faster", better ? c.label_optimized : c.label_baseline);
}

std::string_view basis_words(const report::NcuComparison& c) { return c.basis == "kernel_gpu_time" ? "kernel time" : "bottlenecks"; }

std::string time_words(const report::NcuComparison& c) {
  if (!c.speedup) return "not comparable";
  return fmt::format("{} -> {} ({:.2f}x)", format_quantity(*c.baseline_us * 1e3, "ns"), format_quantity(*c.optimized_us * 1e3, "ns"),
                     *c.speedup);
}

std::string change_text(const report::MetricDelta& delta) {
  if (!delta.delta) return "n/a";
  return delta.unit == "byte" ? format_quantity(*delta.delta, "byte") : fmt::format("{:+.1f}", *delta.delta);
}

void add_metrics(Document& page, const report::NcuComparison& c) {
  if (c.metrics.empty()) return;
  page.blank();
  Table table{
      {{"metric", 26}, number_column("before", 14, 1), number_column("after", 14, 1), number_column("change", 12, 1), {"", 0, false, 1}}};
  table.indent = 0;
  table.headings = Table::Headings::loud;
  for (const report::MetricDelta& delta : c.metrics) {
    table.add({delta.label, shown(delta.baseline, delta.unit), shown(delta.optimized, delta.unit), change_text(delta), tag(delta)});
  }
  page.add(std::move(table));
}

void put_metrics(JsonObject& out, const report::NcuComparison& c) {
  for (const report::MetricDelta& delta : c.metrics) {
    out.object(delta.key, [&](JsonObject& inner) {
      inner.add("label", delta.label, "unit", delta.unit, "baseline", delta.baseline, "optimized", delta.optimized, "delta", delta.delta,
                "direction", unless_empty(delta.direction));
    });
  }
}

void put_ncu_verdict(JsonObject& out, const report::NcuComparison& c) {
  out.add("outcome", c.outcome, "basis", c.basis, "kernel_speedup_x", c.speedup, "answer", derive::compare::name_of(c.judgement.answer),
          "why_not", unless_empty(c.judgement.why_not), "noise_floor", c.judgement.noise_floor);
  put_baselines(out, c.judgement.baselines, c.judgement.baselines ? c.judgement.baselines->share_more() : 0);
  out.add("bottleneck_outcome", c.bottleneck_outcome, "bottlenecks_resolved", c.resolved.size(), "bottlenecks_new", c.appeared.size(),
          "bottlenecks_persistent", c.persistent.size(), "bottlenecks_improved", c.improved.size());
}

}  // namespace

void put_ncu_comparison(JsonObject& out, const report::NcuComparison& c) { put_ncu_comparison(out, c, {}); }

void put_ncu_comparison(JsonObject& out, const report::NcuComparison& c, const answer::Payload& more_of_predictions) {
  out.add("schema", "ncu_comparison_v1", "label_baseline", c.label_baseline, "label_optimized", c.label_optimized);
  out.object("baseline", c.baseline, put_profile);
  out.object("optimized", c.optimized, put_profile);
  out.object("bottleneck_diff", [&](JsonObject& inner) {
    inner.add("resolved", c.resolved, "new", c.appeared, "persistent", c.persistent, "improved", c.improved);
    inner.object("score_deltas", [&](JsonObject& deltas) {
      for (const auto& [label, delta] : c.score_deltas) deltas.add(label, delta);
    });
  });
  out.object("metric_deltas", &c, put_metrics);
  out.object("kernel_time", [&](JsonObject& inner) {
    inner.add("available", c.speedup.has_value(), "baseline_us", c.baseline_us, "optimized_us", c.optimized_us, "speedup_x", c.speedup,
              "source", "gpu__time_duration.sum, summed over launches");
  });
  out.object("verdict", &c, put_ncu_verdict);
  out.object("predictions", [&](JsonObject& inner) {
    put_prediction_scores(inner, c.predictions);
    if (more_of_predictions) more_of_predictions(inner);
  });
  out.add("caveats", c.caveats);
}

Document document_of(const report::NcuComparison& c) {
  Document page;
  page.headline = fmt::format("{} against {}: {} (by {})", c.label_optimized, c.label_baseline, c.outcome, basis_words(c));
  page.add(answer::Title{"NCU comparison:", fmt::format("{} -> {}", c.label_baseline, c.label_optimized), false});
  page.blank();
  page.hanging("Verdict: ", fmt::format("{} (by {})", to_upper(c.outcome), basis_words(c)), 0);
  page.hanging("Answer: ", answer_words(c), 0);
  page.hanging("Kernel time: ", time_words(c), 0);
  page.hanging("Bottlenecks: ",
               fmt::format("{} resolved, {} new, {} persistent ({} improved)", c.resolved.size(), c.appeared.size(), c.persistent.size(),
                           c.improved.size()),
               0);
  add_changed_labels(page, "Resolved", c.resolved, "[+] ");
  add_changed_labels(page, "New", c.appeared, "[-] ");
  add_changed_labels(page, "Persistent", c.persistent, "[=] ");
  add_metrics(page, c);
  add_figures(page, c);
  add_prediction_scores(page, c.predictions);
  if (!c.caveats.empty()) page.add(answer::Section{"Caveats", "", false});
  for (const std::string& caveat : c.caveats) page.hanging("- ", caveat);
  return page;
}

}  // namespace frx::compose
