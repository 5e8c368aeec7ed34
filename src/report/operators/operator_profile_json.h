// Profiles of operators as JSON that is parsed already, for readers that look for more than a report has.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/operators/operator_profile.h"

namespace frx::report {

// The text as JSON of any kind; Malformed, naming the file, where it is none.
Result<nlohmann::json> operator_profile_json(std::string_view name, std::string_view json);
// As read_operator_profile() (report/operators/operator_profile.h). Where there is no error, operators are objects with a name and a list
// of kernels, and kernels objects with a duration.
Result<OperatorReport> operator_report_in(std::string_view name, const nlohmann::json& profile, OperatorGrouping grouping,
                                          const knowledge::MetricCatalogue* metrics = nullptr);

}  // namespace frx::report
