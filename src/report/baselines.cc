#include "report/baselines.h"

#include <algorithm>

#include "base/text.h"
#include "report/ncu_times.h"

namespace frx::report {
namespace {

using derive::compare::BaselineSpread;
using derive::compare::fewest_values;

constexpr std::size_t enough_runs = 4;  // beyond this number a further run narrows the floor only a little

std::string why_no_baseline(const ComparedRun& first, const ComparedRun& other) {
  if (const std::vector<std::string> found = differences(first, other); !found.empty()) return join(found, "; ");
  if (first.evidence != other.evidence) return fmt::format("one was recorded as {}, the other as {}", first.evidence, other.evidence);
  if (first.batch != other.batch) return "the batches differ";
  if (std::min(first.step_ns.size(), other.step_ns.size()) < fewest_values)
    return fmt::format("it takes {} steps on each side", fewest_values);
  return first.step_ns == other.step_ns ? "it has the very same steps" : "";
}

Failure refused(std::string_view other, std::string_view first, std::string_view why) {
  return fail(ErrorKind::usage, "compare: {} is no further run of the configuration of {}: {}", printable(other), printable(first), why)
      .hint("--baseline takes recordings of what the first file records, made again");
}

}  // namespace

Result<BaselineSpread> spread_of_runs(const ComparedRun& first, std::span<const ComparedRun> others) {
  std::vector<double> medians;
  for (const ComparedRun& other : others) {
    if (const std::string why = why_no_baseline(first, other); !why.empty()) return refused(other.source, first.source, why);
    medians.push_back(derive::compare::median_of(other.step_ns));
  }
  if (!others.empty()) medians.push_back(derive::compare::median_of(first.step_ns));
  return derive::compare::spread_of(medians);
}

Result<BaselineSpread> spread_of_profiles(const NcuReport& first, std::span<const NcuReport> others) {
  std::vector<double> times;
  for (const NcuReport& other : others) {
    const ProfileJudgement judgement = judge_profiles(first, other);
    if (!judgement.is_comparable) return refused(other.source, first.source, judgement.why_not);
    times.push_back(judgement.second->us);
  }
  if (const std::optional<ProfiledTime> time = profiled_time(first); time && !others.empty()) times.push_back(time->us);
  return derive::compare::spread_of(times);
}

std::string words_for(const BaselineSpread& spread, double share) {
  const double largest = 100 * spread.largest;
  const std::string shown = largest < 10 ? fmt::format("{:.2g}", largest) : fmt::format("{:.0f}", largest);
  std::string text = fmt::format("{} runs of one configuration differ by up to {} %", spread.runs, shown);
  if (!spread.tells()) return text + ", which are too few or too different to tell what to expect of a further one";
  text += fmt::format("; two of them stay within {:.3g} % of each other (99 % sure)", 100 * share);
  if (spread.runs < enough_runs) text += ", and more of them would say so more closely";
  return text;
}

}  // namespace frx::report
