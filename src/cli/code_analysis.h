// What the commands say about code: one file or many, folders too, in every output format.
#pragma once

#include <string>
#include <string_view>

#include "analyse/analyse.h"
#include "base/result.h"
#include "cli/finding_gate.h"
#include "cli/io.h"
#include "cli/syntax.h"

namespace frx::cli {

struct CodeOptions {
  std::string format = "text";  // of render/renderers.def
  std::string fail_on;          // low, medium, high, or ""
  bool allow_unreadable = false;
  std::string data_directory;  // of the analysis
  GateOptions gate;
  std::string with_ptx = "auto";  // yes, no
  analyse::CompilerOptions compilers;

  // With what with_ptx says.
  analyse::CompilerOptions asked_compilers() const;
  analyse::BuildOptions build;
};

void describe_code(Syntax& syntax, CodeOptions& options);
// --pedantic.
void describe_tier(Syntax& syntax, report::AnalysisOptions& options);

// What was found in code, a profile, a trace or a run (in this scope of it), held against --baseline and --suppressions, with the pages of
// its rules.
Result<answer::Answer> answer_beside_baseline(const analyse::Analysis& analysis, const CodeOptions& options,
                                              const std::string& scope = "auto");

// Fails when a finding that counts reaches `fail_on`.
Result<> expect_none_reaching(const answer::Answer& answer, const CodeOptions& options);
// The same, and when a file could not be read (unless that is allowed), or when none could.
Result<int> judge_code(const analyse::CodeReport& report, const answer::Answer& answer, const CodeOptions& options);

// Prints the answer. Fails when a finding reaches `fail_on`, when a file could not be read (unless that is allowed), or when none could.
Result<int> print_code(const analyse::Analysis& analysis, const CodeOptions& options, Io& io);

}  // namespace frx::cli
