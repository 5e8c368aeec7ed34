// Modules that do the same work, as an answer and as NAME.part.json.
#pragma once

#include <memory>
#include <string>

#include "answer/answer.h"
#include "report/layers_report.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::LayersReport> report);

// {"blocks.1": "blocks.0"}: each duplicate with the module that stands for it (data/schemas/operator_partition_v1.json).
std::string partition_text(const report::LayersReport& report);

}  // namespace frx::compose
