// What was found before: findings that a later run does not hold against a change (frx_baseline_v1).
//
//   {"schema": "frx_baseline_v1", "findings": [{"fingerprint": "...", "content": "...", "rule": "uncoalesced_access", "severity": "medium",
//     "file": "src/a.cu", "kernel": "copy", "line": 12, "message": "..."}]}
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"

namespace frx::compose {

struct BaselineFinding {
  std::string fingerprint, content;  // answer/fingerprints.h
  std::string rule, severity, file, kernel, message;
  std::uint32_t line = 0;  // then; 0 where it was not known
};

struct Baseline {
  std::string file;
  std::vector<BaselineFinding> findings;
};

// Malformed, naming the file and what was expected, on anything else.
Result<Baseline> read_baseline(const std::string& file, const std::string& text);

// Of the findings that are not suppressed; the same text for the same findings, whatever their order.
std::string baseline_text(const answer::Issues& issues);

// Sets the state of each finding, new or unchanged, and adds as absent what the baseline has and is not found any more: of files that
// `was_looked_at`, since of others nothing is known. Absent findings look at the baseline. The fingerprints have to be there.
void compare_with(const Baseline& baseline, const std::function<bool(std::string_view file)>& was_looked_at, answer::Issues& issues);

}  // namespace frx::compose
