#include "derive/trace/steps.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "derive/trace/modules.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::StepSource;
using model::Timeline;

constexpr std::string_view step_name = "ProfilerStep#";

std::optional<std::int64_t> step_number(std::string_view name) { return number_behind(step_name, name); }

// Ranges that denote a part of a step by convention.
bool is_part_of_step(std::string_view name) {
  return contains_ignoring_case(name, "dataloader") || name.starts_with("Optimizer.") || contains_ignoring_case(name, "nccl:") ||
         contains_ignoring_case(name, "backward") || name.starts_with("## ") || name.ends_with("(dynamo_timed)") ||
         name.starts_with("Torch-Compiled Region");
}

using ByProcess = std::map<std::string, std::vector<Step>>;

ByProcess profiler_steps(const Timeline& timeline) {
  ByProcess found;
  std::vector<bool> other(timeline.names.size());  // names that are known not to match
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::annotation && timeline.kind[row] != EventKind::cpu_op) continue;
    if (other[timeline.name[row]]) continue;
    const std::optional<std::int64_t> number = step_number(timeline.name_of(row));
    other[timeline.name[row]] = !number;
    if (number) found[timeline.tracks[timeline.track[row]].pid].push_back({*number, {timeline.start[row], timeline.end(row)}, row});
  }
  for (auto& [pid, steps] : found) {
    std::ranges::sort(steps, {}, [](const Step& step) { return std::pair(step.number, -step.span.length()); });
    const auto twins = std::ranges::unique(steps, {}, &Step::number);
    steps.erase(twins.begin(), twins.end());
    std::ranges::sort(steps, {}, [](const Step& step) { return step.span.begin; });
  }
  return found;
}

// "step" and 14 of "step_14", "Step 14", "iteration #14"; no name that ends in a number is a step unless it says so.
struct NumberedName {
  std::string_view stem;
  std::int64_t number = 0;
};

std::optional<NumberedName> numbered_step(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size()) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(name.data() + last + 1, name.data() + name.size(), number).ec != std::errc()) return std::nullopt;
  const std::string_view stem = name.substr(0, name.find_last_not_of(" _#:-=/", last) + 1);
  constexpr std::string_view words[] = {"step", "iter", "iteration", "batch", "minibatch"};
  const bool is_step = std::ranges::any_of(words, [&](std::string_view word) {
    if (stem.size() < word.size() || !equals_ignoring_case(stem.substr(stem.size() - word.size()), word)) return false;
    const std::size_t before = stem.size() - word.size();
    return before == 0 || std::isalpha(static_cast<unsigned char>(stem[before - 1])) == 0;  // "train_step", not "substep"
  });
  return is_step ? std::optional(NumberedName{stem, number}) : std::nullopt;
}

// Ranges of the program that are called steps and numbered, of each process; of several kinds the one with most of them ("step 1" within
// "batch 1").
ByProcess numbered_steps(const Timeline& timeline, std::map<std::string, std::string>& names) {
  std::map<std::string, std::map<std::string, std::vector<Step>>> found;  // by pid, then stem
  std::vector<std::int8_t> may_match(timeline.names.size(), -1);
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::annotation || may_match[timeline.name[row]] == 0 || timeline.duration[row] == 0) continue;
    const std::optional<NumberedName> name = numbered_step(timeline.name_of(row));
    may_match[timeline.name[row]] = name.has_value();
    if (!name) continue;
    const std::string& pid = timeline.tracks[timeline.track[row]].pid;
    found[pid][std::string(name->stem)].push_back({name->number, {timeline.start[row], timeline.end(row)}, row});
  }
  ByProcess best;
  for (auto& [pid, by_stem] : found) {
    for (auto& [stem, steps] : by_stem) {
      std::ranges::sort(steps, {}, [](const Step& step) { return step.span.begin; });
      const auto overlap = std::ranges::adjacent_find(steps, [](const Step& a, const Step& b) { return b.span.begin < a.span.end; });
      if (steps.size() < 2 || overlap != steps.end() || steps.size() <= best[pid].size()) continue;
      best[pid] = std::move(steps);
      names[pid] = stem;
    }
  }
  std::erase_if(best, [](const auto& one) { return one.second.empty(); });
  return best;
}

