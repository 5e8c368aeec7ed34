// Two profiles of one kernel: is the second faster, slower, or can one not tell?
//
// The verdict is of time and rests on raw samples alone (derive/compare/two_samples.h). Two medians say how large a difference looks, never
// whether it is one. Other metrics are compared as they are: they describe, they do not decide.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/compare/two_samples.h"
#include "model/full_profile.h"

namespace frx::report {

struct MetricChange {
  enum class Verdict : std::uint8_t { same, improved, regressed };

  std::string_view metric;  // "wall_clock_time_us"
  double before = 0, after = 0;
  std::optional<double> change_pct;  // absent where `before` is 0
  Verdict verdict = Verdict::same;   // a change of less than 2 % is the same
};

struct ProfileDiff {
  std::string before, after;                // names of the files
  std::vector<std::string> not_comparable;  // why nothing is judged, in sentences; empty where it is
  std::vector<std::string> notes;           // what could not be checked, or differs and may matter
  std::vector<MetricChange> metrics;        // that both sides have
  derive::compare::Judgement judgement;     // of time
  std::string why_not;                      // a sentence, where the answer is inconclusive and not "the same"

  bool is_comparable() const { return not_comparable.empty(); }
  // Practically equal: the whole interval lies within the noise.
  bool is_same() const {
    return judgement.answer == derive::compare::Answer::cannot_tell && judgement.doubt == derive::compare::Doubt::within_noise;
  }
};

inline constexpr double same_below_pct = 2;

// `names`: of the files, for the sentences.
ProfileDiff diff_profiles(const model::FullProfile& before, const model::FullProfile& after, std::string before_name,
                          std::string after_name);

// 0 the same or better, 1 a regression, 2 not comparable, 3 inconclusive.
int exit_code_of(const ProfileDiff& diff);

// "improved", "regressed", "same", "cannot_tell", "not_comparable".
std::string_view outcome_of(const ProfileDiff& diff);

}  // namespace frx::report
