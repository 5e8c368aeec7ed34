// The messages of a report as bytes; ncu_report_writer.h puts them together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/ncu_report_writer.h"

namespace frx::testing {

// Gives the number of a metric's name.
using NameId = std::function<std::uint32_t(const std::string& name)>;

std::string result_message(const ReportLaunch& launch, const NameId& name_id);
std::string source_message(const ReportSource& source);
std::string header_message(const ReportBlock& block, const std::vector<std::string>& names, std::size_t payload);

}  // namespace frx::testing
