#include "knowledge/judge.h"

#include <algorithm>

#include "base/text.h"

namespace frx::knowledge {

Result<> JudgeKnowledge::add_metric(const Value& entry, std::string_view section, const MetricCatalogue& metrics) {
  JudgedMetric one{section, entry["label"].text(), entry["key"].text(), entry["unit"].text(), entry["said"].texts(), {}};
  const std::optional<model::Metric> metric = metrics.called({}, one.key, std::nullopt);
  if (one.label.empty() || !metric)
    return fail(ErrorKind::malformed, "expected a label, and a counter that data/metrics knows").at(entry.where());
  one.metric = *metric;
  metrics_.push_back(std::move(one));
  return {};
}

Result<> JudgeKnowledge::add_category(const Value& entry, const MetricCatalogue& metrics) {
  JudgeCategory one;
  one.id = entry["id"].text();
  one.coarse = entry["coarse"].text();
  one.title = entry["title"].text();
  one.labels = entry["labels"].texts();
  one.indicators = entry["indicators"].texts();
  one.of_variant_b = entry["of_variant_b"].texts();
  one.suggestion = entry["suggestion"].text();
  if (one.id.empty() || one.coarse.empty())
    return fail(ErrorKind::malformed, "expected a category with its name in both contracts").at(entry.where());
  const auto scope = [&](std::string_view name) { return metrics.operand_called(name); };
  TRY_ASSIGN(one.support, Expression::parse(entry["support"].text(), scope, entry["support"].where()));
  for (const std::string_view id : entry["evidence"].texts()) {
    const std::optional<model::Metric> metric = metrics.with_id(id);
    if (!metric) return fail(ErrorKind::malformed, "no metric is called '{}'", id).at(entry["evidence"].where());
    one.evidence.push_back(*metric);
  }
  categories_.push_back(std::move(one));
  return {};
}

Result<JudgeKnowledge> JudgeKnowledge::load(const Library& library, const MetricCatalogue& metrics) {
  JudgeKnowledge result;
  const Value file = library.file("data/judge/metrics.yaml");
  TRY_ASSIGN(const Value sections, file.list("sections"));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Value section = sections.item(i);
    TRY_ASSIGN(const Value list, section.list("metrics"));
    for (std::size_t k = 0; k < list.size(); ++k) TRY(result.add_metric(list.item(k), section["title"].text(), metrics));
  }
  TRY_ASSIGN(const Value more, file.list("more"));
  for (std::size_t i = 0; i < more.size(); ++i) TRY(result.add_metric(more.item(i), {}, metrics));
  TRY_ASSIGN(const Value categories, library.file("data/judge/categories.yaml").list("categories"));
  for (std::size_t i = 0; i < categories.size(); ++i) TRY(result.add_category(categories.item(i), metrics));
  return result;
}

const JudgeCategory* JudgeKnowledge::category(std::string_view id) const {
  const auto at = std::ranges::find_if(categories_, [&](const JudgeCategory& one) { return equals_ignoring_case(one.id, id); });
  return at == categories_.end() ? nullptr : &*at;
}

const JudgeCategory* JudgeKnowledge::category_of_label(std::string_view label) const {
  const auto has = [&](const JudgeCategory& one) { return std::ranges::find(one.labels, label) != one.labels.end(); };
  const auto at = std::ranges::find_if(categories_, has);
  return at == categories_.end() ? nullptr : &*at;
}

}  // namespace frx::knowledge
