// What frx kernel binary, frx kernel python and frx trace say: the lines that cgp documents, and the result kernel_recording_v1.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/recording_tables.h"
#include "compose/recordings.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using model::NameTimes;
using report::KernelRecording;
using Rows = std::optional<std::vector<NameTimes>>;

std::string quoted_command(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(shell_quote(word));
  return join(words, " ");
}

void add_title(Document& page, const KernelRecording& recording) {
  switch (recording.kind) {
    case KernelRecording::Kind::binary: return add_recording_heading(page, "CGP Binary Profile:", recording.program);
    case KernelRecording::Kind::trace: return add_recording_heading(page, "CGP System Trace:", recording.program);
    case KernelRecording::Kind::python:
      add_recording_heading(page, "CGP Python Profile");
      page.command(recording.command.empty() ? "Recording: " + recording.program : "Command: " + quoted_command(recording.command), 2);
  }
}

// "2.50 ms": the documented unit, whatever the size.
void add_wall_times(Document& page, const KernelRecording& recording) {
  page.paragraph("nsys not found. Install NVIDIA Nsight Systems, or give a recording that was made elsewhere: --nsys FILE.");
  page.paragraph("Falling back to wall-clock timing...");
  if (!recording.wall)
    return page.paragraph(fmt::format("The program failed (exit code: {}): it was not timed.", recording.exit_code.value_or(1)));
  const report::WallTimes& wall = *recording.wall;
  page.paragraph(fmt::format("Wall time: {:.2f} ms (exit code: {})", wall.median_ms(), recording.exit_code.value_or(0)));
  page.paragraph(fmt::format("The median of {} after {} that does not count; MAD {:.2f} ms, {:.2f} to {:.2f} ms.",
                             count_text(wall.runs_ms.size(), "run"), count_text(wall.warmup, "run"), wall.mad_ms(),
                             std::ranges::min(wall.runs_ms), std::ranges::max(wall.runs_ms)));
  page.paragraph("This is the time of the whole process, its start and the work of the CPU included; no kernel was measured.");
}

void add_no_kernels(Document& page, const KernelRecording& recording) {
  if (recording.kind == KernelRecording::Kind::python) {
    page.paragraph("No CUDA kernels detected (CPU-only Python workload).");
    return page.paragraph("Use perf stat for CPU profiling.");
  }
  page.paragraph("No CUDA kernels detected. Binary may be CPU-only.");
  page.paragraph("For CPU profiling, use: perf stat, or perf record and perf report");
}

void add_nothing_shown(Document& page, const KernelRecording& recording) {
  page.paragraph(as_name(
      fmt::format("No kernel has '{}' in its name; {} recorded.", recording.filter,
                  count_text(recording.times->kernels.size(), "kernel") + (recording.times->kernels.size() == 1 ? " was" : " were"))));
}

std::uint64_t launches_of(const std::vector<NameTimes>& rows) {
  std::uint64_t launches = 0;
  for (const NameTimes& row : rows) launches += row.calls;
  return launches;
}

void add_totals(Document& page, const KernelRecording& recording, const std::vector<NameTimes>& shown) {
  const std::vector<NameTimes>& all = recording.times->kernels;
  page.blank();
  page.paragraph(fmt::format("Total kernels: {}, Total CUDA time: {} us", shown.size(), microseconds_text(report::total_ns_of(shown))));
  if (!recording.filter.empty())
    page.paragraph(fmt::format("Of all kernels: {}, {} us", all.size(), microseconds_text(report::total_ns_of(all))));
}

void add_python_lines(Document& page, const std::vector<NameTimes>& shown) {
  page.paragraph("CUDA kernels captured via nsys:");
  for (const NameTimes& row : shown)
    page.command(fmt::format("{} \xE2\x80\x94 {} calls, avg {}", printable(row.name), row.calls,
                             row.average_ns() ? microseconds_text(row.average_ns()) + "us" : "n/a"));
}

void add_kernels(Document& page, const KernelRecording& recording) {
  const std::vector<NameTimes> shown = recording.shown();
  if (recording.times->kernels.empty()) return add_no_kernels(page, recording);
  if (shown.empty()) return add_nothing_shown(page, recording);
  if (recording.kind == KernelRecording::Kind::python) {
    add_python_lines(page, shown);
  } else {
    add_times_table(page, "Kernel", shown);
  }
  add_totals(page, recording, shown);
}

void add_more(Document& page, std::string_view heading, std::string_view column, const Rows& rows) {
  page.section(heading);
  if (!rows) return page.paragraph("n/a: the recording says nothing of them");
  add_times_table(page, column, *rows);
  std::uint64_t bytes = 0;
  for (const NameTimes& row : *rows) bytes += row.bytes.value_or(0);
  page.blank();
  page.paragraph(fmt::format("Total: {} us in {}{}", microseconds_text(report::total_ns_of(*rows)), count_text(launches_of(*rows), "call"),
                             bytes > 0 ? ", " + format_quantity(static_cast<double>(bytes), "byte") : ""));
}

