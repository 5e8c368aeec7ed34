#include <algorithm>
#include <map>

#include "base/base64.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/figures.h"
#include "report/time_parts.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using model::TimelineLane;
using model::TimelinePicture;
using report::TraceReport;

constexpr std::size_t steps_drawn = 20'000;

std::string_view part_of(std::string_view name) {
  if (name == "computing") return "computing";
  if (name == "exposed communication") return "communication";
  return name == "exposed copies" ? "copying" : "idle";
}

// Of the first GPU of the first process.
void put_steps(JsonObject& out, const model::StepTable& table, std::size_t skipped) {
  const model::GpuSteps& gpu = table.gpus.front();
  const std::size_t count = std::min(steps_drawn, gpu.steps.size());
  const auto parts = report::parts_of(model::total_of(gpu));
  out.add("what", "step", "numbers", std::span(table.ids).first(count), "skipped", std::min(skipped, count));
  std::vector<std::size_t> shown;  // parts that any step has
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].ns > 0) shown.push_back(i);
  }
  out.list("parts", shown, [&](JsonObject& one, std::size_t i) {
    std::vector<std::int64_t> ns;
    for (const model::GpuTime& step : std::span(gpu.steps).first(count)) ns.push_back(report::parts_of(step)[i].ns);
    one.add("name", parts[i].name, "part", part_of(parts[i].name), "ns", ns);
  });
}

void put_lane(JsonObject& out, const TimelineLane& lane) {
  out.add("name", printable(lane.name), "group", printable(lane.group), "device", answer::when(lane.device >= 0, lane.device), "depth",
          lane.depth, "events", lane.events, "overview", base64(lane.overview));
  out.object("tiles", [&](JsonObject& tiles) { tiles.add("begin", lane.begin, "reach", lane.reach, "count", lane.count, "at", lane.at); });
}

struct DrawnGap {
  std::int32_t device;
  const model::IdleGap* gap;
  std::optional<std::int64_t> step;
};

void put_timeline(JsonObject& out, const TraceReport& report) {
  const TimelinePicture& picture = *report.picture;
  std::vector<DrawnGap> gaps;
  std::size_t left_out = 0;
  for (const model::StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      left_out += gpu.gaps_left_out;
      for (const model::IdleGap& gap : gpu.drawn_gaps) {
        const bool has_number = process.has_boundaries() && gap.step < process.ids.size();
        gaps.push_back({gpu.device, &gap, has_number ? std::optional(process.ids[gap.step]) : std::nullopt});
      }
    }
  }
  out.add("span_ns", picture.span_ns, "names", picture.names, "kinds", picture.kinds);
  out.list("steps", picture.steps,
           [](JsonObject& one, const model::TimelineStep& step) { one.add("number", step.number, "begin", step.begin, "end", step.end); });
  out.list("gaps", gaps, [&](JsonObject& one, const DrawnGap& drawn) {
    one.add("device", drawn.device, "begin", drawn.gap->begin - picture.origin_ns, "end", drawn.gap->end - picture.origin_ns, "cause",
            model::name_of(drawn.gap->cause()), "during", printable(drawn.gap->during), "step", drawn.step);
  });
  out.add("gaps_left_out", left_out);
  out.list("lanes", picture.lanes, put_lane);
  out.add("data", base64(picture.tiles));
}

std::string about_timeline(const TimelinePicture& picture) {
  std::string about = "What each thread and each stream of a GPU did. Where a GPU is idle, the colour says why.";
  if (picture.left_out > 0)
    about += fmt::format(" {} shorter than {} are left out.", count_text(picture.left_out, "event"),
                         format_quantity(static_cast<double>(picture.least_ns), "ns"));
  return about;
}

// Memory of one device.
struct MemorySeries {
  std::string name;
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint64_t> bytes;
  std::optional<std::uint64_t> capacity;
};

void put_memory(JsonObject& out, const std::vector<MemorySeries>& all) {
  out.list("series", all, [](JsonObject& one, const MemorySeries& series) {
    one.add("name", series.name, "time_ns", series.time_ns, "bytes", series.bytes, "capacity_bytes", series.capacity);
  });
}

std::vector<MemorySeries> memory_of(const TraceReport& report) {
  std::map<std::int32_t, std::pair<MemorySeries, MemorySeries>> devices;
  for (const model::MemorySample& sample : report.picture->memory) {
    auto& [allocated, reserved] = devices[sample.device];
    allocated.time_ns.push_back(sample.time_ns);
    allocated.bytes.push_back(sample.allocated_bytes);
    reserved.time_ns.push_back(sample.time_ns);
    reserved.bytes.push_back(sample.reserved_bytes);
  }
  std::vector<MemorySeries> all;
  for (auto& [device, both] : devices) {
    const std::string name = device < 0 ? "CPU" : fmt::format("GPU {}", device);
    auto& [allocated, reserved] = both;
    const auto gpu = std::ranges::find(report.facts.gpus, device, &model::TracedGpu::id);
    if (device >= 0 && gpu != report.facts.gpus.end() && gpu->memory_bytes > 0) reserved.capacity = gpu->memory_bytes;
    allocated.name = name + ", allocated";
    reserved.name = name + ", reserved by the allocator";
    all.push_back(std::move(allocated));
    if (std::ranges::any_of(reserved.bytes, [](std::uint64_t bytes) { return bytes > 0; })) all.push_back(std::move(reserved));
  }
  return all;
}

