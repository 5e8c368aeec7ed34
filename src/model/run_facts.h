// What is known of a run as numbers: data/facts/run.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace frx::model {

enum class RunFact : std::uint8_t {
#define FRX_RUN_FACT(name, unit) name,
#include "frx_generated/run_facts.def"
#undef FRX_RUN_FACT
};

struct RunFactName {
  std::string_view name, unit;
};
inline constexpr RunFactName run_fact_names[] = {
#define FRX_RUN_FACT(name, unit) {#name, unit},
#include "frx_generated/run_facts.def"
#undef FRX_RUN_FACT
};
inline constexpr std::size_t run_fact_count = std::size(run_fact_names);

class RunFacts {
 public:
  void set(RunFact fact, std::optional<double> value) { values_[static_cast<std::size_t>(fact)] = value; }
  const std::optional<double>& operator[](RunFact fact) const { return values_[static_cast<std::size_t>(fact)]; }

 private:
  std::array<std::optional<double>, run_fact_count> values_;
};

}  // namespace frx::model
