#include "knowledge/labels.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

using model::FindingKind;

Result<Label> read_label(const Value& root, const Scope& scope, const MetricCatalogue& metrics, const Thresholds& thresholds) {
  Label label;
  label.id = root["id"].text();
  label.display = root["display"].text();
  label.why = root["why"].text();
  label.question = root["question"].text();
  label.stake_note = root["time_at_stake_note"].text();
  label.preset = root["collect"].text();
  label.rule = root["when"].text();
  label.explained_by = root["explained_by"].texts();
  label.cases = root["cases"];
  label.where = root.where();
  label.order = root["order"].number().value_or(999);
  TRY_ASSIGN(label.kind, finding_kind(root));
  if (root["when"]) {
    TRY_ASSIGN(label.when, Expression::read(root["when"], scope));
  }
  label.thresholds = thresholds.names_in(label.when, LabelCatalogue::first_threshold_slot);
  if (!label.when.empty() && !label.when.is_truth()) {
    return fail(ErrorKind::malformed, "label '{}': 'when' is not a condition", label.id).at(root["when"].where());
  }
  if (root["score"]) {
    TRY_ASSIGN(label.score, Expression::read(root["score"], scope));
  }
  if (!label.score.empty() && (label.score.is_truth() || !label.score.dimension().is_plain_number())) {
    return fail(ErrorKind::malformed, "label '{}': 'score' is not a plain number", label.id).at(root["score"].where());
  }
  if (root["time_at_stake"]) {
    TRY_ASSIGN(label.time_at_stake, Expression::read(root["time_at_stake"], scope));
    if (!(label.time_at_stake.dimension() == parse_unit("ns")->dimension)) {
      return fail(ErrorKind::malformed, "label '{}': 'time_at_stake' is not a time", label.id).at(root["time_at_stake"].where());
    }
  }
  const Value evidence = root["evidence"];
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const std::optional<model::Metric> metric = metrics.with_id(evidence.key(i));
    if (!metric) {
      return fail(ErrorKind::malformed, "label '{}': no metric '{}' (nearest: {})", label.id, evidence.key(i),
                  metrics.nearest_id(evidence.key(i)))
          .at(evidence.value(i).where());
    }
    label.evidence.push_back({*metric, evidence.value(i).text()});
  }
  return label;
}

}  // namespace

Result<FindingKind> finding_kind(const Value& label) {
  for (const FindingKind kind : {FindingKind::cause, FindingKind::symptom, FindingKind::state}) {
    if (label["kind"].text() == name_of(kind)) return kind;
  }
  return fail(ErrorKind::malformed, "label '{}': expected cause, symptom or state as kind, found '{}'", label["id"].text(),
              label["kind"].text())
      .at(label.where());
}

Result<LabelCatalogue> LabelCatalogue::load(const Library& library, const MetricCatalogue& metrics, const KernelClasses& classes) {
  LabelCatalogue catalogue;
  TRY_ASSIGN(catalogue.thresholds_, Thresholds::load(library));
  const Scope scope = [&](std::string_view name) -> std::optional<Operand> {
    if (const auto threshold = catalogue.thresholds_.operand(name, first_threshold_slot)) return threshold;
    if (name.starts_with("kernel.")) {
      const auto index = classes.with_name(name.substr(7));
      return index ? std::optional(Operand{first_class_slot + static_cast<std::uint32_t>(*index), {}, true}) : std::nullopt;
    }
    return metrics.operand_called(name);
  };
  for (const Value& root : library.folder("bottlenecks")) {
    TRY_ASSIGN(Label label, read_label(root, scope, metrics, catalogue.thresholds_));
    catalogue.labels_.push_back(std::move(label));
  }
  std::stable_sort(catalogue.labels_.begin(), catalogue.labels_.end(), [](const Label& a, const Label& b) { return a.order < b.order; });
  return catalogue;
}

const Label* LabelCatalogue::with_id(std::string_view id) const {
  for (const Label& label : labels_) {
    if (label.id == id) return &label;
  }
  return nullptr;
}

}  // namespace frx::knowledge
