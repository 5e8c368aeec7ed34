// Values and texts of a report in the syntax of CSV and JSON.
#pragma once

#include <string>
#include <string_view>

#include "ingest/ncu_report/launch.h"

namespace frx::convert {

// The shortest digits that read back as the same double, without an exponent: "0.00001", "1250". A number of more than 40 characters, the
// limit of readers of columns, has an exponent after all: "1e+300".
std::string plain_number(double value);

// True for the values without a number: absent, NaN, infinite.
bool says_nothing(const ingest::nsight::MetricValue& value);

// Appends `text` with its quotes doubled, without quotes around it. What a spreadsheet would compute ("=1+1", "@SUM(A1)") gets a ' in
// front.
void append_csv(std::string& out, std::string_view text);
// "n/a" for a value without a number.
void append_csv(std::string& out, const ingest::nsight::MetricValue& value);

// "\"text\"", everything beyond ASCII escaped.
std::string json_string(std::string_view text);
// null for a value without a number. Counts are whole numbers; 1e+20 is a number of JSON, too.
void append_json(std::string& out, const ingest::nsight::MetricValue& value);

// The name of one instance of a metric: "0x7f10" (an address or an index), "FADD", or its index when the report gives it no name.
std::string instance_name(const ingest::nsight::Instance& instance, std::size_t place);

}  // namespace frx::convert
