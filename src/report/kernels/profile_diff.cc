#include "report/kernels/profile_diff.h"

#include <cmath>

#include "base/safe_text.h"
#include "base/units.h"
#include "report/kernels/work_model.h"

namespace frx::report {
namespace {

using derive::compare::Answer;
using derive::compare::Doubt;
using model::FullProfile;

// Clocks of the SMs that differ by more than this are another measurement.
constexpr double same_clock_share = 0.05;

class Differ {
 public:
  Differ(const FullProfile& before, const FullProfile& after) : before_(before), after_(after) {}

  ProfileDiff diff() {
    check_what_ran();
    check_where();
    compare_metrics();
    judge();
    return std::move(result_);
  }

 private:
  void refuse(std::string reason) { result_.not_comparable.push_back(printable(reason)); }
  void note(std::string text) { result_.notes.push_back(printable(text)); }

  // A text of both sides that has to be the same; what only one side says cannot be checked.
  void expect_same(std::string_view what, const std::optional<std::string>& a, const std::optional<std::string>& b) {
    if (a && b && *a != *b) return refuse(fmt::format("{}: {} before, {} after", what, *a, *b));
    if (!a || !b) note(fmt::format("{} is not known of {}", what, a ? "the second" : b ? "the first" : "either side"));
  }

  void check_what_ran() {
    for (const auto& [profile, side] : {std::pair(&before_, "the first"), std::pair(&after_, "the second")}) {
      if (profile->estimated.value_or(false)) refuse(fmt::format("{} is an estimate and no measurement", side));
      if (!profile->timing.wall_clock_time_us) refuse(fmt::format("{} has no time", side));
    }
    expect_same("the kernel", before_.kernel.name, after_.kernel.name);
    const std::string a = dimensions_text(before_.kernel.dimensions), b = dimensions_text(after_.kernel.dimensions);
    if (!a.empty() && !b.empty() && a != b) refuse(fmt::format("the problem: {} before, {} after", a, b));
    if (a.empty() || b.empty()) note("the size of the problem is not known of both sides");
  }

  void check_where() {
    expect_same("the GPU", before_.hardware.gpu, after_.hardware.gpu);
    expect_same("the compute capability", before_.hardware.gpu_sm, after_.hardware.gpu_sm);
    const auto &uuid_a = before_.hardware.gpu_uuid, &uuid_b = after_.hardware.gpu_uuid;
    if (uuid_a && uuid_b && *uuid_a != *uuid_b) note("two GPUs of one model: each has clocks of its own");
    const auto &driver_a = before_.hardware.driver, &driver_b = after_.hardware.driver;
    if (driver_a && driver_b && *driver_a != *driver_b) refuse(fmt::format("the driver: {} before, {} after", *driver_a, *driver_b));
    const std::optional<double> clock_a = before_.roofline.measured_clock_mhz, clock_b = after_.roofline.measured_clock_mhz;
    if (clock_a && clock_b && std::abs(*clock_a - *clock_b) > same_clock_share * *clock_a)
      refuse(fmt::format("the clock of the SMs: {:.0f} MHz before, {:.0f} MHz after", *clock_a, *clock_b));
    if (!clock_a || !clock_b) note("the clock of the SMs is not known of both sides");
  }

  void compare(std::string_view metric, const std::optional<double>& before, const std::optional<double>& after, bool less_is_better) {
    if (!before || !after || (*before == 0 && *after == 0)) return;
    MetricChange change{metric, *before, *after, {}, MetricChange::Verdict::same};
    if (*before != 0) change.change_pct = 100 * (*after - *before) / std::abs(*before);
    const bool is_same = change.change_pct && std::abs(*change.change_pct) < same_below_pct;
    if (!is_same)
      change.verdict = (*after < *before) == less_is_better ? MetricChange::Verdict::improved : MetricChange::Verdict::regressed;
    result_.metrics.push_back(change);
  }

  void compare_metrics() {
    const auto &a = before_, &b = after_;
    compare("wall_clock_time_us", a.timing.wall_clock_time_us, b.timing.wall_clock_time_us, true);
    compare("tflops", a.throughput.tflops, b.throughput.tflops, false);
    compare("bandwidth_gbps", a.throughput.bandwidth_gbps, b.throughput.bandwidth_gbps, false);
    compare("sm_utilization_pct", a.gpu_compute.sm_utilization_pct, b.gpu_compute.sm_utilization_pct, false);
    compare("achieved_occupancy_pct", a.gpu_compute.achieved_occupancy_pct, b.gpu_compute.achieved_occupancy_pct, false);
    compare("warp_execution_efficiency_pct", a.gpu_compute.warp_execution_efficiency_pct, b.gpu_compute.warp_execution_efficiency_pct,
            false);
    compare("l2_hit_rate_pct", a.gpu_memory.l2_hit_rate_pct, b.gpu_memory.l2_hit_rate_pct, false);
    compare("global_load_efficiency_pct", a.gpu_memory.global_load_efficiency_pct, b.gpu_memory.global_load_efficiency_pct, false);
  }

  void judge() {
    if (!result_.is_comparable()) return;
    result_.judgement = derive::compare::judge(before_.timing.samples_us, after_.timing.samples_us);
    const derive::compare::Judgement& judgement = result_.judgement;
    if (judgement.answer != Answer::cannot_tell || judgement.doubt == Doubt::within_noise) return;
    if (before_.timing.samples_us.empty() || after_.timing.samples_us.empty()) {
      result_.why_not =
          "there are no raw samples of both sides (timing.samples_us): a mean and a deviation are no evidence of a difference";
    } else if (judgement.doubt == Doubt::too_few) {
      result_.why_not = fmt::format("{} before and {} after are too few; it takes {} on each side", count_text(judgement.first, "sample"),
                                    judgement.second, derive::compare::fewest_values);
    } else {
      result_.why_not = "the samples scatter too much";
    }
  }

  const FullProfile &before_, &after_;
  ProfileDiff result_;
};

}  // namespace

ProfileDiff diff_profiles(const FullProfile& before, const FullProfile& after, std::string before_name, std::string after_name) {
  ProfileDiff diff = Differ(before, after).diff();
  diff.before = std::move(before_name);
  diff.after = std::move(after_name);
  return diff;
}

int exit_code_of(const ProfileDiff& diff) {
  if (!diff.is_comparable()) return 2;
  if (diff.judgement.answer == Answer::worse) return 1;
  return diff.judgement.answer == Answer::better || diff.is_same() ? 0 : 3;
}

std::string_view outcome_of(const ProfileDiff& diff) {
  if (!diff.is_comparable()) return "not_comparable";
  if (diff.judgement.answer == Answer::better) return "improved";
  if (diff.judgement.answer == Answer::worse) return "regressed";
  return diff.is_same() ? "same" : "cannot_tell";
}

}  // namespace frx::report
