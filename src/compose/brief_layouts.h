// What a brief about a run says of the layouts of its tensors.
#pragma once

#include <string>
#include <vector>

#include "answer/json_object.h"
#include "report/run_report.h"

namespace frx::compose {

// The best fixes, one sentence each: "[HIGH] contiguous() copies, model.py(42): forward: ...". Empty where no trace of one rank tells any.
std::vector<std::string> layout_words_of(const report::RunReport& report);
// The same as members "title", "severity", "site", "saves_time_pct", "saves_bytes_pct", "effort", "risk", "confidence", "fix".
void put_layout_findings(answer::JsonObject& out, std::string_view key, const report::RunReport& report);

}  // namespace frx::compose
