// Parts of frx_explain_v0 that briefs of every kind have.
#pragma once

#include "advise/advice.h"
#include "render/json_fwd.h"

namespace frx::render {

// The three strongest, each with two of its actions and its validation steps.
Json top_recommendations_json(const advise::Advice& advice);

}  // namespace frx::render
