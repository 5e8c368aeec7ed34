#include "knowledge/counter_units.h"

#include <algorithm>

#include "base/units.h"

namespace frx::knowledge {
namespace {

bool is_word_character(char c) { return c != '_' && c != '.' && c != ':'; }

// Whole words only: "sectors" is in "lts__t_sectors_op_read" and not in "l1sectors".
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(name[at - 1])) && (end == name.size() || !is_word_character(name[end]))) return true;
  }
  return false;
}

// Cuts the first of `ends` that matches, and returns whether there was one.
bool cut(std::string_view& name, const std::vector<std::string_view>& ends) {
  const auto found = std::find_if(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
  if (found == ends.end()) return false;
  name.remove_suffix(found->size());
  return true;
}

// The first rule with a pattern that matches.
template <typename Rules, typename Fits>
auto first(const Rules& rules, Fits fits) {
  return std::find_if(rules.begin(), rules.end(),
                      [&](const auto& rule) { return std::any_of(rule.patterns.begin(), rule.patterns.end(), fits); });
}

Failure malformed(const Value& value, std::string_view what) {
  return fail(ErrorKind::malformed, "counter units: {}", what).at(value.where());
}

}  // namespace

Result<CounterUnits::Rules> CounterUnits::rules(const Value& root, std::string_view list, std::string_view patterns) {
  TRY_ASSIGN(const Value entries, root.list(list));
  Rules rules;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Value entry = entries.item(i);
    const std::string_view unit = entry["unit"].text();
    if (!entry["unit"] || (unit != "unknown" && !parse_unit(unit))) {
      return malformed(entry, "expected a unit we know, \"\" or 'unknown'");
    }
    rules.push_back({unit == "unknown" ? std::nullopt : std::optional<std::string>(unit), entry[patterns].texts()});
    if (rules.back().patterns.empty()) return malformed(entry, fmt::format("expected a list '{}'", patterns));
  }
  return rules;
}

Result<CounterUnits> CounterUnits::load(const Library& library) {
  const Value root = library.file("data/counters/units.yaml");
  CounterUnits units;
  TRY_ASSIGN(units.names_, rules(root, "names", "of"));
  TRY_ASSIGN(units.starts_, rules(root, "starts", "with"));
  TRY_ASSIGN(units.quotients_, rules(root, "quotients", "has"));
  TRY_ASSIGN(units.nouns_, rules(root, "nouns", "has"));
  TRY_ASSIGN(const Value rates, root.list("rates"));
  for (std::size_t i = 0; i < rates.size(); ++i) {
    units.rates_.push_back({rates.item(i)["per"].text(), rates.item(i)["ends"].texts()});
  }
  TRY_ASSIGN(const Value special, root.list("rate_units"));
  for (std::size_t i = 0; i < special.size(); ++i) {
    const Value entry = special.item(i);
    if (!parse_unit(entry["unit"].text())) return malformed(entry, "expected a unit we know");
    units.rate_units_.push_back({entry["of"].text(), entry["per"].text(), entry["unit"].text()});
  }
  units.percent_ = root["percent"].texts();
  units.rollups_ = root["rollups"].texts();
  units.ratios_ = root["ratios"].texts();
  return units;
}

std::optional<std::string> CounterUnits::of(std::string_view counter) const {
  const auto is = [&](std::string_view name) { return counter == name; };
  if (const auto rule = first(names_, is); rule != names_.end()) return rule->unit;
  const auto begins = [&](std::string_view start) { return counter.starts_with(start); };
  if (const auto rule = first(starts_, begins); rule != starts_.end()) return rule->unit;
  std::string_view name = counter;
  if (cut(name, percent_)) return "%";
  const std::string_view divisor = cut_rate(name);
  while (cut(name, rollups_)) {  // ".sum.peak_sustained_elapsed": the peak of a sum
  }
  const std::optional<std::string> unit = of_what_is_counted(name);
  return unit && !divisor.empty() ? per(*unit, divisor) : unit;
}

std::string_view CounterUnits::cut_rate(std::string_view& name) const {
  for (const Rate& rate : rates_) {
    if (cut(name, rate.ends)) return rate.per;
  }
  return {};
}

// `name` without roll-up and rate: "lts__t_sectors_op_read", "smsp__average_inst_executed_per_warp.ratio".
std::optional<std::string> CounterUnits::of_what_is_counted(std::string_view name) const {
  const bool ratio = cut(name, ratios_);
  if (name.find('.') != name.npos) return std::nullopt;  // an unknown suffix
  const auto has = [&](std::string_view word) { return has_word(name, word); };
  if (const auto rule = first(quotients_, has); rule != quotients_.end()) return rule->unit;
  if (ratio) return std::nullopt;
  const auto rule = first(nouns_, has);
  return rule == nouns_.end() ? std::nullopt : rule->unit;
}

std::optional<std::string> CounterUnits::per(const std::string& unit, std::string_view divisor) const {
  for (const RateUnit& special : rate_units_) {
    if (special.of == unit && special.per == divisor) return std::string(special.unit);
  }
  // "1/s" is no unit of the tool, and a quotient already has its divisor.
  if (unit.empty() || unit == "%" || unit.find('/') != unit.npos) return std::nullopt;
  const std::string rate = fmt::format("{}/{}", unit, divisor);
  return parse_unit(rate) ? std::optional(rate) : std::nullopt;
}

}  // namespace frx::knowledge
