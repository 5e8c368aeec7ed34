// The answer about compiled code, for people and as device_code_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/device_report.h"

namespace frx::compose {

std::string device_text(const report::DeviceReport& report, const Style& style);
Json device_json(const report::DeviceReport& report);

}  // namespace frx::compose
