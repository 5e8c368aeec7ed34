// Better attribution of a manifest's kernels, from what other runs and the compiler say.
#pragma once

#include <string_view>

#include "ingest/inductor_code.h"
#include "report/operators/operator_manifest.h"

namespace frx::report {

// NAME.corr.json: the operators of torch.profiler, whose kernels are those of another run of the same iterations. They are found by
// aligning the two sequences of names, never by number alone; what has only one place is of high confidence, what could be that of an equal
// kernel beside it of medium. Malformed, naming file and member, when it is something else.
Result<> attribute_by_correlation(OperatorManifest& manifest, std::string_view name, std::string_view json);

// Kernels of Inductor that no operator is around: the operators that the generated code names at them.
void attribute_by_inductor(OperatorManifest& manifest, const ingest::InductorCode& code);

}  // namespace frx::report
