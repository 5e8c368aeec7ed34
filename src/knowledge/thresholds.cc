#include "knowledge/thresholds.h"

#include <algorithm>
#include <cmath>

#include "base/sha256.h"
#include "base/text.h"

namespace frx::knowledge {
namespace {

Result<Threshold> threshold_of(std::string_view name, const Value& entry) {
  Threshold threshold;
  threshold.name = name;
  const std::optional<double> value = entry["default"].number();
  const std::optional<Unit> unit = parse_unit(entry["unit"] ? entry["unit"].text() : "");
  if (!value || !unit) return fail(ErrorKind::malformed, "expected a number as 'default' and a known unit").at(entry.where());
  threshold.value = *value;
  threshold.unit = *unit;
  return threshold;
}

// The spelling of Python for a float.
std::string as_float(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

}  // namespace

Result<Thresholds> Thresholds::load(const Library& library) {
  Thresholds loaded;
  for (const Value& root : library.folder("thresholds")) {
    const Value list = root["thresholds"];
    for (std::size_t i = 0; i < list.size(); ++i) {
      TRY_ASSIGN(const Threshold threshold, threshold_of(list.key(i), list.value(i)));
      loaded.all_.push_back(threshold);
    }
  }
  std::ranges::sort(loaded.all_, {}, &Threshold::name);
  loaded.rehash();
  return loaded;
}

Result<> Thresholds::lay(const std::map<std::string, double>& own) {
  for (const auto& [name, value] : own) {
    TRY(expect(name, ""));
    Threshold& threshold = all_[*find(name)];
    if (threshold.value == value) continue;
    threshold.value = value;
    threshold.is_own = true;
    is_default_ = false;
  }
  rehash();
  return {};
}

Result<> Thresholds::expect(std::string_view name, const std::string& where) const {
  if (find(name)) return {};
  std::vector<std::string> known;
  for (const Threshold& threshold : all_) known.emplace_back(threshold.name);
  return fail(ErrorKind::malformed, "classifier_thresholds: no threshold '{}'", printable(name))
      .at(where)
      .hint("known are " + join(known, ", "));
}

std::optional<Operand> Thresholds::operand(std::string_view name, std::uint32_t first_slot) const {
  const bool asks_own = name.starts_with("own.");
  const std::optional<std::size_t> at = find(asks_own ? name.substr(4) : name);
  if (!at) return std::nullopt;
  const std::uint32_t slot = first_slot + 2 * static_cast<std::uint32_t>(*at);
  return asks_own ? Operand{slot + 1, {}, true} : Operand{slot, all_[*at].unit, false};
}

std::vector<std::string_view> Thresholds::names_in(const Expression& condition, std::uint32_t first_slot) const {
  std::vector<std::string_view> names;
  for (const std::uint32_t slot : condition.slots()) {
    const bool is_value = slot >= first_slot && (slot - first_slot) % 2 == 0;
    if (is_value && (slot - first_slot) / 2 < all_.size()) names.push_back(all_[(slot - first_slot) / 2].name);
  }
  return names;
}

std::optional<std::size_t> Thresholds::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(all_, name, {}, &Threshold::name);
  return at == all_.end() || at->name != name ? std::nullopt : std::optional(static_cast<std::size_t>(at - all_.begin()));
}

void Thresholds::rehash() {
  std::vector<std::string> members;
  for (const Threshold& threshold : all_) members.push_back(fmt::format("\"{}\": {}", threshold.name, as_float(threshold.value)));
  hash_ = sha256("{" + join(members, ", ") + "}").substr(0, 12);
}

}  // namespace frx::knowledge
