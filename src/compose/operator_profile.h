// GPU time by operator as an answer, and profiles of operators as files.
#pragma once

#include <cstddef>
#include <memory>

#include "answer/answer.h"
#include "report/operators/kernel_counters.h"
#include "report/operators/operator_manifest.h"
#include "report/operators/operator_profile.h"

namespace frx::compose {

// `shown`: rows of the table; the JSON has all.
answer::Answer answer_of(std::shared_ptr<const report::OperatorReport> report, std::size_t shown);

// The members of profile.json (docs/operators.md), schema 1.1: each call of an operator with its kernels, nothing left out. `counters`: how
// those of its kernels become its own, where there are any.
void put_operator_profile(answer::JsonObject& out, const report::OperatorManifest& manifest, const report::JoinedCounters* joined = nullptr,
                          const knowledge::OperatorCounters* counters = nullptr);
// Those of manifest.json, schema 1.1: each kernel with the operators that launched it.
void put_operator_manifest(answer::JsonObject& out, const report::OperatorManifest& manifest);

}  // namespace frx::compose
