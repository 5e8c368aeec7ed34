// What holds for names of a timeline, found out once for each name: millions of events have some thousands of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace frx::derive::trace {

// `Judge`: bool(std::string_view name).
template <typename Judge>
class JudgedNames {
 public:
  JudgedNames(const model::Timeline& timeline, Judge judge) : timeline_(timeline), judge_(judge), known_(timeline.names.size(), -1) {}

  // Of a number of the timeline's names; of an event, by its row.
  bool holds(std::uint32_t name) {
    std::int8_t& known = known_[name];
    if (known < 0) known = judge_(timeline_.names[name]);
    return known != 0;
  }
  bool holds_for(std::uint32_t row) { return holds(timeline_.name[row]); }

 private:
  const model::Timeline& timeline_;
  Judge judge_;
  std::vector<std::int8_t> known_;  // -1: not judged yet
};

}  // namespace frx::derive::trace
