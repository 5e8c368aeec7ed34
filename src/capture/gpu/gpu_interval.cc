#include "capture/gpu/gpu_interval.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "derive/compare/two_samples.h"

namespace frx::capture {
namespace {

using model::EnergySource;
using model::GpuEnergy;
using model::GpuInterval;
using model::Joules;
using model::SampledRange;

constexpr double mib = 1024.0 * 1024.0;
constexpr double busy_when_idle_pct = 5;
constexpr double few_updates = 5;  // of the counter: shorter than that it says little

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) { return static_cast<double>(to_ns - from_ns) * 1e-9; }

struct Point {
  std::int64_t time_ns;
  double value;
};

// The samples that have this value.
template <typename Number>
std::vector<Point> points_of(std::span<const TimedSample> samples, std::optional<Number> GpuSample::*field) {
  std::vector<Point> points;
  for (const TimedSample& one : samples) {
    if (const std::optional<Number>& value = one.sample.*field) points.push_back({one.time_ns, static_cast<double>(*value)});
  }
  return points;
}

std::optional<double> mean_of(const std::vector<Point>& points) {
  if (points.empty()) return std::nullopt;
  double sum = 0;
  for (const Point& point : points) sum += point.value;
  return sum / static_cast<double>(points.size());
}

class Interval {
 public:
  Interval(std::span<const TimedSample> samples, std::int64_t begin_ns, std::int64_t end_ns, std::optional<EnergySource> only_by)
      : begin_ns_(begin_ns), end_ns_(end_ns), only_by_(only_by) {
    const auto begin = std::lower_bound(samples.begin(), samples.end(), begin_ns,
                                        [](const TimedSample& one, std::int64_t time) { return one.time_ns < time; });
    const auto end =
        std::upper_bound(begin, samples.end(), end_ns, [](std::int64_t time, const TimedSample& one) { return time < one.time_ns; });
    idle_ = std::span(samples.begin(), begin);
    inside_ = std::span(begin, end);
    const bool begins_inside = begin != end && begin->time_ns == begin_ns;
    const bool ends_inside = begin != end && std::prev(end)->time_ns == end_ns;
    counted_ = std::span(begins_inside || begin == samples.begin() ? begin : std::prev(begin),
                         ends_inside || end == samples.end() ? end : std::next(end));
    power_ = points_of(inside_, &GpuSample::power);
  }

  GpuInterval result() {
    out_.samples = inside_.size();
    if (end_ns_ > begin_ns_) out_.seconds = seconds_between(begin_ns_, end_ns_);
    find_gap();
    find_idle();
    find_power();
    find_energy();
    find_state();
    find_memory();
    return std::move(out_);
  }

 private:
  void note(std::string words) { out_.notes.push_back(std::move(words)); }

  void find_gap() {
    for (std::size_t i = 1; i < inside_.size(); ++i) {
      const double gap = seconds_between(inside_[i - 1].time_ns, inside_[i].time_ns);
      out_.longest_gap_seconds = std::max(out_.longest_gap_seconds.value_or(0), gap);
    }
  }

  void find_idle() {
    std::vector<double> watts;
    for (const Point& point : points_of(idle_, &GpuSample::power)) watts.push_back(point.value);
    if (watts.size() < fewest_idle_samples) return;
    std::sort(watts.begin(), watts.end());
    idle_range_ = {0, watts.front(), watts.back()};
    out_.idle = model::IdlePower{
        derive::compare::median_of_sorted(watts), (watts.back() - watts.front()) / 2,
        fmt::format("median of {} samples in {:.2f} s before the run", watts.size(), seconds_between(idle_.front().time_ns, begin_ns_))};
    double busiest = 0;
    for (const Point& point : points_of(idle_, &GpuSample::utilization_gpu)) busiest = std::max(busiest, point.value);
    if (busiest > busy_when_idle_pct)
      note(fmt::format("the GPU was up to {:.0f} % busy before the run: what is taken off as idle power is too much", busiest));
  }

  // The integral of power over the interval, and what lies between the samples: the first two terms of the uncertainty.
  Joules integral() const {
    Joules sum;
    for (std::size_t i = 1; i < power_.size(); ++i) {
      const double seconds = seconds_between(power_[i - 1].time_ns, power_[i].time_ns);
      sum.joules += (power_[i - 1].value + power_[i].value) / 2 * seconds;
      sum.uncertainty_joules += std::abs(power_[i].value - power_[i - 1].value) / 2 * seconds;
    }
    const double before = seconds_between(begin_ns_, power_.front().time_ns), behind = seconds_between(power_.back().time_ns, end_ns_);
    sum.joules += power_.front().value * before + power_.back().value * behind;
    sum.uncertainty_joules += spread() * (before + behind);
    return sum;
  }

  // Of power, between its extremes before and in the interval.
  double spread() const {
    const double least = idle_range_ ? std::min(idle_range_->min, out_.power_watts->min) : out_.power_watts->min;
    const double most = idle_range_ ? std::max(idle_range_->max, out_.power_watts->max) : out_.power_watts->max;
    return most - least;
  }

  void find_power() {
    if (power_.empty()) return;
    const auto by_value = [](const Point& a, const Point& b) { return a.value < b.value; };
    const auto [least, most] = std::minmax_element(power_.begin(), power_.end(), by_value);
    out_.power_watts = SampledRange{*mean_of(power_), least->value, most->value};
    if (power_.size() > 1 && out_.seconds) out_.power_watts->mean = integral().joules / *out_.seconds;
  }

