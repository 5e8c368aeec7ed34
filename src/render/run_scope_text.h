// What the reports about traces and about run bundles share.
#pragma once

#include "render/page.h"
#include "report/trace_report.h"

namespace frx::render {

void add_run_verdict(Page& page, const report::RunScope& scope);
// How much the GPU idles without the pipeline being the reason, and what contributes; nothing where it cannot be told (docs/contract.md,
// section 5.9).
void add_framework_tax(Page& page, const report::RunScope& scope);
void add_run_recommendations(Page& page, const report::RunScope& scope);
// Bars of where the time of a step goes, on the first GPUs; `skipped`: steps at the beginning that are left out. `whose`: "RANK 0", or
// "" where there is only one. `waiting`: the share of a step that is known to be waiting for late ranks, which is part of exposed
// communication.
void add_breakdown(Page& page, const report::TraceReport& report, std::size_t skipped, std::string_view whose = {}, double waiting = 0);

}  // namespace frx::render
