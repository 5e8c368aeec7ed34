// The thresholds of the classifiers (data/thresholds; docs/contract.md, section 5.6), with the user's own laid over them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "knowledge/expression.h"
#include "knowledge/library.h"

namespace frx::knowledge {

struct Threshold {
  std::string_view name;  // "input_bound_ratio"
  double value = 0;       // in `unit`
  Unit unit;
  bool is_own = false;  // the user gave another value than the default
};

class Thresholds {
 public:
  // Fails, naming file and line, on an invalid threshold.
  static Result<Thresholds> load(const Library& library);

  // Merges these over the defaults. An unknown name is an error that lists the known ones.
  Result<> lay(const std::map<std::string, double>& own);
  // The same error, at `where`, for a name that is not known.
  Result<> expect(std::string_view name, const std::string& where) const;

  const std::vector<Threshold>& all() const { return all_; }  // by name
  std::optional<std::size_t> find(std::string_view name) const;

  // Names that conditions may ask for, two slots each: `input_bound_ratio` is the value, in its unit, and `own.input_bound_ratio`
  // holds where the user gave another than the default. Slots count from `first_slot`.
  std::optional<Operand> operand(std::string_view name, std::uint32_t first_slot) const;
  // The thresholds that a condition over such slots mentions, in the order of its operands.
  std::vector<std::string_view> names_in(const Expression& condition, std::uint32_t first_slot) const;
  double of_slot(std::uint32_t offset) const {
    const Threshold& threshold = all_[offset / 2];
    return offset % 2 == 0 ? threshold.value : threshold.is_own ? 1.0 : 0.0;
  }
  double value(std::string_view name) const { return all_[find(name).value()].value; }
  // "defaults" or "defaults+arch_overrides".
  std::string_view source() const { return is_default_ ? "defaults" : "defaults+arch_overrides"; }
  // 12 hexadecimal digits over all values: equal sets have equal hashes.
  const std::string& hash() const { return hash_; }

 private:
  void rehash();

  std::vector<Threshold> all_;
  std::string hash_;
  bool is_default_ = true;
};

}  // namespace frx::knowledge
