#include <algorithm>
#include <set>

#include "analyse/why_stories.h"
#include "analyse/why_words.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/ncu_words.h"

namespace frx::analyse {
namespace {

using compose::roofline_text;
using model::Finding;
using report::NcuReport;

constexpr std::size_t kernels_told = 20;

struct ProfileQuestion {
  const NcuReport& report;
  const knowledge::Knowledge& knowledge;
  std::string id;     // the field without a prefix
  std::string label;  // before ".time_at_stake"
};

std::string id_of(std::string_view field, const knowledge::MetricTables& tables) {
  if (const std::size_t dot = field.rfind('.'); dot != field.npos) field = field.substr(dot + 1);
  if (const std::string_view id = tables.metric_called(field); !id.empty()) return std::string(id);
  if (field.starts_with("avg_")) field.remove_prefix(4);
  return std::string(field);
}

void add_value(std::string& text, std::string_view of, const report::Value& value, const report::SourceFile& file) {
  text += fmt::format("{}: {} = {}\n", of, value.id, format_quantity(value.value(), value.unit));
  add_story_lines(text, "from", source_text(value, file));
  add_story_lines(text, "counter", value.counter);
  add_story_lines(text, "meaning", value.meaning);
}

// " [ncu_occupancy_low_pct = 40 %]", of those that the condition mentions; "" without any.
std::string thresholds_in(const model::FindingType& type, const knowledge::Thresholds& thresholds) {
  std::vector<std::string> said;
  for (const std::string_view name : type.thresholds) {
    const knowledge::Threshold& threshold = thresholds.all()[*thresholds.find(name)];
    said.push_back(fmt::format("{} = {}", name, format_quantity(threshold.value, to_string(threshold.unit.dimension))));
  }
  return said.empty() ? "" : fmt::format(" [{}]", join(said, ", "));
}

void add_rule(std::string& text, const model::FindingType& type, const knowledge::Thresholds& thresholds) {
  add_story_lines(text, "rule", type.where);
  add_story_lines(text, "", std::string(type.rule) + thresholds_in(type, thresholds));
}

void add_finding(std::string& text, std::string_view of, const Finding& finding, const NcuReport& report) {
  text += fmt::format("{}: {} holds with score {:.2f}\n", of, finding.id(), finding.score);
  add_rule(text, *finding.type, report.thresholds);
  if (!finding.consequence_of.empty())
    add_story_lines(text, "weighed", fmt::format("a third, as a consequence of {}", finding.consequence_of));
  for (const model::Evidence& line : finding.evidence) {
    text += fmt::format("  because  {} = {} ({})\n", line.value.id, format_quantity(line.value.value(), line.value.unit),
                        source_text(line.value, report.file()));
  }
}

template <typename Owner>
void add_all(std::string& text, std::string_view of, const Owner& owner, const std::string& id, const NcuReport& report) {
  if (const report::Value* value = owner.value(id)) add_value(text, of, *value, report.file());
  for (const Finding& finding : owner.findings) {
    if (finding.id() == id) add_finding(text, of, finding, report);
  }
}

std::string kernel_words(const report::Kernel& kernel) { return shorten(kernel.short_name, 40); }

// Tells of the run and of each kernel, the longest first.
template <typename Tell>
std::string of_each(const NcuReport& report, Tell&& tell) {
  std::string text;
  for (std::size_t i = 0; i < report.kernels.size() && i < kernels_told; ++i) tell(text, report.kernels[i]);
  if (report.kernels.size() > kernels_told) text += fmt::format("and {} more kernels\n", report.kernels.size() - kernels_told);
  return text;
}

std::string value_story(const ProfileQuestion& q) {
  std::string text;
  add_all(text, "run", q.report, q.id, q.report);
  if (q.report.kernels.size() < 2) return text;
  for (std::size_t i = 0; i < q.report.kernels.size() && i < kernels_told; ++i)
    add_all(text, kernel_words(q.report.kernels[i]), q.report.kernels[i], q.id, q.report);
  return text;
}

std::string not_measured(const ProfileQuestion& q) {
  const auto metric = q.knowledge.metrics.with_id(q.id);
  if (!metric) return {};
  const knowledge::MetricDefinition& definition = q.knowledge.metrics[*metric];
  std::string text = fmt::format("{} was not measured in this file and cannot be computed from it.\n", q.id);
  if (!definition.ncu.empty())
    text += fmt::format("  collect  ncu --csv --log-file more.csv --metrics {} ./your_app\n", definition.ncu.front());
  return text;
}

// A label that does not lead and is not among those found.
std::string label_not_found(const ProfileQuestion& q) {
  const knowledge::Label* label = q.knowledge.labels.with_id(q.id);
  if (!label) return {};
  const Finding* other = model::find_finding(q.report.others, q.id);
  std::string text = other && other->is_clear() ? q.id + " does not hold: what was measured rules it out.\n"
                                                : q.id + " is inconclusive: the file does not hold what decides it.\n";
  add_rule(text, *label, q.report.thresholds);
  if (other && !other->missing.empty())
    text += fmt::format("  collect  ncu --csv --log-file more.csv --metrics {} ./your_app\n", fmt::join(other->missing, ","));
  return text;
}

// The values that the formula of a label mentions, of one kernel.
void add_operands(std::string& text, const knowledge::Label& label, const report::Kernel& kernel, const ProfileQuestion& q) {
  for (const std::uint32_t slot : label.time_at_stake.slots()) {
    if (slot >= knowledge::LabelCatalogue::first_class_slot) continue;
    const knowledge::MetricDefinition& metric = q.knowledge.metrics[model::Metric{static_cast<std::uint16_t>(slot)}];
    if (const report::Value* value = kernel.value(metric.id))
      text += fmt::format("  because  {} = {} ({})\n", value->id, format_quantity(value->value(), value->unit),
                          source_text(*value, q.report.file()));
    else
      text += fmt::format("  unknown  {}\n", metric.id);
  }
}

// LABEL.time_at_stake, or that of the leading label.
std::string stake_story(const ProfileQuestion& q) {
  if (q.id != "time_at_stake" && q.id != "time_at_stake_us" && q.id != "at_stake") return {};
  const std::string id = q.label.empty() ? q.report.primary : q.label;
  const knowledge::Label* label = q.knowledge.labels.with_id(id);
  if (!label) return fmt::format("{}: nothing is at stake: no label leads\n", id.empty() ? "run" : id);
  if (label->time_at_stake.empty())
    return fmt::format("{}: it has no time at stake: no counter shows how much of the work is unnecessary\n  rule     {}\n", id,
                       label->where);
  std::string text = of_each(q.report, [&](std::string& out, const report::Kernel& kernel) {
    const Finding* finding = model::find_finding(kernel.findings, id);
    if (!finding) return;
    const std::string stake =
        finding->time_at_stake ? "at most " + format_quantity(*finding->time_at_stake, "ns") : "not known, without a duration";
    out += fmt::format("{}: {}, at stake {}\n", kernel_words(kernel), id, stake);
    add_operands(out, *label, kernel, q);
  });
  if (text.empty()) return label_not_found({q.report, q.knowledge, id, {}});
  add_story_lines(text, "rule", label->where);
  add_story_lines(text, "", label->time_at_stake.text());
  add_story_lines(text, "note", label->stake_note);
  return text;
}

std::string roofline_story(const ProfileQuestion& q) {
  if (q.id != "mfu" && q.id != "mfu_pct" && q.id != "roofline" && q.id != "arithmetic_intensity" && q.id != "roofline_region") return {};
  return of_each(q.report, [&](std::string& out, const report::Kernel& kernel) {
    const derive::Roofline& roofline = kernel.roofline;
    out += fmt::format("{}: {}\n", kernel_words(kernel), roofline_text(roofline));
    if (q.id.starts_with("mfu")) {
      const derive::RooflinePoint* main = roofline.main();
      if (roofline.mfu_pct && main && main->peak_tflops) {
        add_story_lines(out, "mfu",
                        fmt::format("{:.2f} % = {:.4g} TFLOP/s done, of {:.4g} TFLOP/s of dense {} ({})", *roofline.mfu_pct,
                                    main->achieved_tflops, *main->peak_tflops, main->precision, q.report.gpu));
      } else {
        add_story_lines(out, "mfu", "not known: it takes counts of operations, bytes, a duration and a GPU whose peaks are known");
      }
    }
    for (const derive::RooflinePoint& point : roofline.points) {
      add_story_lines(out, "point",
                      fmt::format("{} against {}: {:.4g} operations a byte, {:.4g} TFLOP/s", point.precision, point.level, point.intensity,
                                  point.achieved_tflops));
    }
    add_story_lines(out, "because", roofline.explanation);
  });
}

std::string opportunity_story(const ProfileQuestion& q) {
  if (q.id != "opportunity" && q.id != "opportunity_score" && q.id != "opportunity_label") return {};
  return of_each(q.report, [&](std::string& out, const report::Kernel& kernel) {
    if (!kernel.opportunity_score) {
      out += fmt::format("{}: opportunity not known: neither the busiest unit nor a roofline was measured\n", kernel_words(kernel));
      return;
    }
    out += fmt::format("{}: opportunity {} with score {:.3f}\n", kernel_words(kernel), kernel.opportunity, *kernel.opportunity_score);
    add_story_lines(out, "rule", "share of the time x severity (1 below the memory roof, else 0.4 to 0.85) x distance to the roof");
    const auto add = [&](std::string_view id) {
      if (const report::Value* value = kernel.value(id))
        out += fmt::format("  because  {} = {} ({})\n", id, format_quantity(value->value(), value->unit),
                           source_text(*value, q.report.file()));
    };
    if (kernel.runtime_share_pct)
      add_story_lines(out, "because", fmt::format("{:.1f} % of the time of the run", *kernel.runtime_share_pct));
    for (const std::string_view id : {"busiest_unit_pct", "achieved_occupancy_pct", "dram_pct"}) add(id);
    add_story_lines(out, "because", roofline_text(kernel.roofline));
  });
}

std::string verdict_in_profile(const void* report, std::string_view label) {
  const auto& profile = *static_cast<const NcuReport*>(report);
  return verdict_words(profile.findings, profile.others, label);
}

}  // namespace

Result<std::string> why(const NcuReport& report, std::string_view field, const knowledge::Knowledge& knowledge) {
  ProfileQuestion q{report, knowledge, id_of(field, knowledge.tables), {}};
  if (const std::size_t dot = field.rfind('.'); dot != field.npos) q.label = field.substr(0, dot);
  if (q.id == "primary_bottleneck" || q.id == "primary") q.id = report.primary;
  for (const auto& story : {value_story, stake_story, roofline_story, opportunity_story, not_measured, label_not_found}) {
    if (std::string text = story(q); !text.empty()) return text;
  }
  if (std::string text = recommendation_story(report.advice, "run", q.id, knowledge, verdict_in_profile, &report); !text.empty())
    return text;
  return unknown_field(field, knowledge.metrics.nearest_id(q.id));
}

}  // namespace frx::analyse
