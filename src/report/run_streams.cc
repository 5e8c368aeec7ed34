#include "report/run_streams.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "derive/run/record_facts.h"
#include "ingest/run_events/read_events.h"
#include "model/bundle_paths.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;
using model::RunStep;

constexpr std::string_view rank_stream = "raw/trace.rank", stream_end = ".jsonl";

// 3 of "raw/trace.rank3.jsonl".
std::optional<std::int64_t> rank_of(std::string_view path) {
  if (path == paths::raw_trace) return 0;
  if (!path.starts_with(rank_stream) || !path.ends_with(stream_end) || path.size() <= rank_stream.size() + stream_end.size()) return {};
  const std::string_view digits = path.substr(rank_stream.size(), path.size() - rank_stream.size() - stream_end.size());
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return error == std::errc() && end == digits.data() + digits.size() && rank >= 0 ? std::optional(rank) : std::nullopt;
}

std::vector<RunStep> completed_steps(const model::RunRecord& record) {
  std::vector<RunStep> steps;
  std::ranges::copy_if(record.steps, std::back_inserter(steps), &RunStep::completed);
  return steps;
}

std::vector<diagnose::StepValue> worst_steps(std::span<const RunStep> steps, std::string_view label) {
  std::vector<diagnose::StepValue> values;
  for (const RunStep& step : steps) {
    const double total = static_cast<double>(step.total_ns());
    double part = 0;
    if (label == "input_bound") part = static_cast<double>(step.loader_ns + step.loader_before_ns) / total;
    if (label == "copy_bound") part = static_cast<double>(step.host_to_device_ns) / total;
    if (label == "sync_bound") part = static_cast<double>(step.sync_ns) / total;
    if (label == "shape_instability") part = step.shape_changed ? 1 : 0;
    if (label == "underutilized_gpu" || label == "launch_bound") {
      const double phases =
          static_cast<double>(step.forward_ns) + static_cast<double>(step.backward_ns) + static_cast<double>(step.optimizer_ns);
      if (phases > 0) part = 1 - std::min(1.0, phases / total);
    }
    if (part > 0) values.push_back({step.id, std::min(1.0, part)});
  }
  std::ranges::stable_sort(values, std::ranges::greater{}, &diagnose::StepValue::value);
  if (label != "shape_instability") values.resize(std::min<std::size_t>(3, values.size()));
  return values;
}

RunScope scope_from(const RunJudge& judge, const model::RunRecord& record, std::string_view name, std::span<const RunStep> steps,
                    std::size_t skipped) {
  RunScope scope{std::string(name), {}, skipped, {}, {}, {}, {}, {}, false};
  const std::span<const RunStep> used = steps.subspan(skipped);
  for (const RunStep& step : used) scope.step_numbers.push_back(step.id);
  scope.facts = derive::facts_of(record, used);
  scope.dominant_stall = derive::dominant_stall(record, used);
  judge.judge(scope, {used.size(), true, false});
  for (diagnose::RunFinding& finding : scope.diagnosis.findings) finding.worst_steps = worst_steps(used, finding.label->id);
  return scope;
}

// A rank that only waits for the others has nothing to say of its own: a label that names something goes before.
bool names_something(const std::string& label) { return !label.empty() && label != "insufficient_telemetry" && label != "inconclusive"; }

std::size_t typical(const std::vector<StreamOfRank>& streams) {
  std::map<std::string, std::vector<std::pair<double, std::size_t>>> by_label;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto times = step_times(streams[i].record, streams[i].scope());
    if (times) by_label[streams[i].scope().diagnosis.user_facing].emplace_back(times->total_ns, i);
  }
  if (by_label.empty()) return 0;
  const auto weight = [](const auto& entry) { return std::pair(names_something(entry.first), entry.second.size()); };
  std::vector<std::pair<double, std::size_t>> most = std::ranges::max_element(by_label, {}, weight)->second;
  std::ranges::sort(most);
  return most[(most.size() - 1) / 2].second;
}

}  // namespace

Result<std::vector<StreamOfRank>> read_streams(const ingest::RunBundle& bundle, std::vector<std::string>& notes) {
  std::map<std::int64_t, StreamOfRank> streams;
  for (const ingest::BundleMember& member : bundle.members()) {
    if (!member.path.starts_with("raw/trace") || !member.path.ends_with(stream_end)) continue;
    const std::optional<std::int64_t> rank = rank_of(member.path);
    if (!rank || streams.contains(*rank)) {
      notes.push_back(fmt::format("{} of another process is not part of this answer", printable(member.path)));
      continue;
    }
    StreamOfRank& stream = streams[*rank];
    stream.rank = *rank;
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(std::string_view(member.path)));
    TRY(ingest::read_run_events(*source, stream.record));
  }
  if (streams.empty()) streams[0];
  std::vector<StreamOfRank> all;
  for (auto& [rank, stream] : streams) {
    if (bundle.has(paths::gpu_metrics)) {
      TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(paths::gpu_metrics));
      TRY(ingest::read_gpu_samples(*source, stream.record));
    }
    ingest::finish(stream.record);
    all.push_back(std::move(stream));
  }
  return all;
}

std::size_t judge_streams(const RunJudge& judge, std::vector<StreamOfRank>& streams) {
  for (StreamOfRank& stream : streams) {
    const std::vector<RunStep> steps = completed_steps(stream.record);
    stream.run = scope_from(judge, stream.record, "run", steps, 0);
    if (const std::size_t skipped = warm_up_steps_of(steps.size()); skipped > 0)
      stream.steady_state = scope_from(judge, stream.record, "steady_state", steps, skipped);
  }
  return typical(streams);
}

std::optional<StepTimes> step_times(const model::RunRecord& record, const RunScope& scope) {
  StepTimes times;
  for (std::size_t seen = 0; const RunStep& step : record.steps) {
    if (!step.completed() || seen++ < scope.skipped) continue;
    ++times.steps;
    times.wall_ns += static_cast<double>(step.wall_ns);
    times.total_ns += static_cast<double>(step.total_ns());
    times.longest_ns = std::max(times.longest_ns, step.wall_ns);
  }
  if (times.steps == 0) return std::nullopt;
  times.wall_ns /= times.steps;
  times.total_ns /= times.steps;
  return times;
}

}  // namespace frx::report
