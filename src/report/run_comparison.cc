#include "report/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "derive/compare/operator_names.h"
#include "report/baselines.h"
#include "report/layout/layout_diff.h"
#include "report/recorder_words.h"
#include "report/time_parts.h"

namespace frx::report {
namespace {

using derive::compare::Answer;
using derive::compare::Doubt;
using derive::compare::Judgement;

std::vector<double> divided(std::vector<double> values, double by) {
  for (double& value : values) value /= by;
  return values;
}

// The number of steps grows with the square of the factor by which the interval must get narrower.
std::optional<double> steps_needed(const Judgement& judgement, double noise_floor) {
  if (judgement.doubt != Doubt::too_scattered || !judgement.low) return std::nullopt;
  const double seen = std::abs(std::log(*judgement.ratio)) + std::log1p(-noise_floor);
  if (seen <= 0) return std::nullopt;  // a difference within the floor can never be detected
  const double half = std::log(*judgement.high / *judgement.low) / 2;
  const double now = static_cast<double>(std::min(judgement.first, judgement.second));
  return std::ceil(now * std::max(1.0, half * half / (seen * seen)));
}

// The first GPU of the first process, where steps are counted.
const model::GpuSteps* main_gpu(const TraceReport* trace) {
  if (trace == nullptr || trace->processes.empty() || trace->processes.front().gpus.empty()) return nullptr;
  return &trace->processes.front().gpus.front();
}

// By step: the part, on top of the mean of what is not the part on both sides. Its ratio is what the part alone makes of a step.
Judgement effect_of(std::size_t part, std::span<const model::GpuTime> first, std::span<const model::GpuTime> second, double noise_floor) {
  double rest = 0;
  for (const auto& side : {first, second}) {
    double sum = 0;
    for (const model::GpuTime& step : side) sum += static_cast<double>(step.span - parts_of(step)[part].ns);
    rest += sum / static_cast<double>(side.size()) / 2;
  }
  const auto with_rest = [&](std::span<const model::GpuTime> side) {
    std::vector<double> times;
    for (const model::GpuTime& step : side) times.push_back(rest + static_cast<double>(parts_of(step)[part].ns));
    return times;
  };
  return derive::compare::judge(with_rest(first), with_rest(second), noise_floor);
}

std::vector<ComparedPart> compare_parts(const TraceReport* first, const TraceReport* second, double noise_floor) {
  const model::GpuSteps *a = main_gpu(first), *b = main_gpu(second);
  if (a == nullptr || b == nullptr) return {};
  const std::size_t skipped_a = first->scope().skipped, skipped_b = second->scope().skipped;
  if (a->steps.size() <= skipped_a || b->steps.size() <= skipped_b) return {};
  const auto before = parts_of(model::total_of(*a, skipped_a)), after = parts_of(model::total_of(*b, skipped_b));
  const double steps_a = static_cast<double>(a->steps.size() - skipped_a), steps_b = static_cast<double>(b->steps.size() - skipped_b);
  std::vector<ComparedPart> parts;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].ns == 0 && after[i].ns == 0) continue;
    parts.push_back({std::string(before[i].name), static_cast<double>(before[i].ns) / steps_a, static_cast<double>(after[i].ns) / steps_b,
                     effect_of(i, std::span(a->steps).subspan(skipped_a), std::span(b->steps).subspan(skipped_b), noise_floor)});
  }
  return parts;
}

