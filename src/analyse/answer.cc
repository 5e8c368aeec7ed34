#include "analyse/answer.h"

#include "compose/answers.h"
#include "compose/rule_page.h"

namespace frx::analyse {
namespace {

template <typename Report>
using Shared = std::shared_ptr<const Report>;

// A part of `whole`, which stays as long as the part.
template <typename Report>
Shared<Report> part_of(const Shared<CodeReport>& whole, const std::unique_ptr<Report>& part) {
  return {whole, part.get()};
}

answer::Answer answer_of_unit(const Shared<CodeReport>& report, const CodeUnit& unit) {
  if (unit.ptx) return compose::answer_of(part_of(report, unit.ptx));
  if (unit.cuda) return compose::answer_of(part_of(report, unit.cuda));
  if (unit.device) return compose::answer_of(part_of(report, unit.device));
  return {.mode = unit.kind == ingest::Kind::ptx ? "ptx" : unit.kind == ingest::Kind::cuda ? "cuda_source" : "device_code"};
}

answer::Answer answer_of_code(const Shared<CodeReport>& report) {
  std::vector<compose::AnalysedCode> files;
  for (const CodeUnit& unit : report->units) {
    files.push_back({unit.path, unit.paths, answer_of_unit(report, unit), {}, {}});
    if (unit.error) files.back().error = unit.error->message;
    for (const report::UnreadFile& file : unit.unread) files.back().unread.push_back({file.path, file.error.message});
  }
  return compose::answer_of(std::move(files), report->together);
}

struct Composed {
  const std::string& scope;

  answer::Answer operator()(const report::NcuReport* report) const { return compose::answer_of({std::shared_ptr<const void>(), report}); }
  answer::Answer operator()(const Shared<report::RanksReport>& report) const { return compose::answer_of(report, scope); }
  answer::Answer operator()(const Shared<report::RunReport>& report) const { return compose::answer_of(report, scope); }
  answer::Answer operator()(const Shared<CodeReport>& report) const { return answer_of_code(report); }
  answer::Answer operator()(const Shared<report::EvidenceReport>& report) const { return compose::answer_of(report); }
  answer::Answer operator()(const Shared<answer::Answer>& answer) const { return *answer; }
};

}  // namespace

answer::Answer answer_of(const Analysis& analysis, const std::string& scope) { return std::visit(Composed{scope}, analysis.report); }

void add_rule_pages(answer::Answer& answer, const std::string& data_directory) {
  const bool has_labels = answer.mode == "ncu" || answer.mode == "trace" || answer.mode == "run_bundle";
  const auto kind = has_labels ? report::RulePage::Kind::label : report::RulePage::Kind::rule;
  answer.rule_page = [data_directory, kind,
                      page_of = answer::RulePageOf()](std::string_view rule) mutable -> std::optional<answer::RulePage> {
    if (!page_of) {
      Result<std::shared_ptr<const report::Expertise>> expertise = report::Expertise::load(data_directory);
      if (!expertise) return std::nullopt;
      page_of = compose::page_of_rules(report::RulePages::of(std::move(*expertise)), kind);
    }
    return page_of(rule);
  };
}

}  // namespace frx::analyse
