#include "report/trace_notes.h"

#include "base/text.h"
#include "base/units.h"
#include "derive/steps/shapes.h"
#include "report/recorder_words.h"
#include "report/trace_cpu.h"

namespace frx::report {
namespace {

using model::Timeline;

// "[[8, 128], [], []]" without the inputs that are no tensors at its end.
std::string tensors_of(std::string shapes) {
  constexpr std::string_view no_tensor = ", []]";
  while (shapes.ends_with(no_tensor)) shapes.replace(shapes.size() - no_tensor.size(), no_tensor.size(), "]");
  return printable(shapes);
}

// ": aten::linear [[8, 64]], then [[4, 64]]"; "" when the shapes were not kept.
std::string words_of(const model::ShapeChange& change) {
  if (change.before.empty() || change.after.empty()) return {};
  return fmt::format(": {} {}, then {}", printable(change.operation), tensors_of(change.before), tensors_of(change.after));
}

// The evidence about shapes, or why there is none.
void add_shape_note(const Timeline& timeline, const TraceReport& report, std::vector<std::string>& notes) {
  if (report.step_count() < 2 || report.operators == 0 || report.clock_broken) return;
  if (timeline.shaped_events.empty()) {
    notes.push_back(fmt::format("shapes of inputs were not recorded, so whether they change from step to step is unknown ({})",
                                recorder_words(timeline.facts.recorder).shapes));
    return;
  }
  const model::StepTable& steps = report.processes.front();
  const auto volatility = derive::steps::volatility_of(steps, derive::steps::completed_rows(steps, report.scope().skipped));
  if (!volatility) {
    const bool differ = steps.last_shape_change && steps.last_shape_change->to_step > report.scope().step_numbers.front();
    notes.push_back(differ ? fmt::format("input shapes differ between steps {} and {}{}. More steps would tell whether they mostly do",
                                         steps.last_shape_change->from_step, steps.last_shape_change->to_step,
                                         words_of(*steps.last_shape_change))
                           : "shapes of inputs were recorded, but too few calls of operators are the same in two steps to tell whether "
                             "inputs change");
    return;
  }
  if (volatility->changes == 0) return;
  const model::ShapeChange& last = *steps.last_shape_change;
  notes.push_back(fmt::format("input shapes changed {} in {} pairs of steps, last from step {} to {}{}{}",
                              count_text(volatility->changes, "time"), volatility->pairs, last.from_step, last.to_step, words_of(last),
                              volatility->is_single ? ". One odd batch, as at the end of an epoch, does not count as unstable" : ""));
}

void add_damage_notes(const derive::trace::Damage& damage, const TraceReport& report, std::vector<std::string>& notes) {
  if (damage.apart_ns > 0) {
    notes.push_back(fmt::format("the events are {} days apart: clocks were mixed, and nothing is measured between events",
                                damage.apart_ns / 86'400'000'000'000));
  }
  if (damage.early_work * 100 > report.kernels) {
    notes.push_back(
        fmt::format("{} of {} kernels and copies begin before the call that launched them, by up to {}: the clocks of program and "
                    "GPU differ, and causes of idle time are as uncertain",
                    damage.early_work, report.kernels + report.copies, format_quantity(static_cast<double>(damage.earliest_ns), "ns")));
  }
  if (damage.doubled_work > 0) {
    notes.push_back(
        fmt::format("{} of the GPU came twice, as after joining two exports of one recording: times by kernel and "
                    "operator count them twice",
                    count_text(damage.doubled_work, "event")));
  }
  if (damage.same_launches > 0) {
    notes.push_back(fmt::format("{} of {} launches share their correlation with another, so what they launched cannot be told apart",
                                damage.same_launches, damage.launches));
  }
}

// The idle time that the diagnosis leaves out because it happens once.
void add_one_off_note(const TraceReport& report, std::vector<std::string>& notes) {
  for (const model::StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      std::int64_t left_out = 0;
      std::vector<std::string> places;
      for (const model::IdleGap& gap : gpu.gaps) {
        if (!gap.is_one_off) continue;
        left_out += gap.length();
        places.push_back(std::to_string(process.ids[gap.step]));
      }
      if (places.empty()) continue;
      const model::GpuTime all = model::total_of(gpu);
      notes.push_back(fmt::format(
          "{} of idle time ({:.1f} % of the steps, in step {}) happens once and is left out of the diagnosis; with it GPU {} is busy for "
          "{:.1f} % of the time",
          format_quantity(static_cast<double>(left_out), "ns"), 100.0 * static_cast<double>(left_out) / static_cast<double>(all.span),
          join(places, ", "), gpu.device, 100.0 * static_cast<double>(all.busy()) / static_cast<double>(all.span)));
    }
  }
}

// What a recording of a cold start says about what follows.
void add_cold_note(const TraceReport& report, std::vector<std::string>& notes) {
  const std::optional<double>& first_use = report.scope().facts[model::RunFact::first_use_fraction];
  const std::optional<double>& busy = report.scope().facts[model::RunFact::gpu_busy_fraction];
  if (!first_use || !busy || *first_use < 0.10 || *first_use >= 1) return;
  notes.push_back(
      fmt::format("without the time in which code is loaded, compiled or captured the GPU is busy for {:.1f} % of what was recorded",
                  100 * *busy / (1 - *first_use)));
}

// FP32 products on a GPU that has faster units for them.
void add_products_note(const TraceReport& report, std::vector<std::string>& notes) {
  const std::optional<double>& part = report.program.fp32_matrix_share;
  if (!report.program.has_tensor_cores.value_or(false) || part.value_or(0) < 0.05) return;
  notes.push_back(
      fmt::format("{:.1f} % of kernel time goes to FP32 matrix products that do not use the tensor cores, as the names of the kernels say",
                  100 * *part));
}

// Copies between layouts, by the names of kernels; where they come from is another analysis.
void add_layout_note(const TraceReport& report, std::vector<std::string>& notes) {
  const std::optional<double>& part = report.program.layout_copy_share;
  if (part.value_or(0) < 0.05) return;
  notes.push_back(fmt::format(
      "{:.1f} % of kernel time goes to kernels that only bring tensors into another layout: frx layout analyze tells where", 100 * *part));
}

// What is compiled, or captured, already.
void add_program_note(const model::ProgramTraits& program, std::vector<std::string>& notes) {
  if (program.replays_graphs.value_or(false))
    notes.push_back(fmt::format("most kernels are launched by {} graphs", program.is_amd.value_or(false) ? "HIP" : "CUDA"));
  if (!program.is_compiled.value_or(false)) return;
  if (!program.compiled_regions || !program.graph_breaks) {
    notes.push_back("the program is compiled (torch.compile); how many regions a step has cannot be told from this recording");
    return;
  }
  const std::string breaks =
      *program.graph_breaks > 0 ? fmt::format("{} of them behind operators that are not compiled (TORCH_LOGS=graph_breaks names the lines)",
                                              format_number(*program.graph_breaks))
                                : "and no graph breaks between them";
  notes.push_back(fmt::format("the program is compiled (torch.compile): {} calls of compiled regions per step, {}",
                              format_number(*program.compiled_regions), breaks));
}

}  // namespace

