// How often the leading label of made-up launches is the cause that they were made with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/knowledge.h"

namespace frx::testing {

constexpr std::uint64_t synthetic_count = 13000;  // of docs/validation/synthetic.md and of the test

struct CauseScore {
  std::string_view cause;
  std::uint64_t profiles = 0, decided = 0;
  std::uint64_t right = 0;                     // an accepted label leads, or, where what decides was not collected, none that is forbidden
  std::uint64_t forbidden = 0;                 // a label leads whose fix could not help
  std::map<std::string, std::uint64_t> leads;  // of decided profiles
  std::vector<std::uint64_t> wrong;            // numbers of profiles, the first few
};

struct SyntheticScore {
  std::vector<CauseScore> causes;
  std::uint64_t profiles() const;
  std::uint64_t right() const;
  std::uint64_t forbidden() const;
};

// Profiles 0 to count - 1.
SyntheticScore score_synthetic(std::uint64_t count, const knowledge::Knowledge& knowledge);

// A row for each cause: "| name | made | decided | right | forbidden | what led |".
std::string table_of(const SyntheticScore& score);

// docs/validation/synthetic.md
std::string synthetic_page(const SyntheticScore& score);

}  // namespace frx::testing