std::vector<ComparedKernel> compare_kernels(const TraceReport* first, const TraceReport* second) {
  if (first == nullptr || second == nullptr || first->kernels == 0 || second->kernels == 0) return {};
  std::vector<ComparedKernel> rows;
  std::unordered_map<std::string_view, std::size_t> row_of;
  const auto row_for = [&](std::string_view name) -> ComparedKernel& {
    const std::string_view canonical = derive::compare::canonical_name(name);
    const auto [known, is_new] = row_of.emplace(canonical, rows.size());
    if (is_new) rows.push_back({std::string(canonical), {}, {}, {}, {}});
    return rows[known->second];
  };
  const double steps_a = static_cast<double>(std::max<std::size_t>(1, first->step_count()));
  const double steps_b = static_cast<double>(std::max<std::size_t>(1, second->step_count()));
  for (const TimeOf& kernel : first->top_kernels) {
    ComparedKernel& row = row_for(kernel.name);
    row.first_ns = row.first_ns.value_or(0) + static_cast<double>(kernel.gpu_ns) / steps_a;
    row.first_count = row.first_count.value_or(0) + static_cast<double>(kernel.count) / steps_a;
  }
  for (const TimeOf& kernel : second->top_kernels) {
    ComparedKernel& row = row_for(kernel.name);
    row.second_ns = row.second_ns.value_or(0) + static_cast<double>(kernel.gpu_ns) / steps_b;
    row.second_count = row.second_count.value_or(0) + static_cast<double>(kernel.count) / steps_b;
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const ComparedKernel& row) { return std::abs(row.change_ns()); });
  return rows;
}

void add_machine(const RunReport& run, ComparedRun& side) {
  side.machine = run.machine;
  if (side.gpus.empty()) side.gpus = run.machine.gpu;
}

// Other software may be the very change under test, so it is reported and does not prevent the comparison.
void add_machine_notes(RunComparison& result) {
  constexpr std::pair<std::string RunMachine::*, std::string_view> parts[] = {
      {&RunMachine::host, "machine"}, {&RunMachine::driver, "driver"}, {&RunMachine::pytorch, "PyTorch"}, {&RunMachine::python, "Python"}};
  for (const auto& [part, name] : parts) {
    const std::string &a = result.first.machine.*part, &b = result.second.machine.*part;
    if (!a.empty() && !b.empty() && a != b)
      result.notes.push_back(fmt::format("not the same {}: {} and {}; the difference may be its doing", name, a, b));
  }
}

void add_layout_note(RunComparison& result) {
  constexpr double least_share = 0.01;
  const std::optional<double>&first = result.first.layout_copy_share, &second = result.second.layout_copy_share;
  if (!first || !second || std::max(*first, *second) < least_share) return;
  result.notes.push_back(
      fmt::format("kernels that only bring tensors into another layout take {:.1f} % of kernel time in {}, {:.1f} % in {} "
                  "(frx layout diff tells which)",
                  100 * *first, result.first.label, 100 * *second, result.second.label));
}

void add_notes(RunComparison& result) {
  add_machine_notes(result);
  add_layout_note(result);
  for (const ComparedRun* side : {&result.first, &result.second}) {
    if (side->gpus.empty())
      result.notes.push_back(fmt::format("{} does not name its GPU: that both ran on the same one is taken on trust", side->label));
  }
  if (result.first.evidence != result.second.evidence) {
    result.notes.push_back(fmt::format("{} was recorded as {}, {} as {}: recording itself takes time, and not the same", result.first.label,
                                       result.first.evidence, result.second.label, result.second.evidence));
  }
  if (result.baselines) {
    result.notes.push_back(fmt::format("{}; differences up to {:.3g} % count as nothing",
                                       words_for(*result.baselines, result.baselines->share_less()), 100 * result.noise_floor));
    return;
  }
  result.notes.push_back(
      fmt::format("one run on each side shows how its steps scatter, not how two runs of one program differ; differences up to {:g} % "
                  "count as nothing (--noise-floor; --baseline takes further runs of the first, which show it)",
                  100 * result.noise_floor));
}

std::shared_ptr<const LayoutDiff> compare_layouts(const TraceReport* first, const TraceReport* second) {
  if (!first || !second || !first->layouts || !second->layouts) return nullptr;
  if (first->layouts->findings.empty() && second->layouts->findings.empty()) return nullptr;
  return std::make_shared<const LayoutDiff>(diff_layouts(record_of(*first->layouts), record_of(*second->layouts)));
}

}  // namespace

