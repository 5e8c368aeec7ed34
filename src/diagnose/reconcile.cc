#include "diagnose/reconcile.h"

#include <algorithm>
#include <iterator>
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

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

// The same line of a file of the same name, or the one next to it: a statement may stand on two.
bool is_same_place(const model::TextPlace& code, const model::TextPlace& measured) {
  const bool of_source = code.source_line > 0;
  const std::string_view file = of_source ? code.source_file.view() : code.file.view();
  const std::uint32_t line = of_source ? code.source_line : code.line;
  if (line == 0 || measured.line == 0 || file_name(file) != file_name(measured.file.view())) return false;
  return std::max(line, measured.line) - std::min(line, measured.line) <= 1;
}

// The place of a measured finding that a finding of the code has, too; null without one.
const model::TextPlace* common_place(const std::vector<const Finding*>& findings) {
  for (const Finding* measured : findings) {
    if (!measured->fires() || measured->type->layer != Layer::ncu) continue;
    for (const model::TextPlace& place : measured->places) {
      const auto is_there = [&](const Finding* code) {
        return code->fires() && is_code(code->type->layer) &&
               std::ranges::any_of(code->places, [&](const model::TextPlace& one) { return is_same_place(one, place); });
      };
      if (std::ranges::any_of(findings, is_there)) return &place;
    }
  }
  return nullptr;
}

struct Sources {
  std::set<Layer> confirming, contradicting;
  bool ncu_answered = false;
  const model::TextPlace* measured_at = nullptr;

  std::size_t independent() const {
    const bool code = std::ranges::any_of(confirming, is_code);
    const auto measured = std::ranges::count_if(confirming, [](Layer layer) { return !is_code(layer); });
    return static_cast<std::size_t>(measured) + (code ? 1 : 0) + (measured_at ? 1 : 0);
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
  sources.measured_at = common_place(findings);
  return sources;
}

// What the diagnosis causes in kernels for which a sign of its own holds.
void add_consequences(const ReconciledDiagnosis& diagnosis, std::span<const Finding> findings, FindingsByKernel& by_kernel) {
  for (const Finding& finding : findings) {
    if (!finding.fires() || finding.kernel.empty() || !diagnosis.causes(finding.type->layer, finding.id())) continue;
    const auto own = by_kernel.find(finding.kernel);
    const auto is_sign = [&](const Finding* one) { return one->fires() && diagnosis.is_confirmed_by(one->type->layer, one->id()); };
    if (own != by_kernel.end() && std::ranges::any_of(own->second, is_sign)) own->second.push_back(&finding);
  }
}

FindingsByKernel findings_of(const ReconciledDiagnosis& diagnosis, std::span<const Finding> findings) {
  FindingsByKernel by_kernel;
  for (const Finding& finding : findings) {
    if (diagnosis.is_confirmed_by(finding.type->layer, finding.id())) by_kernel[finding.kernel].push_back(&finding);
  }
  add_consequences(diagnosis, findings, by_kernel);
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
  result.measured_at = sources.measured_at;
}

// What counters would tell about the first of the kernels that they were not collected for.
void describe_missing(Reconciled& result, const FindingsByKernel& by_kernel, const std::vector<ReconciledKernel>& kernels) {
  if (result.diagnosis->counters.empty()) return;
  for (const ReconciledKernel& kernel : kernels) {
    Sources sources = sources_of(by_kernel.at(kernel.kernel));
    if (sources.ncu_answered) continue;
    result.ncu_is_silent = true;
    result.unmeasured = kernel.kernel;
    result.now = kernel.confidence;
    sources.confirming.insert(Layer::ncu);
    result.if_confirmed = sources.confidence();
    return;
  }
}

bool is_measured(const ReconciledKernel& kernel) {
  return std::ranges::any_of(kernel.confirming, [](const Finding* finding) { return !is_code(finding->type->layer); });
}

// Absent when nothing confirms it.
std::optional<Reconciled> reconciled(const ReconciledDiagnosis& diagnosis, std::span<const Finding> findings) {
  const FindingsByKernel by_kernel = findings_of(diagnosis, findings);
  std::vector<ReconciledKernel> kernels;
  for (const auto& [kernel, own] : by_kernel) {
    if (!holds_anywhere(own)) continue;
    ReconciledKernel& one = kernels.emplace_back(std::string(kernel), sources_of(own).confidence());
    std::ranges::copy_if(own, std::back_inserter(one.confirming), [](const Finding* finding) { return finding->fires(); });
  }
  if (kernels.empty()) return std::nullopt;
  // What was measured says that time is lost; what was only read says that it may be.
  std::ranges::stable_sort(kernels, [](const ReconciledKernel& a, const ReconciledKernel& b) {
    return a.confidence != b.confidence ? a.confidence > b.confidence : is_measured(a) && !is_measured(b);
  });
  Reconciled result;
  result.diagnosis = &diagnosis;
  result.confidence = kernels.front().confidence;
  result.kernel = kernels.front().kernel;
  const std::vector<const Finding*>& own = by_kernel.at(result.kernel);
  describe(result, own, sources_of(own));
  describe_missing(result, by_kernel, kernels);
  std::ranges::copy_if(kernels, std::back_inserter(result.kernels), [](const ReconciledKernel& kernel) { return !kernel.kernel.empty(); });
  return result;
}

// Is a finding of this kernel evidence of both diagnoses, as what one of them causes?
bool is_caused_in(const ReconciledKernel& kernel, const Reconciled& cause) {
  const auto at = std::ranges::find(cause.kernels, kernel.kernel, &ReconciledKernel::kernel);
  if (at == cause.kernels.end()) return false;
  return std::ranges::any_of(kernel.confirming, [&](const Finding* finding) {
    return cause.diagnosis->causes(finding->type->layer, finding->id()) &&
           std::ranges::find(at->confirming, finding) != at->confirming.end();
  });
}

// Names the causes, and lets what is nothing but a consequence follow its cause.
void order_by_cause(std::vector<Reconciled>& diagnoses) {
  for (Reconciled& one : diagnoses) {
    for (const Reconciled& other : diagnoses) {
      if (other.diagnosis == one.diagnosis) continue;
      for (ReconciledKernel& kernel : one.kernels) {
        if (is_caused_in(kernel, other)) kernel.cause = other.diagnosis;
      }
    }
    const auto has_cause = [&](const ReconciledKernel& kernel) { return kernel.cause && kernel.cause == one.kernels.front().cause; };
    if (!one.kernels.empty() && std::ranges::all_of(one.kernels, has_cause)) one.cause = one.kernels.front().cause;
  }
  std::vector<Reconciled> ordered;
  for (Reconciled& one : diagnoses) {
    if (!one.cause) ordered.push_back(std::move(one));
  }
  for (Reconciled& one : diagnoses) {
    if (!one.cause) continue;
    auto at = std::ranges::find(ordered, one.cause, &Reconciled::diagnosis);
    while (at != ordered.end() && (at->diagnosis == one.cause || at->cause == one.cause)) ++at;
    ordered.insert(at, std::move(one));
  }
  diagnoses = std::move(ordered);
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
  order_by_cause(result.diagnoses);
  for (const Finding& finding : findings) {
    const auto claims = [&](const Reconciled& one) { return one.diagnosis->is_confirmed_by(finding.type->layer, finding.id()); };
    if (finding.fires() && std::ranges::none_of(result.diagnoses, claims)) result.unreconciled.push_back(&finding);
  }
  return result;
}

}  // namespace frx::diagnose
