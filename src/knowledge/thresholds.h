// The thresholds of the classifiers (data/thresholds), with the user's own merged over them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "knowledge/library.h"

namespace frx::knowledge {

struct Threshold {
  std::string_view name;  // "input_bound_ratio"
  double value = 0;       // in `unit`
  Unit unit;
  bool is_used = true;  // false: accepted, but without effect
};

class Thresholds {
 public:
  // Fails, naming file and line, on an invalid threshold.
  static Result<Thresholds> load(const Library& library);

  // Merges these over the defaults. An unknown name is an error that lists the known ones.
  Result<> lay(const std::map<std::string, double>& own);

  const std::vector<Threshold>& all() const { return all_; }  // by name
  std::optional<std::size_t> find(std::string_view name) const;
  double value(std::string_view name) const { return all_[find(name).value()].value; }
  // As in docs/contract.md: "defaults" or "defaults+arch_overrides".
  std::string_view source() const { return is_default_ ? "defaults" : "defaults+arch_overrides"; }
  // As in docs/contract.md: 12 hexadecimal digits over all values. Equal sets have equal hashes, in the reference implementation too.
  std::string hash() const;

 private:
  std::vector<Threshold> all_;
  bool is_default_ = true;
};

}  // namespace frx::knowledge
