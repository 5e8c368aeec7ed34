#include "compose/run_comparison_words.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"

namespace frx::compose {
namespace {

using derive::compare::Answer;
using derive::compare::Doubt;
using report::RunComparison;

std::string seen(const RunComparison& comparison) {
  const auto& judgement = comparison.judgement;
  if (!judgement.ratio) return "";
  const std::string unit = comparison.per_sample ? "a sample" : "a step";
  std::string text =
      fmt::format("{} takes {:.2f} times as long in {} as in {}", unit, *judgement.ratio, comparison.second.label, comparison.first.label);
  if (judgement.low) text += fmt::format(" (99 % sure: {:.2f} to {:.2f})", *judgement.low, *judgement.high);
  return text;
}

std::string doubt_words(const RunComparison& comparison) {
  const auto& judgement = comparison.judgement;
  if (!comparison.not_comparable.empty()) return "the two are not comparable, " + join(comparison.not_comparable, "; ");
  switch (judgement.doubt) {
    case Doubt::too_few:
      return fmt::format("{} and {} are too few; it takes {} on each side", judgement.first, judgement.second,
                         count_text(derive::compare::fewest_values, "step"));
    case Doubt::within_noise:
      if (comparison.baselines && comparison.noise_floor == comparison.baselines->share_less()) {
        return fmt::format("any difference is within {:.3g} %, which {} runs of one configuration may differ by, too", 100 * comparison.noise_floor,
                           comparison.baselines->runs);
      }
      return fmt::format("any difference is within {:.3g} %, which is noise", 100 * comparison.noise_floor);
    case Doubt::too_scattered: return "the steps scatter too much";
    case Doubt::none: break;
  }
  return {};
}

}  // namespace

std::string verdict_sentence(const RunComparison& comparison) {
  const std::string ratio = seen(comparison);
  switch (comparison.judgement.answer) {
    case Answer::better:
      return fmt::format("{} is faster: {}, {:.2f}x the speed.", comparison.second.label, ratio, 1 / *comparison.judgement.ratio);
    case Answer::worse: return fmt::format("{} is slower: {}.", comparison.second.label, ratio);
    case Answer::cannot_tell: break;
  }
  const std::string observed = ratio.empty() ? "" : fmt::format(". What was seen: {}", ratio);
  return fmt::format("One cannot tell which is faster: {}{}.", doubt_words(comparison), observed);
}

std::string what_would_tell(const RunComparison& comparison) {
  if (comparison.judgement.answer != Answer::cannot_tell || !comparison.not_comparable.empty()) return {};
  if (comparison.judgement.doubt == Doubt::too_few) return "record about 20 steps on each side, after 2 that warm up";
  if (!comparison.steps_needed) return {};
  return fmt::format("about {} on each side would tell a difference as large as this one",
                     count_text(static_cast<std::uint64_t>(*comparison.steps_needed), "step"));
}

std::string steps_of(const report::ComparedRun& run) {
  if (run.step_ns.empty()) return "no steps";
  std::vector<double> sorted = run.step_ns;
  std::ranges::sort(sorted);
  const double median = derive::compare::median_of_sorted(sorted);
  std::string text =
      fmt::format("{} of {} (median)", count_text(sorted.size(), run.has_steps ? "step" : "recording"), format_quantity(median, "ns"));
  if (run.skipped > 0) text += fmt::format(", {} left out as warming up", run.skipped);
  return text;
}

}  // namespace frx::compose
