// Values and texts of a report as CSV and JSON want them.
#pragma once

#include <string>
#include <string_view>

#include "ingest/ncu_report/launch.h"

namespace frx::convert {

// The shortest digits that read back as the same double, and no exponent: "0.00001", "1250". Beyond what a reader
// of columns can take (40 characters) it has an exponent after all: "1e+300".
std::string plain_number(double value);

// True for the values that say nothing: absent, NaN, infinite.
bool says_nothing(const ingest::nsight::MetricValue& value);

// Appends `text` with its quotes doubled, without quotes around it.
void append_csv(std::string& out, std::string_view text);
// "n/a" for a value that says nothing.
void append_csv(std::string& out, const ingest::nsight::MetricValue& value);

// "\"text\"", everything beyond ASCII escaped.
std::string json_string(std::string_view text);
// null for a value that says nothing. Counts are whole numbers; 1e+20 is a number of JSON, too.
void append_json(std::string& out, const ingest::nsight::MetricValue& value);

// How one instance of a metric is called: "0x7f10" (an address or an index), "FADD", or its place when the report gives
// it no name.
std::string instance_name(const ingest::nsight::Instance& instance, std::size_t place);

}  // namespace frx::convert
