#include "report/layout/plan_of_finding.h"

#include <array>

namespace frx::report {
namespace {

// Names of classes with numbers ("Attention_0"), as the profiler writes them, are no names of modules of the model.
bool is_module_name(std::string_view module) {
  if (module.empty()) return false;
  const std::size_t last = module.find_last_not_of("0123456789");
  return last == module.npos || last + 1 == module.size() || module[last] != '_';
}

std::optional<LayoutChange> change_of(const LayoutFinding& finding) {
  LayoutChange change;
  if (finding.kind == "memory_format") {
    change.modules = {"*"};
    change.format = finding.memory_format;
    change.inputs = true;
    return change;
  }
  constexpr std::array<std::string_view, 3> by_contiguous = {"contiguous_input", "hoist_contiguous", "pin_layout"};
  if (std::ranges::find(by_contiguous, finding.kind) == by_contiguous.end() || !is_module_name(finding.site.first_module))
    return std::nullopt;
  change.kind = LayoutChange::Kind::contiguous;
  change.modules = {finding.site.first_module};
  return change;
}

}  // namespace

Result<LayoutPlan> plan_of_finding(const LayoutReport& report, std::size_t number) {
  if (number > report.findings.size())
    return fail(ErrorKind::negative, "there is no finding {}: the report has {}", number, report.findings.size()).at(report.source);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    if (number > 0 && i + 1 != number) continue;
    const LayoutFinding& finding = report.findings[i];
    std::optional<LayoutChange> change = change_of(finding);
    if (change) return LayoutPlan{report.model, report.sha256, finding.id, {std::move(*change)}};
    if (number > 0)
      return fail(ErrorKind::negative, "the fix of finding {} is a change of code, which no plan can make", number)
          .at(report.source)
          .hint("change the program, and compare both versions: frx layout trial --baseline CMD --candidate CMD");
  }
  return fail(ErrorKind::negative, "no finding has a fix that a plan can make").at(report.source);
}

}  // namespace frx::report
