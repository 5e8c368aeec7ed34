// Findings beside a baseline and suppressions: an answer that says what is new, unchanged, gone and accepted, in every format.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "answer/answer.h"
#include "compose/gate/baseline.h"
#include "compose/gate/suppressions.h"

namespace frx::compose {

struct Gate {
  std::optional<Baseline> baseline = {};
  std::vector<Suppression> suppressions = {};
  std::string suppressions_file = {};
  std::string today = {};                                         // "2026-11-26"
  std::function<bool(std::string_view file)> was_looked_at = {};  // whether the analysis read this file, or it is there no more

  bool is_open() const { return !baseline && suppressions_file.empty(); }
};

// The same answer, whose findings have fingerprints, states and suppressions, and whose page and JSON say so.
answer::Answer held_against(answer::Answer answer, Gate gate);

// The same answer, whose findings below this severity pass; as it is where none is given.
answer::Answer failing_from(answer::Answer answer, const std::string& severity);

// Findings that count: those that are not suppressed and, beside a baseline, new; of this severity or above.
std::size_t count_reaching(const answer::Issues& issues, std::string_view severity);

}  // namespace frx::compose
