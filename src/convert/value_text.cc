#include "convert/value_text.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace frx::convert {
namespace {

using ingest::nsight::MetricValue;

constexpr std::size_t widest_number = 40;

std::string shortest(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// A spreadsheet computes what begins so, and a formula can start programs.
bool is_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos && !is_number(text);
}

}  // namespace

std::string plain_number(double value) {
  char digits[widest_number];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed);
  return error == std::errc() ? std::string(digits, end) : shortest(value);
}

bool says_nothing(const MetricValue& value) {
  return value.kind == MetricValue::Kind::absent || (value.kind == MetricValue::Kind::real && !std::isfinite(value.real));
}

void append_csv(std::string& out, std::string_view text) {
  if (is_formula(text)) out += '\'';
  for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"')) {
    out += text.substr(0, at + 1);
    out += '"';
    text.remove_prefix(at + 1);
  }
  out += text;
}

void append_csv(std::string& out, const MetricValue& value) {
  if (says_nothing(value)) {
    out += "n/a";
  } else if (value.kind == MetricValue::Kind::text) {
    append_csv(out, printable(value.text));
  } else if (value.kind == MetricValue::Kind::integer) {
    fmt::format_to(std::back_inserter(out), "{}", value.integer);
  } else {
    out += plain_number(value.real);
  }
}

std::string json_string(std::string_view text) {
  return nlohmann::json(printable(text)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

void append_json(std::string& out, const MetricValue& value) {
  if (says_nothing(value)) {
    out += "null";
  } else if (value.kind == MetricValue::Kind::text) {
    out += json_string(value.text);
  } else if (value.kind == MetricValue::Kind::integer) {
    fmt::format_to(std::back_inserter(out), "{}", value.integer);
  } else {
    out += shortest(value.real);
  }
}

std::string instance_name(const ingest::nsight::Instance& instance, std::size_t place) {
  const MetricValue& name = instance.correlation;
  switch (name.kind) {
    case MetricValue::Kind::text: return printable(name.text);
    case MetricValue::Kind::integer: return fmt::format("0x{:x}", name.integer);
    case MetricValue::Kind::real: return plain_number(name.real);
    case MetricValue::Kind::absent: break;
  }
  return fmt::format("{}", place);
}

}  // namespace frx::convert
