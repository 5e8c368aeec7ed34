#include "diagnose/reconcile.h"

#include <algorithm>
#include <map>
#include <set>

namespace frx::diagnose {
namespace {

using knowledge::ReconciledDiagnosis;
using model::Finding;
using model::is_code;
using model::Layer;
using model::Verdict;

// Findings of one diagnosis, by kernel; those about all kernels under "".
using FindingsByKernel = std::map<std::string_view, std::vector<const Finding*>>;

struct Sources {
  std::set<Layer> confirming, contradicting;
  bool ncu_answered = false;

  std::size_t independent() const {
    const bool code = std::ranges::any_of(confirming, is_code);
    const auto measured = std::ranges::count_if(confirming, [](Layer layer) { return !is_code(layer); });
    return static_cast<std::size_t>(measured) + (code ? 1 : 0);
  }
  Confidence confidence() const { return confidence_of(independent(), contradicting.size()); }
};

Sources sources_of(const std::vector<const Finding*>& findings) {
  Sources sources;
  for (const Finding* finding : findings) {
    if (finding->fires()) sources.confirming.insert(finding->type->layer);
    // A static analysis without a finding does not prove its absence.
    if (finding->is_clear() && !is_code(finding->type->layer)) sources.contradicting.insert(finding->type->layer);
    sources.ncu_answered = sources.ncu_answered || (finding->type->layer == Layer::ncu && finding->verdict != Verdict::cannot_tell);
  }
  for (const Layer layer : sources.confirming) sources.contradicting.erase(layer);
  return sources;
}

FindingsByKernel findings_of(const ReconciledDiagnosis& diagnosis, std::span<const Finding> findings) {
  FindingsByKernel by_kernel;
  for (const Finding& finding : findings) {
    if (diagnosis.is_confirmed_by(finding.type->layer, finding.id())) by_kernel[finding.kernel].push_back(&finding);
  }
  // Findings about all kernels count for each kernel that has one of its own.
  const auto all = by_kernel.find("");
  if (all == by_kernel.end() || by_kernel.size() == 1) return by_kernel;
  const std::vector<const Finding*> shared = std::move(all->second);
  by_kernel.erase(all);
  for (auto& [kernel, own] : by_kernel) own.insert(own.end(), shared.begin(), shared.end());
  return by_kernel;
}

bool holds_anywhere(const std::vector<const Finding*>& findings) {
  return std::ranges::any_of(findings, [](const Finding* finding) { return finding->fires(); });
}

void describe(Reconciled& result, const std::vector<const Finding*>& findings, const Sources& sources) {
  for (const Finding* finding : findings) {
    if (finding->fires()) result.confirming.push_back(finding);
    if (finding->is_clear() && sources.contradicting.contains(finding->type->layer)) result.contradicting.push_back(finding);
  }
  std::ranges::stable_sort(result.confirming, {}, [](const Finding* finding) { return finding->type->layer; });
  result.layers.assign(sources.confirming.begin(), sources.confirming.end());
  result.ncu_is_silent = !result.diagnosis->counters.empty() && !sources.ncu_answered;
  Sources with_ncu = sources;
  with_ncu.confirming.insert(Layer::ncu);
  result.if_confirmed = with_ncu.confidence();
}

// Absent when nothing confirms it.
std::optional<Reconciled> reconciled(const ReconciledDiagnosis& diagnosis, std::span<const Finding> findings) {
  const FindingsByKernel by_kernel = findings_of(diagnosis, findings);
  std::vector<std::pair<Confidence, std::string_view>> kernels;
  for (const auto& [kernel, own] : by_kernel) {
    if (holds_anywhere(own)) kernels.emplace_back(sources_of(own).confidence(), kernel);
  }
  if (kernels.empty()) return std::nullopt;
  std::ranges::stable_sort(kernels, std::ranges::greater(), &std::pair<Confidence, std::string_view>::first);
  Reconciled result;
  result.diagnosis = &diagnosis;
  result.confidence = kernels.front().first;
  result.kernel = kernels.front().second;
  for (const auto& [confidence, kernel] : kernels) {
    if (!kernel.empty()) result.kernels.emplace_back(kernel, confidence);
  }
  const std::vector<const Finding*>& own = by_kernel.at(result.kernel);
  describe(result, own, sources_of(own));
  return result;
}

}  // namespace

std::string_view name_of(Confidence confidence) {
  constexpr std::string_view names[] = {"low-medium", "medium", "medium-high", "high", "confirmed"};
  return names[static_cast<std::size_t>(confidence)];
}

Confidence confidence_of(std::size_t sources_for, std::size_t sources_against) {
  if (sources_for >= 3) return Confidence::confirmed;
  if (sources_for == 2) return sources_against > 0 ? Confidence::medium_high : Confidence::high;
  return sources_against > 0 ? Confidence::low_medium : Confidence::medium;
}

Reconciliation reconcile(std::span<const ReconciledDiagnosis> known, std::span<const Layer> layers, std::span<const Finding> findings) {
  Reconciliation result;
  result.layers_available.assign(layers.begin(), layers.end());
  std::ranges::sort(result.layers_available);
  for (const ReconciledDiagnosis& diagnosis : known) {
    if (std::optional<Reconciled> one = reconciled(diagnosis, findings)) result.diagnoses.push_back(std::move(*one));
  }
  std::ranges::stable_sort(result.diagnoses, [](const Reconciled& a, const Reconciled& b) {
    if (a.confidence != b.confidence) return a.confidence > b.confidence;
    return a.diagnosis->severity == "high" && b.diagnosis->severity != "high";
  });
  for (const Finding& finding : findings) {
    const auto claims = [&](const Reconciled& one) { return one.diagnosis->is_confirmed_by(finding.type->layer, finding.id()); };
    if (finding.fires() && std::ranges::none_of(result.diagnoses, claims)) result.unreconciled.push_back(&finding);
  }
  return result;
}

}  // namespace frx::diagnose