const ComparedPart* RunComparison::carrier() const {
  if (!not_comparable.empty()) return nullptr;
  const ComparedPart* most = nullptr;
  for (const ComparedPart& part : parts) {
    const bool is_told = part.effect.answer != Answer::cannot_tell;
    const bool agrees = judgement.answer == Answer::cannot_tell ? is_told && judgement.doubt == Doubt::too_scattered
                        : judgement.answer == Answer::better    ? part.change_ns() < 0
                                                                : part.change_ns() > 0;
    if (agrees && (!most || std::abs(part.change_ns()) > std::abs(most->change_ns()))) most = &part;
  }
  return most;
}

std::vector<std::string> differences(const ComparedRun& a, const ComparedRun& b) {
  std::vector<std::string> found;
  if (!a.gpus.empty() && !b.gpus.empty() && a.gpus != b.gpus) found.push_back(fmt::format("the GPUs differ: {} and {}", a.gpus, b.gpus));
  if (a.world_size && b.world_size && *a.world_size != *b.world_size)
    found.push_back(fmt::format("the number of ranks differs: {} and {}", *a.world_size, *b.world_size));
  for (const ComparedRun* side : {&a, &b}) {
    if (!side->has_steps) found.push_back(fmt::format("{} marks no steps: {}", side->label, side->how_to_mark_steps));
  }
  return found;
}

ComparedRun compared(const TraceReport& trace, std::string label) {
  ComparedRun run;
  run.label = std::move(label);
  run.source = trace.source;
  run.evidence = "profiler trace";
  run.gpus = trace.gpu_names();
  run.world_size = trace.facts.world_size;
  run.primary = trace.scope().diagnosis.user_facing;
  run.has_steps = trace.has_step_boundaries();
  run.how_to_mark_steps = recorder_words(trace.facts.recorder).steps;
  run.skipped = trace.scope().skipped;
  run.step_ns = derive::steps::total_times(trace.processes.front(), run.skipped);
  run.layout_copy_share = trace.program.layout_copy_share;
  return run;
}

ComparedRun compared(const RunReport& run, std::string label) {
  if (run.evidence == "profiler trace" && run.trace) {
    ComparedRun side = compared(*run.trace, std::move(label));
    side.source = run.source;
    add_machine(run, side);
    return side;
  }
  ComparedRun side;
  side.label = std::move(label);
  side.source = run.source;
  side.evidence = run.evidence;
  if (run.trace) side.gpus = run.trace->gpu_names();
  add_machine(run, side);
  side.primary = run.scope().diagnosis.user_facing;
  side.has_steps = true;
  side.skipped = run.scope().skipped;
  side.step_ns = derive::steps::total_times(run.record.steps, side.skipped);
  side.batch = derive::steps::common_batch(run.record.steps, side.skipped);
  return side;
}

RunComparison compare(ComparedRun first, const TraceReport* first_trace, ComparedRun second, const TraceReport* second_trace,
                      double noise_floor, std::optional<derive::compare::BaselineSpread> baselines) {
  RunComparison result;
  if (baselines) noise_floor = std::max(noise_floor, baselines->share_less());
  result.noise_floor = noise_floor;
  result.baselines = baselines;
  result.not_comparable = differences(first, second);
  result.per_sample = first.batch && second.batch && *first.batch != *second.batch;
  const double batch_a = result.per_sample ? *first.batch : 1, batch_b = result.per_sample ? *second.batch : 1;
  result.judgement = derive::compare::judge(divided(first.step_ns, batch_a), divided(second.step_ns, batch_b), noise_floor);
  result.steps_needed = steps_needed(result.judgement, noise_floor);
  result.parts = compare_parts(first_trace, second_trace, noise_floor);
  if (!result.not_comparable.empty()) {
    result.judgement.answer = Answer::cannot_tell;
    for (ComparedPart& part : result.parts) part.effect.answer = Answer::cannot_tell;
  }
  result.kernels = compare_kernels(first_trace, second_trace);
  result.operators = compare_operators(first_trace, second_trace);
  result.layouts = compare_layouts(first_trace, second_trace);
  result.first = std::move(first);
  result.second = std::move(second);
  add_notes(result);
  return result;
}

}  // namespace frx::report