  void find_energy() {
    if (!out_.seconds) return;
    if (only_by_ != EnergySource::sampled_power && by_counter()) return;
    if (only_by_ != EnergySource::counter) by_samples();
  }

  // Why the counter does not tell, and what does.
  void note_no_counter(std::string_view why) {
    note(fmt::format("{}; {}", why,
                     only_by_ == EnergySource::counter ? "there is no energy, as that by samples was not asked for"
                                                       : "the energy is from sampled power"));
  }

  // Whether the counter tells.
  bool by_counter() {
    const std::vector<Point> readings = points_of(counted_, &GpuSample::total_energy_mj);
    if (readings.size() < 2) {
      if (only_by_ == EnergySource::counter)
        note_no_counter(counted_.empty()   ? "no sample was taken during the run"
                        : readings.empty() ? "the GPU or its driver has no energy counter"
                                           : "the energy counter was read once only");
      return false;
    }
    const auto falls = [](const Point& a, const Point& b) { return b.value < a.value; };
    if (std::adjacent_find(readings.begin(), readings.end(), falls) != readings.end()) {
      note_no_counter("the energy counter started again during the run");
      return false;
    }
    const double seconds = seconds_between(readings.front().time_ns, readings.back().time_ns);
    const double joules = (readings.back().value - readings.front().value) * 1e-3;
    if (joules <= 0) {
      note_no_counter(fmt::format("the energy counter did not advance in {:.2f} s", seconds));
      return false;
    }
    const double outside =
        std::abs(seconds_between(begin_ns_, readings.front().time_ns)) + std::abs(seconds_between(end_ns_, readings.back().time_ns));
    const double most = std::max(joules / seconds, out_.power_watts ? out_.power_watts->max : 0.0);
    const double uncertainty = most * (counter_update_seconds + outside);
    out_.energy = GpuEnergy{{joules, uncertainty}, EnergySource::counter, seconds};
    if (seconds < few_updates * counter_update_seconds) {
      note(fmt::format(
          "the run of {:.2f} s is short for the energy counter, which is brought up to date every {:.1f} s: its energy is known to "
          "+- {:.0f} % only",
          seconds, counter_update_seconds, 100 * uncertainty / joules));
    }
    return true;
  }

  void by_samples() {
    if (power_.size() < 2) {
      if (power_.empty() && only_by_)
        note(inside_.empty() ? "no sample was taken during the run" : "the GPU or its driver does not tell its power");
      if (power_.size() == 1) note("there is one sample of power only: no energy can be told from it");
      return;
    }
    Joules energy = integral();
    energy.uncertainty_joules += spread() * sensor_window_seconds / 2;
    out_.energy = GpuEnergy{energy, EnergySource::sampled_power, *out_.seconds};
    const double rate = static_cast<double>(power_.size() - 1) / *out_.seconds;
    if (rate < fewest_samples_per_second) {
      note(fmt::format("power was sampled {:.1f} times a second, less often than {:.0f} times: short peaks are missed", rate,
                       fewest_samples_per_second));
    }
  }

  void find_state() {
    if (inside_.empty()) return;
    const GpuSample& first = inside_.front().sample;
    out_.index = first.index, out_.uuid = first.uuid, out_.name = first.name;
    if (const std::vector<Point> limits = points_of(inside_, &GpuSample::power_limit); !limits.empty())
      out_.power_limit_watts = limits.back().value;
    out_.mean_temperature_c = mean_of(points_of(inside_, &GpuSample::temperature));
    out_.mean_sm_clock_mhz = mean_of(points_of(inside_, &GpuSample::sm_clock));
    out_.mean_memory_clock_mhz = mean_of(points_of(inside_, &GpuSample::memory_clock));
    std::optional<std::uint64_t> reasons;
    for (const TimedSample& one : inside_) {
      if (one.sample.throttle_reasons) reasons = reasons.value_or(0) | *one.sample.throttle_reasons;
    }
    if (!reasons) return;
    const std::vector<std::string_view> words = slowing_words(*reasons);
    out_.slowed_by.emplace(words.begin(), words.end());
  }

  void find_memory() {
    const auto last_bytes = [&](std::optional<double> GpuSample::*field) -> std::optional<double> {
      const std::vector<Point> points = points_of(inside_, field);
      return points.empty() ? std::nullopt : std::optional(points.back().value * mib);
    };
    out_.memory_used_bytes = last_bytes(&GpuSample::memory_used);
    out_.memory_total_bytes = last_bytes(&GpuSample::memory_total);
    out_.memory_free_bytes = last_bytes(&GpuSample::memory_free);
    for (const Point& point : points_of(inside_, &GpuSample::memory_used))
      out_.memory_peak_bytes = std::max(out_.memory_peak_bytes.value_or(0), point.value * mib);
  }

  std::int64_t begin_ns_, end_ns_;
  std::optional<EnergySource> only_by_;
  std::span<const TimedSample> idle_, inside_, counted_;  // counted_: with the samples around the interval, for the counter
  std::vector<Point> power_;                              // of inside_
  std::optional<SampledRange> idle_range_;                // of power; has no mean
  GpuInterval out_;
};

}  // namespace

model::GpuInterval interval_of(std::span<const TimedSample> samples, std::int64_t begin_ns, std::int64_t end_ns,
                               std::optional<EnergySource> only_by) {
  return Interval(samples, begin_ns, end_ns, only_by).result();
}

}  // namespace frx::capture
