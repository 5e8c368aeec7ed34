// The unit in which a report holds a counter. Report files store values without units, always in base units, and the name of a counter
// implies the unit: dram__bytes_read.sum.per_second is in bytes per second.
//
// The rules are data/counters/units.yaml. They cover less than the tool does: a name that is not specific enough has no unit here, and its
// value must not be used as a quantity.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"

namespace frx::knowledge {

class CounterUnits {
 public:
  // Fails, naming file and line, when a rule has a unit that parse_unit() does not know or matches nothing.
  static Result<CounterUnits> load(const Library& library);

  // The base unit of a counter as parse_unit() reads it: "ns", "byte", "byte/s", "hz", "%", "inst/cycle";
  // "" for a plain number, a flag, a name, and for device attributes, which have the driver's unit (MetricDefinition::attribute_scale).
  // nullopt when the name is not specific enough.
  std::optional<std::string> of(std::string_view counter) const;

 private:
  struct Rule {
    std::optional<std::string> unit;  // nullopt: the name is known to be not specific enough
    std::vector<std::string_view> patterns;
  };
  struct RateUnit {
    std::string_view of, per, unit;
  };
  struct Rate {
    std::string_view per;  // "s", "cycle"
    std::vector<std::string_view> ends;
  };
  using Rules = std::vector<Rule>;

  static Result<Rules> rules(const Value& root, std::string_view list, std::string_view patterns);
  std::optional<std::string> of_what_is_counted(std::string_view name) const;
  std::optional<std::string> per(const std::string& unit, std::string_view divisor) const;
  std::string_view cut_rate(std::string_view& name) const;

  Rules names_, starts_, quotients_, nouns_;
  std::vector<Rate> rates_;
  std::vector<RateUnit> rate_units_;
  std::vector<std::string_view> percent_, rollups_, ratios_;
};

}  // namespace frx::knowledge
