// Metrics as Prometheus reads them (text format 0.0.4): the lines that open a family, and labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace frx {

// Adds the HELP and TYPE lines. `type`: counter, gauge, histogram. `help`: one line of ours, without a backslash.
void describe_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help);

// The value of a label, in quotes: printable (line ends are blanks), at most 120 characters, quotes and backslashes escaped.
std::string label_value(std::string_view text);

// Adds the lines of a histogram. `labels`: "a=\"b\"", at least one; `bounds`: the upper ones of the buckets, included; `counts`: of each
// bucket alone, the last of what is above all bounds.
void add_histogram(std::string& out, std::string_view name, std::string_view labels, std::span<const double> bounds,
                   std::span<const std::uint64_t> counts, double sum);

}  // namespace frx