// What the sampler of the SDK saw.
std::vector<MemorySeries> memory_of(const model::RunRecord& record) {
  std::map<std::int32_t, MemorySeries> devices;
  std::optional<std::int64_t> origin;
  for (const model::GpuSample& sample : record.samples) {
    if (!sample.time_ns || !sample.memory_used) continue;
    if (!origin) origin = sample.time_ns;
    MemorySeries& series = devices[sample.index];
    series.time_ns.push_back(*sample.time_ns - *origin);
    series.bytes.push_back(static_cast<std::uint64_t>(*sample.memory_used));
    if (sample.memory_total) series.capacity = static_cast<std::uint64_t>(*sample.memory_total);
  }
  std::vector<MemorySeries> all;
  for (auto& [device, series] : devices) {
    series.name = fmt::format("GPU {}, in use", device);
    all.push_back(std::move(series));
  }
  return all;
}

void add_memory(Document& page, std::vector<MemorySeries> series) {
  if (series.empty()) return;
  page.add(answer::Figure{"memory", "Memory over time", "", [series = std::move(series)](JsonObject& out) { put_memory(out, series); }});
}

void put_kernels(JsonObject& out, const TraceReport& report) {
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
  out.add("total_us", us(report.all_work_ns), "all", report.kernel_names);
  out.list("kernels", report.top_kernels, [&](JsonObject& one, const report::TimeOf& row) {
    one.add("name", printable(row.name), "time_us", us(row.gpu_ns), "share_pct",
            answer::when(report.all_work_ns > 0,
                         100.0 * static_cast<double>(row.gpu_ns) / static_cast<double>(std::max<std::int64_t>(report.all_work_ns, 1))),
            "launches", row.count, "label", "", "shapes", std::span<const std::string>(), "lines", std::span<const std::string>());
  });
}

}  // namespace

void add_figures(Document& page, const TraceReport& report, std::size_t skipped, std::string_view whose) {
  const std::string of_whom = whose.empty() ? "" : fmt::format(" of {}", whose);
  const model::StepTable* const steps = report.processes.empty() ? nullptr : &report.processes.front();
  if (steps && !steps->gpus.empty() && steps->has_boundaries() && model::total_of(steps->gpus.front()).span > 0) {
    const std::string gpu = report.gpus.size() > 1 ? fmt::format(" on GPU {}", steps->gpus.front().device) : "";
    page.add(answer::Figure{"steps", "Steps" + of_whom + gpu, "Where the time of each step goes on the GPU. Each moment counts once.",
                            [steps, skipped](JsonObject& out) { put_steps(out, *steps, skipped); }});
  }
  if (report.picture && !report.picture->lanes.empty())
    page.add(answer::Figure{"timeline", "Timeline" + of_whom, about_timeline(*report.picture),
                            [&report](JsonObject& out) { put_timeline(out, report); }});
  if (report.picture) add_memory(page, memory_of(report));
  if (!report.top_kernels.empty())
    page.add(answer::Figure{"kernels", "Kernels by time" + of_whom,
                            "GPU time of all launches of a kernel; work at the same time counts twice.",
                            [&report](JsonObject& out) { put_kernels(out, report); }});
}

void add_figures(Document& page, const report::RanksReport& report) {
  if (report.lateness.with_waiting == 0) return;
  page.add(answer::Figure{
      "ranks", "Who waits for whom",
      "Each row is a rank that waited in collectives, each column a rank that it waited for, with the time of all collectives that "
      "were matched. While several ranks were missing, the waiting is shared equally between them.",
      [&report](JsonObject& out) {
        const derive::ranks::WaitingMatrix matrix = derive::ranks::waiting_matrix(report.matching, report.lateness);
        std::vector<std::int64_t> ranks, late;
        std::vector<std::optional<double>> steps;
        for (const std::size_t i : matrix.chosen) {
          ranks.push_back(report.ranks[i].rank);
          const double ns = report.lateness.ranks[i].steps_ns;
          steps.push_back(answer::when(ns > 0, ns));
        }
        for (const std::size_t i : report.lateness.late) late.push_back(report.ranks[i].rank);
        out.add("ranks", ranks, "late", late, "waited_ns", matrix.ns, "steps_ns", steps);
      }});
}

void add_figures(Document& page, const report::RunReport& report) {
  if (report.ranks) add_figures(page, *report.ranks);
  if (report.trace) {
    const bool of_trace = report.evidence == "profiler trace";
    const std::string whose = report.ranks ? fmt::format("rank {}", report.ranks->ranks[report.ranks->answering].rank) : "";
    add_figures(page, *report.trace, of_trace ? report.scope().skipped : report.trace->scope().skipped, whose);
  }
  add_memory(page, memory_of(report.record));
}

}  // namespace frx::compose
