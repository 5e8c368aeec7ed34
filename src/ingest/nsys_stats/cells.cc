#include "ingest/nsys_stats/cells.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace frx::ingest::nsys_stats {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// "44,0087,8248" and "1,23,456.5", without the signs between their groups.
std::optional<std::string> without_groups(std::string_view text, NumberStyle style) {
  const char group = style == NumberStyle::point ? ',' : '.', decimal = style == NumberStyle::point ? '.' : ',';
  const std::string_view whole = text.substr(0, text.find(decimal));
  const std::vector<std::string_view> parts = split(whole, group);
  std::string digits;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t least = i == 0 ? 1 : i + 1 == parts.size() ? 3 : 2;
    if (parts[i].size() < least || parts[i].size() > 4 || !std::ranges::all_of(parts[i], is_digit)) return std::nullopt;
    digits += parts[i];
  }
  if (parts.size() < 2) return std::nullopt;
  if (whole.size() == text.size()) return digits;
  return digits + '.' + std::string(text.substr(whole.size() + 1));
}

}  // namespace

std::optional<Columns> Columns::from_dashes(std::string_view line) {
  if (line.find_first_not_of("- ") != line.npos) return std::nullopt;
  constexpr std::size_t most = 64;  // tables of nsys have about twenty
  Columns columns;
  for (std::size_t at = line.find('-'); at != line.npos; at = line.find('-', at)) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (columns.size() == most) return std::nullopt;
    columns.groups_.emplace_back(at, end);
    at = end;
  }
  return columns.size() >= 2 ? std::optional(columns) : std::nullopt;
}

std::optional<std::vector<std::string_view>> Columns::cut(std::string_view line) const {
  std::vector<std::string_view> cells;
  std::size_t at = 0, character = 0;
  const auto skip_to = [&](std::size_t wanted) {
    while (at < line.size() && character < wanted) {
      ++at;
      while (at < line.size() && !begins_character(line[at])) ++at;
      ++character;
    }
    return at;
  };
  std::size_t before = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::size_t begin = skip_to(groups_[i].first);
    if (!trim(line.substr(before, begin - before)).empty()) return std::nullopt;
    before = i + 1 < groups_.size() ? skip_to(groups_[i].second) : line.size();
    cells.push_back(trim(line.substr(begin, before - begin)));
  }
  return cells;
}

bool is_absent(std::string_view text) {
  text = trim(text);
  return text.empty() || text == "-" || text == "None";
}

std::optional<double> number_in(std::string_view text, NumberStyle style) {
  text = trim(text);
  if (const std::optional<double> value = parse_number(text, style)) return value;
  if (text.size() > 64) return std::nullopt;
  const std::optional<std::string> digits = without_groups(text, style);
  return digits ? parse_number(*digits, NumberStyle::point) : std::nullopt;
}

std::optional<std::uint64_t> count_in(std::string_view text, NumberStyle style, std::uint64_t largest) {
  const std::optional<double> value = number_in(text, style);
  if (!value || *value < 1 || *value > static_cast<double>(largest) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<model::Dim3> dims_in(std::string_view text) {
  model::Dim3 dims{};
  std::size_t axis = 0;
  for (std::string_view part : split(trim(text), ' ')) {
    if (part.empty()) continue;
    const auto size = count_in(part, NumberStyle::point, 0x7FFFFFFF);
    if (!size || axis >= dims.size()) return std::nullopt;
    dims[axis++] = static_cast<std::uint32_t>(*size);
  }
  return axis == dims.size() ? std::optional(dims) : std::nullopt;
}

}  // namespace frx::ingest::nsys_stats
