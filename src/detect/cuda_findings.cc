#include "detect/cuda_findings.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "detect/code_rules.h"

namespace frx::detect {
namespace {

using model::Finding;
using model::cuda::Source;
using model::cuda::Suppression;

// A source and the comments in it that silence rules, by line.
struct Annotated {
  const Source* source = nullptr;
  std::unordered_multimap<std::uint32_t, const Suppression*> suppressions;
};

// The first one of a name counts.
std::unordered_map<std::string_view, Annotated> by_name(std::span<const Source> sources) {
  std::unordered_map<std::string_view, Annotated> named;
  for (const Source& source : sources) {
    Annotated& one = named[source.name];
    if (one.source != nullptr) continue;
    one.source = &source;
    for (const Suppression& s : source.suppressions) one.suppressions.emplace(s.line, &s);
  }
  return named;
}

// `// frx: ignore RULE` holds for its own line and the next one; line 0 is the whole file.
bool is_suppressed(const Finding& finding, const Annotated& annotated) {
  const auto at_line = [&](std::uint32_t line) {
    const auto [first, end] = annotated.suppressions.equal_range(line);
    return std::any_of(first, end, [&](const auto& one) { return one.second->rule == "*" || one.second->rule == finding.id(); });
  };
  const std::uint32_t line = finding.place().line;
  return at_line(0) || at_line(line) || (line > 1 && at_line(line - 1));
}

}  // namespace

CudaFindings examine_cuda(const knowledge::CodeRules& rules, const model::cuda::Inspection& inspection, std::span<const Source> sources,
                          std::string_view sm_version) {
  return settled(examine(rules, inspection.subjects, sm_version), sources);
}

CudaFindings settled(std::vector<Finding> found, std::span<const Source> sources) {
  const std::unordered_map<std::string_view, Annotated> named = by_name(sources);
  sort_findings(found);
  const auto is_silenced = [&](Finding& finding) {
    const auto source = named.find(finding.place().file);
    if (source == named.end()) return false;
    if (finding.snippet.empty())
      finding.snippet = clip(trim(source->second.source->line(finding.place().line)), model::cuda::longest_snippet);
    return is_suppressed(finding, source->second);
  };
  CudaFindings result;
  result.suppressed = std::erase_if(found, is_silenced);
  result.findings = std::move(found);
  return result;
}

}  // namespace frx::detect
