// Metrics as Prometheus reads them (text format 0.0.4): the lines that open a family, and labels.
#pragma once

#include <string>
#include <string_view>

namespace frx {

// Adds the HELP and TYPE lines. `type`: counter, gauge, histogram. `help`: one line of ours, without a backslash.
void describe_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help);

// The value of a label, in quotes: printable, at most 120 characters, with quotes, backslashes and line ends escaped.
std::string label_value(std::string_view text);

}  // namespace frx
