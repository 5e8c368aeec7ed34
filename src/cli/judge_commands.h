// What the commands of frx judge share: the kernel that is judged, and the contract that an answer is held to.
#pragma once

#include <string>
#include <vector>

#include "analyse/judge.h"
#include "cli/analysis.h"
#include "cli/syntax.h"

namespace frx::cli {

struct JudgeOptions {
  Given given;
  std::string ncu, kernel, pick = "max-time", contract = "dual", format = "text";
  std::string least_bytes, least_operations;
  Syntax::Number bottlenecks, causes, fixes;
  bool json = false;
  report::AnalysisOptions analysis;
};

void describe_judge(Syntax& syntax, JudgeOptions& options);

// Exit codes besides those of errors.
constexpr int gpu_is_unknown = 3, reply_is_invalid = 4, too_few_metrics = 5;

// Usage errors: numbers of the list contract given for the dual one.
Result<report::JudgeDemands> demands_of(std::string_view command, const JudgeOptions& options);
Result<analyse::JudgedProfile> judged_profile(const JudgeOptions& options, Session& session);
// What the reader of the profile noted, for those who get the answer.
std::vector<std::string> notes_of(const analyse::JudgedProfile& judged);
// Of a file of a few megabytes at most; "" where none was given.
Result<std::string> text_of_file(const std::string& path);

}  // namespace frx::cli
