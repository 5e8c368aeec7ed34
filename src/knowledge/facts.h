// The facts that conditions may use (data/facts): meaning, unit and range of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "base/units.h"

namespace frx::knowledge {

struct FactDefinition {
  enum Type : std::uint8_t { number, truth, text };

  std::string_view id, meaning;
  Type type = number;
  Unit unit;
  std::optional<double> min, max;  // in `unit`
  bool is_whole = false;
};

//   {id: max_shared_bytes, is: count, unit: byte, meaning: shared memory of a block}
//
// `is`: truth, text, count (whole, from 0), share (0 to 1), or a number when it is left out; `min`, `max` say more.
// Fails, naming file and line, on an invalid fact.
Result<FactDefinition> read_fact(const Value& entry);

}  // namespace frx::knowledge
