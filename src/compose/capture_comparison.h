// What changed per operator between two captures, as an answer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "answer/answer.h"
#include "report/operators/capture_comparison.h"

namespace frx::compose {

// `shown`: rows of each table; the JSON has all.
answer::Answer answer_of(std::shared_ptr<const report::CaptureComparison> comparison, std::size_t shown);

// Is it faster, by how much, and if that is inconclusive, why.
std::string verdict_sentence(const report::CaptureComparison& comparison);
void put_capture_comparison(answer::JsonObject& out, const report::CaptureComparison& comparison);

}  // namespace frx::compose
