// What the answers about traces and about run bundles share as JSON.
#pragma once

#include "compose/json_fwd.h"
#include "report/run_scope.h"

namespace frx::compose {

// Every fact by name, null when unknown.
Json facts_json(const model::RunFacts& facts);
// The documented list: label, score, evidence, worst steps.
Json bottlenecks_json(const report::RunScope& scope);
// The documented diagnosis, with what cannot be told and why.
Json diagnosis_json(const report::RunScope& scope);
// fat_v1; null when it cannot be told.
Json tax_json(const report::RunScope& scope);
// {"diagnosis_changed": ...} of the run and its steady state, if it has one.
Json scope_comparison_json(const report::RunScope& run, const report::RunScope* steady_state);

}  // namespace frx::compose
