#include "detect/cuda_findings.h"

#include <algorithm>

#include "base/text.h"
#include "detect/code_rules.h"

namespace frx::detect {
namespace {

using model::CodeFinding;
using model::cuda::Source;
using model::cuda::Suppression;

// `// frx: ignore RULE` holds for its own line and the next one.
bool is_suppressed(const CodeFinding& finding, const Source& source) {
  return std::ranges::any_of(source.suppressions, [&](const Suppression& s) {
    if (s.rule != "*" && s.rule != finding.code) return false;
    return s.line == 0 || s.line == finding.place.line || s.line + 1 == finding.place.line;
  });
}

}  // namespace

CudaFindings examine_cuda(const knowledge::CodeRules& rules, const model::cuda::Inspection& inspection,
                          std::span<const Source> sources, std::string_view sm_version) {
  CudaFindings result;
  for (CodeFinding& finding : examine(rules, inspection.subjects, sm_version)) {
    const auto source = std::ranges::find(sources, finding.place.file, &Source::name);
    if (source == sources.end()) {
      result.findings.push_back(std::move(finding));
      continue;
    }
    if (is_suppressed(finding, *source)) {
      ++result.suppressed;
      continue;
    }
    finding.snippet = trim(source->line(finding.place.line));
    result.findings.push_back(std::move(finding));
  }
  return result;
}

}  // namespace frx::detect
