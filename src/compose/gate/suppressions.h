// Findings that are accepted, each with a reason, and for how long.
//
//   suppressions:
//     - rule: uncoalesced_access        # or "*"
//       file: src/legacy/*.cu           # * stands for anything, / too
//       kernel: transpose               # all of the file where it is left out
//       reason: replaced by the library in June
//       until: 2026-06-30               # the last day; without it for ever
#pragma once

#include <string>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"

namespace frx::compose {

struct Suppression {
  std::string rule, file, kernel, fingerprint;  // "" is anything
  std::string reason;
  std::string until;  // "2026-06-30", or ""
  std::string where;  // "suppressions.yaml:3"
};

// Malformed, naming file and line: no reason, nothing that it is about, a date that is none, an unknown key.
Result<std::vector<Suppression>> read_suppressions(const std::string& file, const std::string& text);

// Takes what is suppressed out of the findings; what has to be said about the suppressions: expired ones, and those of nothing.
std::vector<std::string> suppress(const std::vector<Suppression>& suppressions, const std::string& today, answer::Issues& issues);

}  // namespace frx::compose
