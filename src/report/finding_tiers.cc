#include "report/finding_tiers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "detect/code_rules.h"
#include "report/finding_repeats.h"

namespace frx::report {
namespace {

using model::Finding;
using model::Tier;

// Code beside the product: what is found there is worth less.
bool is_beside(std::string_view path) {
  static constexpr std::array<std::string_view, 12> folders{"test",    "tests",     "testing",    "example",  "examples",  "sample",
                                                            "samples", "benchmark", "benchmarks", "tutorial", "tutorials", "demos"};
  for (const std::string_view part : split(path, '/')) {
    if (std::ranges::find(folders, part) != folders.end()) return true;
  }
  return false;
}

struct Candidate {
  CudaReport* report = nullptr;
  std::size_t at = 0;  // in the list that it stands in
  bool is_withheld = false;
  bool is_beside = false;
};

// A rule and its findings.
struct Choice {
  Candidate best;
  bool is_settled = false;   // one of the default tier is there
  std::size_t withheld = 0;  // of all

  void consider(const Candidate& candidate) {
    if (best.report == nullptr || (best.is_beside && !candidate.is_beside)) best = candidate;
  }
};

using Choices = std::map<const model::FindingType*, Choice>;

void consider(CudaReport& report, bool are_withheld, Choices& choices) {
  const std::vector<Finding>& findings = are_withheld ? report.withheld : report.findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    if (!finding.type->is_once_per_analysis || finding.tier == Tier::unconfirmed) continue;
    Choice& choice = choices[finding.type];
    choice.is_settled = choice.is_settled || finding.tier == Tier::by_default;
    choice.withheld += are_withheld ? 1 : 0;
    choice.consider({&report, i, are_withheld, is_beside(finding.place().file.view())});
  }
}

void show(const Choice& choice) {
  const auto& [report, at, is_withheld, is_beside] = choice.best;
  Finding& finding = is_withheld ? report->withheld[at] : report->findings[at];
  finding.tier = Tier::by_default;
  finding.reach = model::Reach::analysis;
  const std::size_t others = choice.withheld - (is_withheld ? 1 : 0);
  if (others > 0) {
    finding.message = fmt::format("{} --pedantic lists {} of this kind.", finding.message.view(), count_text(others, "more finding"));
  }
}

}  // namespace

void withhold(CudaReport& report, bool pedantic) {
  report.last_shown = pedantic ? Tier::pedantic : Tier::by_default;
  const auto rest =
      std::ranges::stable_partition(report.findings, [&](const Finding& finding) { return finding.tier <= report.last_shown; });
  report.withheld.assign(std::move_iterator(rest.begin()), std::move_iterator(rest.end()));
  report.findings.erase(rest.begin(), rest.end());
}

void show_once_per_analysis(std::span<CudaReport* const> reports) {
  Choices choices;
  for (CudaReport* report : reports) {
    consider(*report, false, choices);
    consider(*report, true, choices);
  }
  std::set<CudaReport*> changed;
  for (const auto& [type, choice] : choices) {
    if (choice.is_settled) continue;
    show(choice);
    if (choice.best.is_withheld) changed.insert(choice.best.report);
  }
  for (CudaReport* report : changed) {
    const auto shown =
        std::ranges::stable_partition(report->withheld, [](const Finding& finding) { return finding.tier != Tier::by_default; });
    report->findings.insert(report->findings.end(), std::move_iterator(shown.begin()), std::move_iterator(shown.end()));
    report->withheld.erase(shown.begin(), shown.end());
    detect::sort_findings(report->findings);
  }
}

void settle_findings(std::span<CudaReport* const> reports) {
  for (CudaReport* report : reports) {
    join_repeats(report->findings, report->inspection.kernels);
    join_repeats(report->withheld, report->inspection.kernels);
  }
  show_once_per_analysis(reports);
}

std::size_t pedantic_count(const CudaReport& report) {
  return static_cast<std::size_t>(std::ranges::count(report.withheld, Tier::pedantic, &Finding::tier));
}

}  // namespace frx::report
