// What several layers of evidence say together, for people and for programs (reconciliation_v1).
#pragma once

#include <string>

#include "render/json.h"
#include "render/style.h"
#include "report/evidence.h"

namespace frx::render {

std::string evidence_text(const report::EvidenceReport& report, const Style& style);
Json evidence_json(const report::EvidenceReport& report);

}  // namespace frx::render
