#include "model/finding.h"

namespace frx::model {

std::string_view name_of(Layer layer) {
  constexpr std::array<std::string_view, layer_count> names = {"source", "ptx", "cubin", "ncu", "profiler"};
  return names[static_cast<std::size_t>(layer)];
}

std::string_view name_of(FindingKind kind) {
  constexpr std::array<std::string_view, 3> names = {"cause", "symptom", "state"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 3> names = {"low", "medium", "high"};
  return names[static_cast<std::size_t>(severity)];
}

Severity severity_named(std::string_view name) {
  return name == "high" ? Severity::high : name == "medium" ? Severity::medium : Severity::low;
}

std::string_view name_of(Proof proof) {
  constexpr std::array<std::string_view, 3> names = {"unproven", "estimated", "proven"};
  return names[static_cast<std::size_t>(proof)];
}

const TextPlace& Finding::place() const {
  static const TextPlace nowhere;
  return places.empty() ? nowhere : places.front();
}

std::vector<const Finding*> findings_with(std::span<const Finding> findings, Verdict verdict) {
  std::vector<const Finding*> found;
  for (const Finding& finding : findings) {
    if (finding.verdict == verdict) found.push_back(&finding);
  }
  return found;
}

const Finding* find_finding(std::span<const Finding> findings, std::string_view id) {
  const auto at = std::ranges::find(findings, id, &Finding::id);
  return at == findings.end() ? nullptr : &*at;
}

}  // namespace frx::model
