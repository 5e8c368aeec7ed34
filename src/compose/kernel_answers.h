// What the commands around profiles of kernels say: a comparison, contracts, the roofline of a GPU, the store of baselines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "answer/answer.h"
#include "report/kernels/gpu_roofline.h"
#include "report/kernels/profile_contract.h"
#include "report/kernels/profile_diff.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::ProfileDiff> diff);
answer::Answer answer_of(std::shared_ptr<const report::GpuRoofline> roofline);

// Of several contracts: broken where one is, else inconclusive where one is.
report::CheckOutcome outcome_of(const std::vector<report::ContractVerdict>& verdicts);
// "kept", "broken", "inconclusive".
std::string_view outcome_word(report::CheckOutcome outcome);
answer::Answer answer_of(std::shared_ptr<const std::vector<report::ContractVerdict>> verdicts);

}  // namespace frx::compose
