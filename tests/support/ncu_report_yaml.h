// Pieces of the YAML of a report: values as the reader of ncu_report_from_yaml.h takes them from it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.h"
#include "support/ncu_report_writer.h"

namespace frx::testing::report_yaml {

template <typename... Args>
Failure wrong(Value at, fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorKind::malformed, format, std::forward<Args>(args)...).at(at.where());
}

// A word that is misspelled would silently test nothing.
Result<> check_keys(Value map, std::initializer_list<std::string_view> known);

// "12" and "0x10".
std::optional<std::uint64_t> whole_number(std::string_view text);

Result<std::uint64_t> integer(Value value, std::uint64_t otherwise = 0);
Result<double> real(Value value, double otherwise = 0);
// Of the map's `key`; nothing when `none` stands there.
Result<std::optional<std::uint32_t>> optional_integer(Value map, std::string_view key, std::uint32_t otherwise);
Result<std::array<std::uint64_t, 3>> xyz(Value list, std::array<std::uint64_t, 3> otherwise);
bool flag(Value value);

// A whole number, another number or a text, by how it is written.
ReportValue plain_value(std::string_view text);
// That, nothing, or a kind said outright: {float: 1.5}.
Result<ReportValue> report_value(Value value);

std::vector<std::string> texts(Value value);
std::vector<std::pair<std::string, std::string>> text_pairs(Value map);

// One of `launches`; `ordinal` counts them.
Result<ReportLaunch> launch(Value from, std::uint64_t ordinal);
// nullptr when the launch has none of this name.
ReportMetric* find_metric(ReportLaunch& launch, std::string_view name);

}  // namespace frx::testing::report_yaml
