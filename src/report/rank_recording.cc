#include "report/rank_recording.h"

#include <algorithm>
#include <map>

#include "derive/ranks/file_names.h"
#include "report/rank_recording_fields.h"

namespace frx::report {
namespace {

using derive::ranks::Collective;
using derive::ranks::Sequence;
using model::RankCall;
using model::RankHead;
using model::RankSummary;
using model::RunFact;

RankHead head_of(const TraceReport& report, const Sequence& sequence, std::string node) {
  RankHead head;
  head.trace = report.source;
  head.node = std::move(node);
  head.gpu = report.gpu_names();
  if (report.gpus.size() == 1) head.device = report.gpus.front().device;
  head.rank = report.facts.rank ? report.facts.rank : derive::ranks::rank_in_name(report.source);
  head.world_size = report.facts.world_size;
  head.base_time_ns = report.facts.base_time_ns;
  head.clock_broken = report.clock_broken;
  head.described = sequence.described;
  head.outside_steps = sequence.outside_steps;
  head.point_to_point = sequence.point_to_point;
  head.steps = report.scope().step_numbers;
  std::ranges::sort(head.steps);
  head.step_time_ns = report.step_time_ns();
  head.exposed_communication = report.scope().facts[RunFact::communication_fraction];
  head.busy = report.scope().facts[RunFact::gpu_busy_fraction];
  head.label = report.scope().diagnosis.user_facing;
  return head;
}

// Words of several ranks become those of one, in the order in which it uses them.
class OwnWords {
 public:
  OwnWords(const Interner& all, std::vector<std::string>& own) : all_(all), own_(own) {}

  std::uint32_t operator()(std::uint32_t word) {
    const auto [known, is_new] = numbers_.try_emplace(word, static_cast<std::uint32_t>(own_.size()));
    if (is_new) own_.emplace_back(all_[word]);
    return known->second;
  }

 private:
  const Interner& all_;
  std::vector<std::string>& own_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

RankCall call_of(const Collective& one, OwnWords& words) {
  const bool is_send = one.group == RankCall::no_group;
  return {words(one.what), is_send ? RankCall::no_group : words(one.group), one.step, one.end - one.duration, one.duration, one.stream};
}

Failure not_ours() {
  return fail(ErrorKind::malformed, "the rank summary is damaged: the analysis of its rank cannot be read")
      .hint("write it again: frx summarise TRACE -o FILE");
}

// What the analysis takes for granted.
bool is_sound(const TraceReport& report) {
  const auto is_table = [](const model::StepTable& table) {
    const auto fits = [&](const auto& column) { return column.empty() || column.size() == table.size(); };
    const bool has_gpus = std::ranges::all_of(table.gpus, [&](const model::GpuSteps& gpu) {
      const bool gaps = std::ranges::all_of(gpu.gaps, [&](const model::IdleGap& gap) { return gap.step < table.size(); });
      return gpu.steps.size() == table.size() && fits(gpu.usual) && gaps;
    });
    return table.size() > 0 && !table.host_ns[0].empty() && std::ranges::all_of(table.host_ns, fits) && fits(table.program_ns) &&
           fits(table.status) && fits(table.kind) && fits(table.shapes) && has_gpus;
  };
  return !report.processes.empty() && std::ranges::all_of(report.processes, is_table);
}

}  // namespace

std::string node_in_name(const std::string& trace) {
  const std::optional<derive::ranks::Recording> recording = derive::ranks::recording_in_name(trace);
  if (!recording) return {};
  const std::size_t line = recording->worker.rfind('_');
  const std::string process = line == std::string::npos ? "" : recording->worker.substr(line + 1);
  const bool is_process = !process.empty() && process.find_first_not_of("0123456789") == std::string::npos;
  return is_process ? recording->worker.substr(0, line) : "";
}

RankSummary summary_of(const RankRecording& recording, const Interner& words, std::string node) {
  const Sequence& sequence = recording.collectives;
  RankSummary summary;
  summary.head = head_of(*recording.report, sequence, std::move(node));
  summary.head.cut_short = recording.cut_short;
  OwnWords own(words, summary.words);
  for (const Collective& one : sequence.calls) summary.calls.push_back(call_of(one, own));
  for (const Collective& one : sequence.sends) summary.calls.push_back(call_of(one, own));
  std::ranges::stable_sort(summary.calls, {}, [](const RankCall& call) { return std::pair(call.step, call.start); });
  for (model::CollectiveShape shape : sequence.shapes) {
    shape.what = own(shape.what);
    summary.shapes.push_back(std::move(shape));
  }
  Packer out;
  std::vector<model::GpuSample> memory = recording.memory;
  out(*recording.report, memory);
  summary.recording = std::move(out.bytes);
  return summary;
}

Result<RankRecording> recording_of(const RankSummary& summary, Interner& words) {
  RankRecording recording;
  recording.report = std::make_unique<TraceReport>();
  Unpacker in(summary.recording);
  in(*recording.report, recording.memory);
  if (!in.ok() || in.bytes_left() > 0 || !is_sound(*recording.report)) return not_ours();
  recording.cut_short = summary.head.cut_short;
  recording.node = summary.head.node;
  Sequence& sequence = recording.collectives;
  sequence.described = summary.head.described;
  sequence.outside_steps = summary.head.outside_steps;
  sequence.point_to_point = summary.head.point_to_point;
  std::vector<std::uint32_t> shared;
  for (const std::string& word : summary.words) shared.push_back(words.add(word));
  for (const RankCall& call : summary.calls) {
    const bool is_send = call.group == RankCall::no_group;
    (is_send ? sequence.sends : sequence.calls)
        .push_back(
            {shared[call.what], is_send ? RankCall::no_group : shared[call.group], call.step, call.duration, call.end(), call.stream});
  }
  for (model::CollectiveShape shape : summary.shapes) {
    shape.what = shared[shape.what];
    sequence.shapes.push_back(std::move(shape));
  }
  return recording;
}

}  // namespace frx::report