void add_summaries(Document& page, const KernelRecording& recording) {
  if (recording.kind == KernelRecording::Kind::trace) {
    add_more(page, "CUDA API Statistics", "Call", recording.times->cuda_calls);
    page.section("CUDA Kernel Statistics");
    add_kernels(page, recording);
    add_more(page, "CUDA Memory Operation Statistics", "Operation", recording.times->memory);
    return add_more(page, "OS Runtime Statistics", "Call", recording.times->os_calls);
  }
  add_kernels(page, recording);
  if (!recording.with_trace) return;
  add_more(page, "CUDA Memory Operation Statistics", "Operation", recording.times->memory);
  add_more(page, "CUDA API Statistics", "Call", recording.times->cuda_calls);
}

void add_files(Document& page, const KernelRecording& recording) {
  if (recording.report.empty()) return;
  page.blank();
  page.command("Report: " + recording.report, 2);
  page.command("View: nsys-ui " + shell_quote(recording.report), 2);
  if (!recording.database.empty()) page.command("Next: frx analyze " + shell_quote(recording.database), 2);
}

std::string gpu_text(const KernelRecording& recording) {
  return recording.gpu.empty() && recording.times ? join(recording.times->gpus, ", ") : recording.gpu;
}

Document page_of(const KernelRecording& recording) {
  Document page;
  add_title(page, recording);
  if (const std::string gpu = gpu_text(recording); !gpu.empty()) page.paragraph(as_name("GPU: " + gpu));
  recording.times ? add_summaries(page, recording) : add_wall_times(page, recording);
  add_files(page, recording);
  std::vector<std::string> notes = recording.notes;
  if (recording.times) notes.insert(notes.end(), recording.times->notes.begin(), recording.times->notes.end());
  add_notes(page, notes);
  page.blank();
  return page;
}

void put_sum(JsonObject& out, const std::vector<NameTimes>& rows) {
  out.add("kernels", rows.size(), "launches", launches_of(rows), "total_us", microseconds(report::total_ns_of(rows)));
}

void put_rows(JsonObject& out, std::string_view key, const Rows* rows) {
  if (rows && *rows) return out.list(key, **rows, put_times);
  out.add(key, nullptr);
}

void put_wall(JsonObject& out, const std::optional<report::WallTimes>& wall) {
  out.object("wall_time", wall, [](JsonObject& inner, const report::WallTimes& times) {
    inner.add("runs", times.runs_ms.size(), "warmup", times.warmup, "median_ms", times.median_ms(), "mad_ms", times.mad_ms(), "samples_ms",
              times.runs_ms);
  });
}

void put_recording(JsonObject& out, const KernelRecording& recording) {
  constexpr std::string_view kinds[] = {"binary", "python", "trace"};
  const report::RecordedTimes* const times = recording.times ? &*recording.times : nullptr;
  out.add("schema", "kernel_recording_v1", "kind", kinds[static_cast<std::size_t>(recording.kind)], "program", recording.program, "command",
          answer::when(!recording.command.empty(), recording.command), "measured", times ? "gpu_kernels" : "process_wall_time");
  out.add("source", times ? answer::unless_empty(times->source) : std::nullopt, "format",
          times ? answer::unless_empty(times->format) : std::nullopt, "gpu", answer::unless_empty(gpu_text(recording)), "kernel_filter",
          answer::unless_empty(recording.filter), "exit_code", recording.exit_code);
  if (times) {
    const std::vector<NameTimes> shown = recording.shown();
    out.list("kernels", shown, put_times);
    out.object("shown", [&](JsonObject& inner) { put_sum(inner, shown); });
    out.object("all", [&](JsonObject& inner) { put_sum(inner, times->kernels); });
  } else {
    out.add("kernels", nullptr, "shown", nullptr, "all", nullptr);
  }
  put_rows(out, "memory_operations", times ? &times->memory : nullptr);
  put_rows(out, "cuda_calls", times ? &times->cuda_calls : nullptr);
  put_rows(out, "os_calls", times ? &times->os_calls : nullptr);
  put_wall(out, recording.wall);
  std::vector<std::string> notes = recording.notes;
  if (times) notes.insert(notes.end(), times->notes.begin(), times->notes.end());
  out.add("report", answer::unless_empty(recording.report), "database", answer::unless_empty(recording.database), "notes", notes);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const KernelRecording> recording) {
  answer::Answer answer{.what = "a recording of kernels", .mode = "kernel_recording"};
  answer.document = [recording](answer::Detail) { return page_of(*recording); };
  answer.payload = [recording](JsonObject& out) { put_recording(out, *recording); };
  answer.kept = {std::move(recording)};
  return answer;
}

}  // namespace frx::compose
