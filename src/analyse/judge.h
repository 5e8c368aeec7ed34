// The kernel of a profile that is judged, with everything that its prompt, its answer and the check of an answer need.
#pragma once

#include <memory>

#include "analyse/analyse.h"
#include "report/judge/judgement.h"

namespace frx::analyse {

// Points into the context, which has to live longer.
struct JudgedProfile {
  report::JudgeSubject subject;
  std::shared_ptr<const knowledge::JudgeKnowledge> judge;
  const knowledge::Knowledge* knowledge = nullptr;
};

// Errors: the input is no profile; `choice` names no kernel, or several.
Result<JudgedProfile> judged_profile(Input input, const report::KernelChoice& choice, Context& context);

}  // namespace frx::analyse
