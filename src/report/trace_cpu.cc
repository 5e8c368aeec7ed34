#include "report/trace_cpu.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace frx::report {
namespace {

constexpr std::size_t operators_named = 3;

// "aten::addmm 41.0 %, aten::copy_ 22.5 %".
std::string largest(const CpuTimes& cpu) {
  std::vector<std::string> words;
  for (const derive::trace::SelfTime& one : std::span(cpu.operators).first(std::min(operators_named, cpu.operators.size()))) {
    const double share = 100.0 * static_cast<double>(one.self_ns) / static_cast<double>(cpu.operators_ns);
    words.push_back(fmt::format("{} {:.1f} %", printable(one.name), share));
  }
  return join(words, ", ");
}

std::string sentence(const CpuTimes& cpu) {
  if (cpu.operators_ns <= 0) return "Only the CPU was recorded, and its operators took no time.";
  return fmt::format("Only the CPU was recorded: {}, of which operators take {}{}. Most by themselves take {}.",
                     format_quantity(static_cast<double>(cpu.window_ns), "ns"),
                     format_quantity(static_cast<double>(cpu.operators_ns), "ns"),
                     cpu.threads.size() > 1 ? fmt::format(" on {} threads", cpu.threads.size()) : "", largest(cpu));
}

}  // namespace

void explain_cpu(TraceReport& report) {
  const std::string words = sentence(*report.cpu);
  const auto explain = [&](RunScope& scope) {
    std::vector<std::string>& why = scope.diagnosis.why;
    // That label says that nothing is known of a GPU, and there may be none.
    if (scope.diagnosis.user_facing == "insufficient_telemetry" && report.program.cpu_only.value_or(false)) why.clear();
    why.insert(why.begin(), words);
  };
  explain(report.run);
  if (report.steady_state) explain(*report.steady_state);
}

std::string uncovered_note(const CpuTimes& cpu) {
  if (cpu.threads.empty() || cpu.threads.front().operators_ns * 2 >= cpu.window_ns) return {};
  return fmt::format(
      "on the busiest thread operators take {:.1f} % of the recording; the rest is Python, waiting or code that was not recorded "
      "(with_stack=True "
      "records Python)",
      100.0 * static_cast<double>(cpu.threads.front().operators_ns) / static_cast<double>(cpu.window_ns));
}

std::string cpu_note(const CpuTimes& cpu) {
  constexpr std::string_view how = "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] records both";
  if (cpu.gpu_evidence.empty())
    return fmt::format("this is a recording of the CPU alone. Whether the program uses a GPU cannot be told from it; {}", how);
  return fmt::format(
      "this is a recording of the CPU alone, although the program may use a GPU ({}): its operators then only launch work; {}",
      printable(cpu.gpu_evidence), how);
}

}  // namespace frx::report
