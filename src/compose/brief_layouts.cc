#include "compose/brief_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "report/layout/layout_report.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using report::LayoutFinding;

constexpr std::size_t layouts_in_brief = 3;

std::span<const LayoutFinding> best_layout_fixes(const report::RunReport& report) {
  if (!report.trace || !report.trace->layouts) return {};
  const std::span<const LayoutFinding> all = report.trace->layouts->findings;
  return all.first(std::min(layouts_in_brief, all.size()));
}

std::string gain_words(const LayoutFinding& finding) {
  if (finding.saved_time_pct) return fmt::format("saves up to {:.2g} % of the GPU's busy time", finding.saved_time_pct->best);
  if (finding.saved_bytes_pct) return fmt::format("saves up to {:.2g} % of the memory traffic", finding.saved_bytes_pct->best);
  if (finding.saved_cpu_us) return fmt::format("saves {:.3g} us of CPU time in a step", *finding.saved_cpu_us);
  return "what it saves is not known";
}

}  // namespace

std::vector<std::string> layout_words_of(const report::RunReport& report) {
  std::vector<std::string> words;
  for (const LayoutFinding& one : best_layout_fixes(report)) {
    words.push_back(fmt::format("[{}] {}, {}: {} (effort {}, risk {}). {}", name_of(one.severity), printable(one.title),
                                printable(one.site.text()), gain_words(one), one.effort, one.risk, printable(one.fix)));
  }
  return words;
}

void put_layout_findings(JsonObject& out, std::string_view key, const report::RunReport& report) {
  const auto best = [](const std::optional<report::LayoutShare>& share) { return share ? std::optional(share->best) : std::nullopt; };
  out.list(key, best_layout_fixes(report), [&](JsonObject& inner, const LayoutFinding& one) {
    inner.add("title", one.title, "severity", name_of(one.severity), "site", one.site.text(), "saves_time_pct",
              exact(best(one.saved_time_pct)), "saves_bytes_pct", exact(best(one.saved_bytes_pct)), "effort", one.effort, "risk", one.risk,
              "confidence", exact(one.confidence), "fix", one.fix);
  });
}

}  // namespace frx::compose
