#include "analyse/why.h"

#include <fmt/format.h>

#include "analyse/why_stories.h"

namespace frx::analyse {
namespace {

CodeStory story_of_unit(const CodeUnit& unit) {
  if (unit.ptx) return story_of(*unit.ptx, unit.path);
  return {unit.cuda ? "cuda" : "cubin",
          unit.path,
          unit.findings(),
          {},
          {},
          unit.cuda ? unit.cuda->asked : unit.device->asked,
          nullptr,
          nullptr,
          unit.cuda ? std::span<const model::Finding>(unit.cuda->withheld) : std::span<const model::Finding>()};
}

struct Asked {
  std::string_view field;
  const std::string& scope;
  const knowledge::Knowledge& knowledge;

  Result<std::string> operator()(const report::NcuReport* report) const { return why(*report, field, knowledge); }
  Result<std::string> operator()(const std::shared_ptr<const report::RunReport>& report) const {
    const RunStory run[] = {{"run", &report->scope_named(scope)}};
    return of_run(run);
  }
  Result<std::string> operator()(const std::shared_ptr<const report::RanksReport>& report) const {
    std::vector<RunStory> ranks;
    if (report->ranks.size() > 1) ranks.push_back({"run", &report->scope});
    for (const report::RankOfRun& rank : report->ranks)
      ranks.push_back({report->ranks.size() > 1 ? fmt::format("rank {}", rank.rank) : "run", &rank.trace->scope_named(scope)});
    return of_run(ranks);
  }
  Result<std::string> operator()(const std::shared_ptr<const CodeReport>& report) const {
    std::vector<CodeStory> units;
    for (const CodeUnit& unit : report->units) {
      if (unit.error) return Failure{*unit.error};
      units.push_back(story_of_unit(unit));
    }
    return why(units, field, knowledge);
  }
  Result<std::string> operator()(const std::shared_ptr<const report::EvidenceReport>& report) const {
    return why(*report, field, knowledge);
  }
  Result<std::string> operator()(const std::shared_ptr<const answer::Answer>& answer) const {
    return fail(ErrorKind::usage, "--why: {} has no numbers of its own", answer->what);
  }
  Result<std::string> of_run(std::span<const RunStory> run) const { return why(run, field, knowledge); }
};

}  // namespace

Result<std::string> why(const Analysis& analysis, std::string_view field, const std::string& scope, const knowledge::Knowledge& knowledge) {
  return std::visit(Asked{field, scope, knowledge}, analysis.report);
}

}  // namespace frx::analyse
