#include "capture/live/run_state.h"

#include <algorithm>

namespace frx::capture {
namespace {

// Other texts are one series: a program may write anything into its events.
std::string known_or(const std::string& text, std::initializer_list<const char*> known, const char* otherwise) {
  return std::find(known.begin(), known.end(), text) != known.end() ? text : otherwise;
}

}  // namespace

void StepTimes::add(double seconds) {
  ++counts[static_cast<std::size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin())];
  ++count;
  sum += seconds;
}

void follow_steps(StepTail& tail, RunState& state) {
  constexpr int most_reads = 64;  // a GiB in all; the rest is read next time
  for (int i = 0; i < most_reads; ++i) {
    for (const LiveStep& step : tail.read()) {
      const std::string kind = known_or(step.kind, {"train", "eval", "inference"}, "other");
      const std::string status = known_or(step.status, {"ok", "error", "cancelled"}, "unknown");
      ++state.steps[{kind, status}];
      if (status == "ok" && step.duration_ns && *step.duration_ns >= 0)
        state.step_times[kind].add(static_cast<double>(*step.duration_ns) / 1e9);
    }
    tail.forget_steps();
    if (!tail.has_more()) return;
  }
}

std::int64_t unix_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<bool> is_slowed(const GpuSample& sample) {
  if (!sample.throttle_reasons) return std::nullopt;
  return (*sample.throttle_reasons & slowing_reasons) != 0;
}

}  // namespace frx::capture
