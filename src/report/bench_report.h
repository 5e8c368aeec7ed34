// The evaluation of the runs of frx bench: which side is faster, by which clock, and whether both compute the same.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/compare/two_samples.h"
#include "model/bench.h"
#include "report/ncu_comparison.h"

namespace frx::report {

struct BenchTiming {
  double median = 0, min = 0, max = 0;
  double stdev = 0;  // of the sample; 0 for one value
  std::size_t runs = 0;
};

// A clock, with the times it measured.
struct BenchClock {
  std::string_view key;                                // wall_clock, cuda_event, cuda_event_cold
  std::string_view name;                               // "kernel, warm L2"
  double to_ns = 1;                                    // factor of its values
  std::array<std::vector<double>, 2> values{};         // before and after, one of each run
  std::array<std::optional<BenchTiming>, 2> timing{};  // absent: no run has it
  derive::compare::Judgement judgement{};

  bool is_of_both() const { return timing[0] && timing[1]; }
};

// Do both programs compute the same?
enum class BenchOutputs {
  unknown,  // one of them prints no checksum
  same,
  differ,
  unstable  // one side differs from itself as much as from the other one
};

struct BenchOptions {
  double noise_floor = derive::compare::default_noise_floor;
  double checksum_tolerance = 1e-4;  // of numbers, relative to their size
};

// Not copyable: `basis` points into it.
struct BenchReport {
  BenchReport() = default;
  BenchReport(BenchReport&&) = default;
  BenchReport& operator=(BenchReport&&) = default;

  const model::Bench* bench = nullptr;
  std::vector<BenchClock> clocks;     // those that a side has; wall_clock is always the first
  const BenchClock* basis = nullptr;  // the deciding one of these; null: a side did not run
  std::optional<NcuComparison> ncu;
  std::string ncu_trouble;  // why there is no profile although it was requested
  BenchOutputs outputs = BenchOutputs::unknown;
  std::string outputs_words;  // "0.5 and 0.7, more than 0.01 % apart"
  derive::compare::Answer answer = derive::compare::Answer::cannot_tell;
  std::vector<std::string> notes;

  bool ran() const;  // both sides were built and no run failed
  // before / after of the medians; absent when a side is missing or took no time.
  std::optional<double> speedup(std::string_view clock) const;
};

// `bench` must outlive the report.
BenchReport judge_bench(const model::Bench& bench, const BenchOptions& options = {});

}  // namespace frx::report
