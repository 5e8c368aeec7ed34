#include "ingest/ncu_columns.h"

#include <charconv>

#include "base/text.h"

namespace frx::ingest {
namespace {

struct Role {
  std::string_view name;  // lower case
  int NcuColumns::*column;
  bool identity;
};

constexpr Role roles[] = {
    {"id", &NcuColumns::id, true},
    {"process id", &NcuColumns::process_id, true},
    {"process name", &NcuColumns::process, true},
    {"kernel name", &NcuColumns::kernel, true},
    {"kernel name demangled", &NcuColumns::kernel, true},
    {"kernel", &NcuColumns::kernel, true},
    {"block size", &NcuColumns::block, true},
    {"grid size", &NcuColumns::grid, true},
    {"device", &NcuColumns::device, true},
    {"cc", &NcuColumns::cc, true},
    {"stream", &NcuColumns::stream, true},
    {"invocations", &NcuColumns::invocations, true},
    {"section name", &NcuColumns::section, false},
    {"metric name", &NcuColumns::metric, false},
    {"metric", &NcuColumns::metric, false},
    {"metric unit", &NcuColumns::unit, false},
    {"unit", &NcuColumns::unit, false},
    {"metric value", &NcuColumns::value, false},
    {"value", &NcuColumns::value, false},
    {"average", &NcuColumns::value, false},
    {"avg", &NcuColumns::value, false},
    {"rule name", &NcuColumns::rule_name, false},
    {"rule type", &NcuColumns::rule_type, false},
    {"rule description", &NcuColumns::rule_text, false},
    {"estimated speedup type", &NcuColumns::speedup_type, false},
    {"estimated speedup", &NcuColumns::speedup, false},
};

// Columns that describe the launch and are not used.
constexpr std::string_view passive[] = {"host name", "kernel time", "context"};

bool is_passive(std::string_view lower) {
  for (const std::string_view name : passive) {
    if (name == lower) return true;
  }
  return lower.starts_with("thread domain:") || lower.starts_with("id:domain:");
}

}  // namespace

NamedUnit split_unit(std::string_view header) {
  header = trim(header);
  if (header.ends_with(')')) {
    const std::size_t open = header.rfind(" (");
    if (open != header.npos) return {trim(header.substr(0, open)), header.substr(open + 2, header.size() - open - 3)};
  }
  return {header, {}};
}

std::optional<NcuColumns> read_ncu_header(const std::vector<std::string_view>& fields, const knowledge::MetricCatalogue& metrics) {
  NcuColumns columns;
  columns.count = fields.size();
  int counters = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto at = static_cast<int>(i);
    const std::string lower = to_lower(trim(fields[i]));
    if (lower == "metric description") return std::nullopt;  // nvprof's table, which has its own reader
    bool taken = is_passive(lower);
    for (const Role& role : roles) {
      if (role.name != lower || columns.*role.column >= 0) continue;
      columns.*role.column = at;
      taken = true;
      if (role.identity) columns.last_identity = at;
      break;
    }
    if (is_passive(lower)) columns.last_identity = at;
    if (taken) continue;
    const NamedUnit named = split_unit(fields[i]);
    if (metrics.called("", named.name, std::nullopt) || named.name.find("__") != named.name.npos) {
      columns.direct.push_back(at);
      if (named.name.find("__") != named.name.npos) ++counters;
    }
  }
  // A name column serves as the kernel's when there is no better one: {"Name", "Metric", "Value"}.
  if (columns.kernel < 0) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (equals_ignoring_case(trim(fields[i]), "name") && columns.is_tall()) {
        columns.kernel = static_cast<int>(i);
        columns.last_identity = std::max(columns.last_identity, static_cast<int>(i));
      }
    }
  }
  const bool tall = columns.kernel >= 0 && columns.is_tall();
  const bool wide = columns.is_wide() && (columns.kernel >= 0 ? fields.size() >= 2 : counters >= 2);
  return tall || wide ? std::optional(columns) : std::nullopt;
}

std::optional<model::Dim3> parse_dim3(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  model::Dim3 dims{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == text.npos) != (i == 2)) return std::nullopt;
    const std::string_view digits = trim(text.substr(0, comma));
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), dims[i]);
    const bool is_beyond = result.ec == std::errc::result_out_of_range;
    if ((result.ec != std::errc() && !is_beyond) || result.ptr != digits.data() + digits.size()) return std::nullopt;
    if (is_beyond || dims[i] > 0x7FFFFFFF) dims[i] = 0;  // no GPU has such a grid
    text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
  }
  return dims;
}

std::optional<model::ComputeCapability> parse_cc(std::string_view text) {
  text = trim(text);
  int first = 0, second = 0;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, first);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, second);
  if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
  return model::ComputeCapability::read(first, second);
}

}  // namespace frx::ingest
