// A layout trial as an answer, and the line of its audit log.
#pragma once

#include <memory>
#include <string>

#include "answer/answer.h"
#include "report/layout/layout_trial.h"

namespace frx::compose {

// Its result is layout_trial.v1.
answer::Answer answer_of(std::shared_ptr<const report::LayoutTrial> trial);

// Who tried what, when and where.
struct AuditFacts {
  std::string time;     // UTC, "2026-11-25T17:00:00Z"
  std::string git_rev;  // of the folder in which the program ran; "" where it is under no version control
  std::string who;      // the name of the user; "" when it is not known
};
// layout_trial_audit.v1 on one line, with its line feed.
std::string audit_line(const report::LayoutTrial& trial, const AuditFacts& facts);

}  // namespace frx::compose
