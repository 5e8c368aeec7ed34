#include "support/ncu_report_yaml.h"

#include <algorithm>
#include <charconv>

namespace frx::testing::report_yaml {
namespace {

std::optional<double> real_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// {float: 1.5} and the like.
Result<ReportValue> outright_value(Value map) {
  const Value value = map.value(0);
  const std::string_view kind = map.key(0);
  if (map.size() != 1) return wrong(map, "expected one of float, double, uint32, uint64, text");
  if (kind == "text") return ReportValue(std::string(value.text()));
  TRY_ASSIGN(const double number, real(value));
  if (kind == "float") return ReportValue(static_cast<float>(number));
  if (kind == "double") return ReportValue(number);
  TRY_ASSIGN(const std::uint64_t whole, integer(value));
  if (kind == "uint32") return ReportValue(static_cast<std::uint32_t>(whole));
  if (kind == "uint64") return ReportValue(whole);
  return wrong(map, "expected one of float, double, uint32, uint64, text, found '{}'", kind);
}

}  // namespace

Result<> check_keys(Value map, std::initializer_list<std::string_view> known) {
  if (!map.is_map()) return wrong(map, "expected a map");
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (std::find(known.begin(), known.end(), map.key(i)) == known.end()) return wrong(map.value(i), "no key is called '{}'", map.key(i));
  }
  return {};
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Result<std::uint64_t> integer(Value value, std::uint64_t otherwise) {
  if (!value) return otherwise;
  if (const auto number = whole_number(value.text())) return *number;
  return wrong(value, "expected a whole number, found '{}'", value.text());
}

Result<double> real(Value value, double otherwise) {
  if (!value) return otherwise;
  if (const auto number = real_number(value.text())) return *number;
  return wrong(value, "expected a number, found '{}'", value.text());
}

ReportValue plain_value(std::string_view text) {
  if (const auto number = whole_number(text)) return *number;
  if (const auto number = real_number(text)) return *number;
  return std::string(text);
}

Result<ReportValue> report_value(Value value) {
  if (value.is_map()) return outright_value(value);
  return value ? plain_value(value.text()) : ReportValue();
}

Result<std::array<std::uint64_t, 3>> xyz(Value list, std::array<std::uint64_t, 3> otherwise) {
  if (!list) return otherwise;
  if (!list.is_list() || list.size() > 3) return wrong(list, "expected [x, y, z]");
  std::array<std::uint64_t, 3> result = {1, 1, 1};
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY_ASSIGN(result[i], integer(list.item(i)));
  }
  return result;
}

bool flag(Value value) { return value.boolean().value_or(false); }

std::vector<std::string> texts(Value value) {
  const std::vector<std::string_view> views = value.texts();
  return {views.begin(), views.end()};
}

std::vector<std::pair<std::string, std::string>> text_pairs(Value map) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < map.size(); ++i) pairs.emplace_back(map.key(i), map.value(i).text());
  return pairs;
}

Result<std::optional<std::uint32_t>> optional_integer(Value map, std::string_view key, std::uint32_t otherwise) {
  if (map[key].text() == "none") return std::optional<std::uint32_t>();
  TRY_ASSIGN(const std::uint64_t number, integer(map[key], otherwise));
  return std::optional(static_cast<std::uint32_t>(number));
}

}  // namespace frx::testing::report_yaml
