// From compiled code to the answer about it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/code_analyst.h"
#include "report/device_report.h"

namespace frx::report {

Result<std::unique_ptr<DeviceReport>> analyse_device_code(const CodeAnalyst& analyst, std::string name, model::DeviceCode code);

}  // namespace frx::report
