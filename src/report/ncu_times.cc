#include "report/ncu_times.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace frx::report {
namespace {

using derive::compare::Answer;

constexpr double tick_us = 0.032;
constexpr std::uint64_t fewest_launches = 3;
constexpr std::size_t names_shown = 5;

std::string incomparable(const NcuReport& a, const NcuReport& b, const ProfileJudgement& judgement) {
  if (!judgement.first || !judgement.second) return "one side has no kernel durations";
  if (const std::optional<DifferentGpus> gpus = different_gpus(a, b)) {
    const std::string text = "they were measured on different GPUs";
    return gpus->by_name ? fmt::format("{}, {} and {}", text, gpus->first, gpus->second) : text;
  }
  if (!judgement.first->is_per_launch || !judgement.second->is_per_launch) {
    if (a.launches != b.launches)
      return fmt::format("{} launches on one side, {} on the other; --kernel-a and --kernel-b choose a kernel of each", a.launches,
                         b.launches);
  }
  return {};
}

// The threshold that a difference must exceed, and its reason.
struct Hurdle {
  double us = 0;
  std::string what;
};

Hurdle hurdle_for(const ProfileJudgement& judgement) {
  const ProfiledTime &a = *judgement.first, &b = *judgement.second;
  const bool by_baselines = judgement.noise_floor > profile_noise_floor;
  Hurdle hurdle{judgement.noise_floor * std::min(a.us, b.us),
                by_baselines ? fmt::format("{:.3g} %, which {} profiles of one configuration may differ by, too",
                                           100 * judgement.noise_floor, judgement.baselines->runs)
                             : fmt::format("{:.0f} %, which is noise", 100 * judgement.noise_floor)};
  const double ticks = 1.5 * tick_us;
  if (ticks > hurdle.us) hurdle = {ticks, "the resolution of the clock"};
  if (!a.spread_us || !b.spread_us) return hurdle;
  const double spread = std::max(*a.spread_us, *b.spread_us);
  return spread > hurdle.us ? Hurdle{spread, "what launches of one side differ by among themselves"} : hurdle;
}

std::vector<const Kernel*> kernels_called(const NcuReport& report, std::string_view name) {
  std::vector<const Kernel*> exact, part;
  for (const Kernel& kernel : report.kernels) {
    if (kernel.name == name || kernel.short_name == name) exact.push_back(&kernel);
    if (kernel.name.find(name) != kernel.name.npos) part.push_back(&kernel);
  }
  const auto full = std::ranges::find(exact, name, &Kernel::name);
  if (full != exact.end()) return {*full};
  return exact.empty() ? part : exact;
}

std::string names_of(const std::vector<const Kernel*>& kernels) {
  std::vector<std::string> names;
  for (const Kernel* kernel : kernels) {
    if (names.size() == names_shown) return join(names, ", ") + ", ...";
    names.push_back(kernel->short_name);
  }
  return join(names, ", ");
}

}  // namespace

std::optional<ProfiledTime> profiled_time(const NcuReport& report) {
  if (!report.duration_us || *report.duration_us <= 0 || report.timed_launches == 0) return {};
  ProfiledTime time{*report.duration_us, false, report.timed_launches, {}};
  if (report.kernels.size() != 1) return time;
  const Kernel& kernel = report.kernels.front();
  time.us /= static_cast<double>(report.timed_launches);
  time.is_per_launch = true;
  if (kernel.shapes.size() != 1 || kernel.shapes[0].mixed || report.timed_launches < fewest_launches) return time;
  if (kernel.shapes[0].shortest_us && kernel.shapes[0].longest_us)
    time.spread_us = *kernel.shapes[0].longest_us - *kernel.shapes[0].shortest_us;
  return time;
}

std::optional<DifferentGpus> different_gpus(const NcuReport& first, const NcuReport& second) {
  const auto differ = [](const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; };
  if (differ(first.compute_capability, second.compute_capability))
    return DifferentGpus{"CC " + first.compute_capability, "CC " + second.compute_capability, false};
  if (differ(first.gpu_name, second.gpu_name)) return DifferentGpus{first.gpu_name, second.gpu_name, true};
  return std::nullopt;
}

ProfileJudgement judge_profiles(const NcuReport& first, const NcuReport& second, std::optional<derive::compare::BaselineSpread> baselines) {
  ProfileJudgement judgement;
  judgement.baselines = baselines;
  if (baselines) judgement.noise_floor = std::max(judgement.noise_floor, baselines->share_more());
  judgement.first = profiled_time(first);
  judgement.second = profiled_time(second);
  judgement.why_not = incomparable(first, second, judgement);
  judgement.is_comparable = judgement.why_not.empty();
  if (!judgement.is_comparable) return judgement;
  const Hurdle hurdle = hurdle_for(judgement);
  const double difference = judgement.second->us - judgement.first->us;
  if (std::abs(difference) <= hurdle.us) {
    judgement.why_not = "the difference is within " + hurdle.what;
  } else {
    judgement.answer = difference < 0 ? Answer::better : Answer::worse;
  }
  return judgement;
}

Result<NcuReport> profile_of_kernel(const NcuReport& report, std::string_view kernel) {
  const std::vector<const Kernel*> found = kernels_called(report, kernel);
  if (found.empty()) {
    std::vector<const Kernel*> all;
    for (const Kernel& one : report.kernels) all.push_back(&one);
    return fail(ErrorKind::usage, "no kernel is called '{}'", printable(kernel)).at(report.source).hint("there are: " + names_of(all));
  }
  if (found.size() > 1)
    return fail(ErrorKind::usage, "several kernels are called '{}'", printable(kernel))
        .at(report.source)
        .hint("give the full name of one of: " + names_of(found));
  const Kernel& one = *found.front();
  NcuReport alone = report;
  alone.kernels = {one};
  alone.launches = one.launches;
  alone.timed_launches = one.timed_launches;
  alone.duration_us = one.duration_us;
  alone.primary = one.primary;
  alone.primary_display = one.primary_display;
  alone.findings = one.findings;
  alone.others = one.others;
  alone.values = one.values;
  alone.kernels_with_data = one.has_data;
  alone.stalls = one.stalls;
  alone.dominant_stall = one.dominant_stall;
  alone.roofline = one.roofline;
  return alone;
}

}  // namespace frx::report
