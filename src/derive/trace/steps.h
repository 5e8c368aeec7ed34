// The steps of a training run in a trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "model/step_table.h"
#include "model/timeline.h"

namespace frx::derive::trace {

inline constexpr std::uint32_t none_event = 0xFFFFFFFF;

struct Step {
  std::int64_t number = 0;
  Interval span;                     // in the program
  std::uint32_t event = none_event;  // row of the timeline
  // The time that it takes: the span, or until the GPU has done its work where the program runs ahead (run_ahead.h). Nothing: the span.
  std::optional<Interval> time = std::nullopt;
};

struct Steps {
  model::StepSource source = model::StepSource::recording;
  std::string name;         // of the range or module
  std::vector<Step> steps;  // by start; one without boundaries
  std::string pid;          // of the process they belong to; "" when there is no need to distinguish
  bool runs_ahead = false;  // the program ends its steps before the GPU does: their times are those of the GPU
};
std::vector<Interval> spans_of(const Steps& steps);
// By begin; they do not overlap where the program runs ahead.
std::vector<Interval> times_of(const Steps& steps);

// 3 of "ProfilerStep#3" behind "ProfilerStep#"; nothing where anything but a number follows, or another name.
std::optional<std::int64_t> number_behind(std::string_view prefix, std::string_view name);
// Is a range of this name one of several steps: "ProfilerStep#3", "step 3", "train_iter_3"?
bool is_numbered_step(std::string_view range);

// The whole recording as one step.
Steps whole(const model::Timeline& timeline);

// The steps of each process that has any; of the whole recording when none has. Ranges repeated on GPU tracks count once.
std::vector<Steps> find_steps(const model::Timeline& timeline);

}  // namespace frx::derive::trace
