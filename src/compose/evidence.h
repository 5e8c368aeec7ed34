// What several layers of evidence say together, for people and for programs (reconciliation_v1).
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/page.h"
#include "compose/style.h"
#include "report/evidence.h"

namespace frx::compose {

// Parts of a page that others print, too: each diagnosis with what speaks for it, and what would settle those that are open.
void add_diagnoses(Page& page, const report::EvidenceReport& report);
void add_missing_evidence(Page& page, const std::vector<const report::EvidenceReport*>& reports);

std::string evidence_text(const report::EvidenceReport& report, const Style& style);
Json evidence_json(const report::EvidenceReport& report);

}  // namespace frx::compose
