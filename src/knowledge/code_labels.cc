#include "knowledge/code_labels.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

constexpr std::string_view proof_names[] = {"unproven", "estimated", "proven"};

Result<Proof> proof_of(const Value& value) {
  const auto* const at = std::ranges::find(proof_names, value.text());
  if (at != std::end(proof_names)) return static_cast<Proof>(at - proof_names);
  return fail(ErrorKind::malformed, "expected unproven, estimated or proven, found '{}'", value.text())
      .at(value ? value.where() : "");
}

Result<std::vector<std::pair<double, double>>> points_of(const Value& value) {
  if (const auto plain = value.number()) return std::vector{std::pair(0.0, *plain)};
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto at = value.item(i).item(0).number(), score = value.item(i).item(1).number();
    const bool rises = at && (points.empty() || points.back().first < *at);
    if (!at || !score || !rises)
      return fail(ErrorKind::malformed, "expected [value, score] with rising values").at(value.item(i).where());
    points.emplace_back(*at, *score);
  }
  if (points.empty()) return fail(ErrorKind::malformed, "expected a score").at(value ? value.where() : "");
  return points;
}

Result<CodeLabel> code_label_of(const Value& entry) {
  CodeLabel label;
  label.id = entry["id"].text();
  label.display = entry["display"].text();
  label.by = entry["by"].text();
  label.evidence = entry["evidence"].text();
  if (label.id.empty() || label.display.empty() || label.evidence.empty()) {
    return fail(ErrorKind::malformed, "expected id, display and evidence").at(entry.where());
  }
  TRY_ASSIGN(label.when, read_code_conditions(entry["when"]));
  TRY_ASSIGN(label.score, points_of(entry["score"]));
  TRY_ASSIGN(label.proof, proof_of(entry["proof"]));
  return label;
}

}  // namespace

std::string_view name_of(Proof proof) { return proof_names[static_cast<std::size_t>(proof)]; }

double CodeLabel::score_at(double value) const {
  if (value <= score.front().first) return score.front().second;
  for (std::size_t i = 1; i < score.size(); ++i) {
    const auto& [from, low] = score[i - 1];
    const auto& [to, high] = score[i];
    if (value < to) return low + (high - low) * (value - from) / (to - from);
  }
  return score.back().second;
}

Result<CodeLabels> CodeLabels::load(const Library& library, std::string_view kind) {
  CodeLabels loaded;
  TRY_ASSIGN(const Value entries, library.file("data/code_labels/" + std::string(kind) + ".yaml").list("labels"));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY_ASSIGN(CodeLabel label, code_label_of(entries.item(i)));
    loaded.labels_.push_back(std::move(label));
  }
  return loaded;
}

}  // namespace frx::knowledge
