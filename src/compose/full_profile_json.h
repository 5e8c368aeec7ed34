// FullProfile documents as JSON.
#pragma once

#include "answer/json_object.h"
#include "model/full_profile.h"

namespace frx::compose {

// Version 2.1 whatever version it was read from: what was not collected is left out, and numbers are written with all of their digits.
void put_full_profile(answer::JsonObject& out, const model::FullProfile& profile);

}  // namespace frx::compose
