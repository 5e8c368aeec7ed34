// Runs a case: its files in a fresh folder, frx in a child process forked from this one, with an
// environment, a width and a machine that are the same everywhere.
//
// Nothing is executed: the child calls cli::run, so a crash or a sanitizer's report ends one case only
// and is shown with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/case_file.h"

namespace frx::testing {

struct Outcome {
  std::string skipped;  // why the case was not run, or ""
  std::string out;
  std::string err;
  std::vector<int> exits;                    // one per RUN
  std::vector<std::string> crashes;          // "RUN 1: killed by signal 11 (Segmentation fault)"
  std::map<std::string, std::string> files;  // contents of the `out:` sections, those that were written
};

// An error when the case itself is at fault or the system refuses.
Result<Outcome> run_case(const Case& one);

// What differs from the expectation, a paragraph each; empty when all is as expected.
std::vector<std::string> complaints(const Case& one, const Outcome& outcome);

// The case with the expectations that `outcome` meets.
Case rebased(Case one, const Outcome& outcome);

}  // namespace frx::testing