// Of the ranges on one track that recur without overlapping themselves, the one that covers most.
std::vector<Step> repeated(const Timeline& timeline, EventKind kind, bool (*wanted)(std::string_view)) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Step>> by_name;  // track, name
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != kind || timeline.duration[row] == 0 || !wanted(timeline.name_of(row))) continue;
    by_name[{timeline.track[row], timeline.name[row]}].push_back({0, {timeline.start[row], timeline.end(row)}, row});
  }
  std::vector<Step> best;
  std::int64_t most = 0;
  for (auto& [name, steps] : by_name) {
    if (steps.size() < 2) continue;
    std::ranges::sort(steps, {}, [](const Step& step) { return step.span.begin; });
    const auto overlap = std::ranges::adjacent_find(steps, [](const Step& a, const Step& b) { return b.span.begin < a.span.end; });
    if (overlap != steps.end()) continue;
    std::int64_t covered = 0;
    for (const Step& step : steps) covered += step.span.length();
    if (covered <= most) continue;
    most = covered;
    best = std::move(steps);
  }
  for (std::size_t i = 0; i < best.size(); ++i) best[i].number = static_cast<std::int64_t>(i + 1);
  return best;
}

// From the first event of the program or the GPU to the last. What the profiler does for itself does not count.
Interval whole_recording(const Timeline& timeline) {
  Interval all{INT64_MAX, INT64_MIN};
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    const EventKind kind = timeline.kind[row];
    if (kind == EventKind::window || kind == EventKind::overhead || kind == EventKind::os_call || kind == EventKind::other) continue;
    all.begin = std::min(all.begin, timeline.start[row]);
    all.end = std::max(all.end, timeline.end(row));
  }
  return all.begin <= all.end ? all : Interval{};
}

// True when they cover most of the recording. Otherwise the repeated part of the program is not a step.
bool cover_most(const std::vector<Step>& steps, Interval recording) {
  std::int64_t covered = 0;
  for (const Step& step : steps) {
    covered += std::max<std::int64_t>(0, std::min(step.span.end, recording.end) - std::max(step.span.begin, recording.begin));
  }
  return covered * 2 >= recording.length();
}

}  // namespace

std::optional<std::int64_t> number_behind(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

bool is_numbered_step(std::string_view range) { return step_number(range) || numbered_step(range); }

std::vector<Interval> spans_of(const Steps& steps) {
  std::vector<Interval> spans;
  spans.reserve(steps.steps.size());
  for (const Step& step : steps.steps) spans.push_back(step.span);
  return spans;
}

std::vector<Interval> times_of(const Steps& steps) {
  std::vector<Interval> times;
  times.reserve(steps.steps.size());
  for (const Step& step : steps.steps) times.push_back(step.time.value_or(step.span));
  return times;
}

Steps whole(const Timeline& timeline) { return {StepSource::recording, "", {{1, whole_recording(timeline), none_event}}, ""}; }

std::vector<Steps> find_steps(const Timeline& timeline) {
  std::vector<Steps> all;
  for (auto& [pid, steps] : profiler_steps(timeline)) all.push_back({StepSource::profiler, "ProfilerStep#N", std::move(steps), pid});
  if (!all.empty()) return all;
  std::map<std::string, std::string> stems;
  for (auto& [pid, steps] : numbered_steps(timeline, stems)) {
    // Epochs begin their steps at 1 again.
    const auto again = std::ranges::adjacent_find(steps, [](const Step& a, const Step& b) { return b.number <= a.number; });
    for (std::size_t i = 0; again != steps.end() && i < steps.size(); ++i) steps[i].number = static_cast<std::int64_t>(i + 1);
    all.push_back({StepSource::annotation, stems[pid] + " N", std::move(steps), pid});
  }
  if (!all.empty()) return all;
  const auto not_a_part = [](std::string_view name) { return !is_part_of_step(name); };
  const auto is_module = [](std::string_view name) { return module_name(name).ends_with("_0"); };
  const Interval recording = whole_recording(timeline);
  for (const auto source : {StepSource::annotation, StepSource::module}) {
    const bool by_range = source == StepSource::annotation;
    std::vector<Step> steps =
        by_range ? repeated(timeline, EventKind::annotation, not_a_part) : repeated(timeline, EventKind::python, is_module);
    if (steps.empty() || !cover_most(steps, recording)) continue;
    const std::uint32_t first = steps.front().event;
    all.push_back({source, std::string(timeline.name_of(first)), std::move(steps), timeline.tracks[timeline.track[first]].pid});
    return all;
  }
  all.push_back(whole(timeline));
  return all;
}

}  // namespace frx::derive::trace
