// Numbers that prose quotes beside the name of a counter, held against the profile.
//
//   "DRAM throughput is only 52.26% of peak, and 254 registers per thread allow two blocks"
//
// A number is a claim about a counter when nothing but words like "is only" stands between the two. Thresholds ("below 60 %"), wishes
// ("would reach 80 %") and numbers that stand alone are none. A phrase may name several counters ("DRAM throughput" is a share and a rate):
// the number has to fit one of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/judge/subject.h"

namespace frx::report {

// What stands behind a number. count: "3 blocks", which says nothing of a share; other: a ratio, or a part of a word ("a 32-byte sector").
enum class ClaimedUnit : std::uint8_t { none, count, percent, bytes, bytes_per_second, time, frequency, other };

struct ClaimedNumber {
  double value = 0;     // in base units: percent, bytes, bytes/s, ns, Hz
  double rounding = 0;  // half a unit of its last digit
  ClaimedUnit unit = ClaimedUnit::none;
  bool is_approximate = false;  // "about"
};

enum class Fit : std::uint8_t { fits, wrong_value, wrong_unit, not_measured };

// Whether a number can be the value of a fact: within 2 %, or what rounding allows.
Fit fit_of(const ClaimedNumber& number, const JudgedFact& fact);

struct Claim {
  std::string text;   // "52.26%"
  std::string about;  // "DRAM throughput", as the prose has it
  ClaimedNumber number;
  Fit fit = Fit::fits;
  const JudgedFact* fact = nullptr;  // the one it fits, else the first it could mean
};

class ClaimReader {
 public:
  // `subject` has to outlive it.
  explicit ClaimReader(const JudgeSubject& subject);
  std::vector<Claim> claims_in(std::string_view text) const;

 private:
  struct Phrase {
    std::string words;  // lower case
    std::vector<const JudgedFact*> facts;
  };
  struct Mention {
    std::size_t begin, end;
    const Phrase* phrase;
  };
  std::vector<Mention> mentions_in(std::string_view lower) const;

  std::vector<Phrase> phrases_;  // the longest first
};

}  // namespace frx::report