std::vector<std::string> notes_of(const Timeline& timeline, const derive::trace::Damage& damage, const TraceReport& report) {
  const RecorderWords& words = recorder_words(timeline.facts.recorder);
  std::vector<std::string> notes;
  for (const model::Note& note : timeline.notes) notes.push_back(note.text);
  add_damage_notes(damage, report, notes);
  if (report.cpu) {
    notes.push_back(cpu_note(*report.cpu));
    if (std::string rest = uncovered_note(*report.cpu); !rest.empty()) notes.push_back(std::move(rest));
  } else if (report.kernels == 0 && report.foreign_events > 0) {
    notes.push_back(fmt::format("{} of another accelerator; nothing is said about it", count_text(report.foreign_events, "event")));
  } else if (report.kernels == 0 && report.calls > 0) {
    notes.push_back(fmt::format(
        "{} of the GPU runtime, but no kernels: the profiler could not record the GPU ({}, missing permission). Nothing is said about "
        "how busy it was",
        count_text(report.calls, "call"), report.program.is_amd.value_or(false) ? "no roctracer" : "no CUPTI, WSL"));
  } else if (report.kernels == 0 && timeline.cut_short) {
    notes.push_back("no kernel stands in what is left of the file, so nothing is said about the GPU");
  } else if (report.kernels == 0) {
    notes.push_back(fmt::format("the GPU was not recorded ({})", words.gpu));
  } else if (report.operators == 0) {
    notes.push_back(fmt::format("no operators were recorded, so kernels cannot be attributed ({})", words.operators));
  }
  if (report.kernels > 0 && report.kernels_with_launch < report.kernels) {
    notes.push_back(fmt::format("{} without a launch in the file (launched before the recording, or by a library)",
                                count_text(report.kernels - report.kernels_with_launch, "kernel")));
  }
  if (!report.has_step_boundaries()) {
    notes.push_back(fmt::format("no steps: {}; the recording counts as one step", words.steps));
  }
  add_program_note(report.program, notes);
  add_products_note(report, notes);
  add_layout_note(report, notes);
  add_one_off_note(report, notes);
  add_cold_note(report, notes);
  add_shape_note(timeline, report, notes);
  if (timeline.whole_microseconds && report.kernels > 0) {
    notes.push_back("times are whole microseconds (PyTorch before 2.3): a kernel of 3 us may have taken 4");
  }
  return notes;
}

}  // namespace frx::report
