// What layers of evidence agree on, as reconciliation_v1.
#pragma once

#include "render/json.h"
#include "report/reconciliation.h"

namespace frx::render {

Json reconciliation_json(const report::ReconciledEvidence& evidence);

}  // namespace frx::render
