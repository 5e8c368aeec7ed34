// --baseline, --write-baseline and --suppressions: findings in code and labels of profiles beside those that were found, or accepted,
// before.
#pragma once

#include <set>
#include <string>

#include "analyse/analyse.h"
#include "answer/answer.h"
#include "base/result.h"
#include "cli/io.h"
#include "cli/syntax.h"

namespace frx::cli {

struct GateOptions {
  std::string baseline;        // a file of frx_baseline_v1, or ""
  std::string write_baseline;  // where to write one, or ""
  std::string suppressions;    // a YAML, or ""

  bool is_given() const { return !(baseline.empty() && suppressions.empty()); }
};

// --write-baseline and --suppressions; --baseline has two meanings in frx analyze and is declared there.
void describe_gate(Syntax& syntax, GateOptions& options);

// The files that an analysis read, of which a finding that is found no more is gone; and those that it could not read.
struct ReadFiles {
  std::set<std::string> read, unread;  // tidy paths
};
ReadFiles files_of(const analyse::Analysis& analysis);

// The answer held against them; as it is where none was given.
Result<answer::Answer> gated(answer::Answer answer, ReadFiles files, const GateOptions& options);

// Writes --write-baseline, and says so on the error stream. `allow_unreadable`: also where a file could not be read, whose findings are
// then missing.
Result<> write_baseline_if_asked(const answer::Answer& answer, const GateOptions& options, bool allow_unreadable, Io& io);

}  // namespace frx::cli
