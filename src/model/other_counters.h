// Counters of a profile that the catalogue has no definition of: kept as they stand in the file, and only where a caller asks for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace frx::model {

struct OtherCounters {
  static constexpr std::size_t most = 4096;  // names; further ones are left out

  struct Counter {
    std::string name;
    std::string unit;  // as the file prints it; "" where it states none
  };
  struct Values {
    double sum = 0;
    std::uint32_t count = 0;
    std::uint64_t line = 0;  // of the first

    double mean() const { return sum / count; }
  };

  std::vector<Counter> counters;
  std::map<std::pair<std::size_t, std::uint32_t>, Values> values;  // by kernel of the session and counter, over its launches

  void add(std::size_t kernel, std::uint32_t counter, double value, std::uint64_t line) {
    Values& of = values[{kernel, counter}];
    if (of.count++ == 0) of.line = line;
    of.sum += value;
  }
};

}  // namespace frx::model
