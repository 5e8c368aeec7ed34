// --why FIELD: where a number, label, rule or recommendation of a report is from, in words.
//
// Of a name without a value the answer is the reason: what was measured rules it out, it was not measured, and what would decide it. A name
// that nothing is called by is an error that names the nearest.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.h"
#include "base/result.h"
#include "knowledge/knowledge.h"
#include "model/code_subject.h"
#include "report/evidence.h"
#include "report/report.h"
#include "report/run_scope.h"

namespace frx::analyse {

// A profile: a metric by its id, a counter or a key of the JSON; a label; LABEL.time_at_stake; mfu, roofline, opportunity_score;
// a card, or "recommendations".
Result<std::string> why(const report::NcuReport& report, std::string_view field, const knowledge::Knowledge& knowledge);

// Steps of a run or a trace, on one rank: a fact of data/facts/run.yaml, a label, a card.
struct RunStory {
  std::string of;  // "run", "rank 3"
  const report::RunScope* scope = nullptr;
};
Result<std::string> why(std::span<const RunStory> run, std::string_view field, const knowledge::Knowledge& knowledge);

// Code of one kind: a rule, a label, a fact of the file, a card.
struct CodeStory {
  std::string_view kind;  // cuda, ptx, cubin: the folder of its rules
  std::string of;         // its file
  std::span<const model::Finding> findings, labels, others;
  std::span<const detect::RuleCount> asked;
  const model::CodeSubject* facts = nullptr;  // of the file; null where there are none
  const advise::Advice* advice = nullptr;
  std::span<const model::Finding> withheld = {};  // report::CudaReport::withheld
};
CodeStory story_of(const report::PtxReport& report, std::string file);
Result<std::string> why(std::span<const CodeStory> code, std::string_view field, const knowledge::Knowledge& knowledge);

// Several layers of one program: what each of them says of the name.
Result<std::string> why(const report::EvidenceReport& report, std::string_view field, const knowledge::Knowledge& knowledge);

}  // namespace frx::analyse
