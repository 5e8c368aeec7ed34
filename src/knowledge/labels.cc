#include "knowledge/labels.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

std::optional<LabelKind> kind_called(std::string_view name) {
  if (name == "cause") return LabelKind::cause;
  if (name == "symptom") return LabelKind::symptom;
  if (name == "state") return LabelKind::state;
  return std::nullopt;
}

Result<Label> read_label(const Value& root, const Scope& scope, const MetricCatalogue& metrics) {
  Label label;
  label.id = root["id"].text();
  label.display = root["display"].text();
  label.why = root["why"].text();
  label.question = root["question"].text();
  label.collect = root["collect"].text();
  label.explained_by = root["explained_by"].texts();
  label.cases = root["cases"];
  label.where = root.where();
  label.order = root["order"].number().value_or(999);
  const std::optional<LabelKind> kind = kind_called(root["kind"].text());
  if (!kind) return fail(ErrorKind::malformed, "label '{}': expected kind cause, symptom or state", label.id).at(label.where);
  label.kind = *kind;
  if (root["when"]) {
    TRY_ASSIGN(label.when, Expression::parse(root["when"].text(), scope, root["when"].where()));
  }
  if (!label.when.empty() && !label.when.is_truth()) {
    return fail(ErrorKind::malformed, "label '{}': 'when' is not a condition", label.id).at(root["when"].where());
  }
  if (root["score"]) {
    TRY_ASSIGN(label.score, Expression::parse(root["score"].text(), scope, root["score"].where()));
  }
  if (!label.score.empty() && (label.score.is_truth() || !label.score.dimension().is_plain_number())) {
    return fail(ErrorKind::malformed, "label '{}': 'score' is not a plain number", label.id).at(root["score"].where());
  }
  if (root["time_at_stake"]) {
    TRY_ASSIGN(label.time_at_stake, Expression::parse(root["time_at_stake"].text(), scope, root["time_at_stake"].where()));
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
    TRY_ASSIGN(Label label, read_label(root, scope, metrics));
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
