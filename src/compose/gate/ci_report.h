// What `frx ci` found out: the findings in the code of a repository, a measured pair, and what the gate says of both (ci_report_v1).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer/answer.h"

namespace frx::compose {

// Two recordings of one program.
struct CiComparison {
  std::string before, after;  // files
  std::string outcome;        // regression, no_regression, inconclusive
  std::string sentence;       // the answer of the comparison, or why there is none
  std::string would_decide;   // of an inconclusive one, or ""
  answer::Answer answer;      // with what would decide it
};

// A profile or trace that the repository holds.
struct CiRecording {
  std::string file;
  std::string sentence;  // the answer of its analysis
  std::string error;     // why there is none, or ""
};

struct CiReport {
  std::string service;               // github, gitlab, jenkins, other; "" outside of one
  std::vector<std::string> targets;  // of the analysis; empty where there is no code
  std::string baseline, suppressions;
  std::string fail_on;
  std::size_t files = 0;                 // of code
  std::size_t reached = 0;               // findings that count and are as severe as fail_on
  std::optional<answer::Answer> code;    // held against baseline and suppressions
  std::optional<CiComparison> measured;  // --before and --after
  std::vector<CiRecording> recordings;   // that were found
  std::size_t recordings_left = 0;       // and were not looked at
  std::string verdict;                   // pass, fail, inconclusive
  std::vector<std::string> reasons;      // why it is that
};

// Its page is the summary of a job. Its findings are those of the code, for scanners.
answer::Answer answer_of(std::shared_ptr<const CiReport> report);

}  // namespace frx::compose
