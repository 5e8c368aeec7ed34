// The report as `ncu_analysis_v1`, the documented JSON of analyze, profile and the API.
#pragma once

#include "compose/json_fwd.h"
#include "report/report.h"

namespace frx::compose {

Json ncu_json(const report::NcuReport& report);

// Parts that other JSON documents reuse.
Json finding_json(const report::Finding& finding, const report::SourceFile& file);
Json recommendation_json(const advise::Recommendation& recommendation);
Json validation_steps_json(const advise::Recommendation& recommendation);
Json predictions_json(const advise::Recommendation& recommendation);
Json bundles_json(const advise::Advice& advice);
Json withheld_json(const advise::Advice& advice);
Json roofline_json(const derive::Roofline& roofline);
Json occupancy_summary_json(const report::NcuReport& report);

}  // namespace frx::compose
