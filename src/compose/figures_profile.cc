#include <algorithm>
#include <map>

#include "compose/figures.h"
#include "compose/hot_lines.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::HotLine;
using report::Kernel;
using report::NcuReport;

constexpr std::size_t kernels_drawn = 2000, kernels_listed = 200, lines_of_kernel = 12;

// A roof, by its name.
using Roofs = std::map<std::string_view, double>;

void put_roofs(JsonObject& out, std::string_view key, const Roofs& roofs, std::string_view name, std::string_view unit) {
  out.list(key, roofs, [&](JsonObject& roof, const auto& one) { roof.add(name, one.first, unit, answer::rounded(one.second, 3)); });
}

void put_roofline(JsonObject& out, const NcuReport& report) {
  struct Drawn {
    std::string name;
    const Kernel* kernel;
    const derive::RooflinePoint* point;
  };
  const std::vector<std::string> names = kernel_names(report);
  std::vector<Drawn> points;
  Roofs compute, memory;
  for (std::size_t i = 0; i < std::min(kernels_drawn, report.kernels.size()); ++i) {
    for (const derive::RooflinePoint& point : report.kernels[i].roofline.points) {
      points.push_back({names[i], &report.kernels[i], &point});
      if (point.peak_tflops) compute.emplace(point.precision, *point.peak_tflops);
      if (point.peak_gbps) memory.emplace(point.level, *point.peak_gbps);
    }
  }
  out.add("gpu", report.gpu);
  put_roofs(out, "compute", compute, "precision", "tflops");
  put_roofs(out, "memory", memory, "level", "gbps");
  out.list("points", points, [](JsonObject& one, const Drawn& drawn) {
    const derive::RooflinePoint& point = *drawn.point;
    one.add("kernel", drawn.name, "precision", point.precision, "level", point.level, "intensity", answer::exact(point.intensity), "tflops",
            answer::exact(point.achieved_tflops), "of_ceiling_pct", point.of_ceiling_pct, "time_us", drawn.kernel->duration_us, "share_pct",
            drawn.kernel->runtime_share_pct, "is_estimated", drawn.kernel->roofline.basis == derive::Roofline::Basis::estimated);
  });
}

void put_line(JsonObject& out, const HotLine& line, bool by_samples) {
  std::set<std::string_view> explained;
  out.add("place", hot_place(line), "share_pct", line.share(by_samples), "text", line.text, "facts",
          hot_facts(line, by_samples, explained));
}

void put_kernels(JsonObject& out, const NcuReport& report) {
  out.add("total_us", report.duration_us, "all", report.kernels.size());
  out.list("kernels", std::span(report.kernels).first(std::min(kernels_listed, report.kernels.size())),
           [](JsonObject& one, const Kernel& kernel) {
             one.add("name", kernel.name, "time_us", kernel.duration_us, "share_pct", kernel.runtime_share_pct, "launches", kernel.launches,
                     "label", kernel.primary_display);
             one.list("shapes", kernel.shapes, [](JsonObject& shape, const report::LaunchShape& launch) {
               shape.add("grid", launch.mixed ? "others" : launch.grid, "block", launch.block, "launches", launch.launches, "time_us",
                         launch.duration_us, "label", launch.primary);
             });
             one.list("lines", lines_to_show(kernel.hot, lines_of_kernel),
                      [&](JsonObject& line, const HotLine* hot) { put_line(line, *hot, kernel.hot.by_samples); });
           });
}

// The lines of the files of a profile, as far as they were measured.
struct MeasuredSource {
  struct Line {
    const HotLine* first = nullptr;
    double share_pct = 0;
  };
  std::map<std::string, std::map<std::uint32_t, Line>> files;
};

MeasuredSource measured_source(const Kernel& kernel) {
  MeasuredSource source;
  for (const HotLine& line : kernel.hot.lines) {
    if (line.place.line == 0) continue;
    MeasuredSource::Line& one = source.files[line.place.file][line.place.line];
    if (!one.first) one.first = &line;
    one.share_pct += line.share(kernel.hot.by_samples).value_or(0);
  }
  return source;
}

void put_measured_source(JsonObject& out, const Kernel& kernel) {
  const MeasuredSource source = measured_source(kernel);
  out.list("files", source.files, [](JsonObject& one, const auto& file) {
    one.add("path", file.first);
    one.list("lines", file.second,
             [](JsonObject& line, const auto& numbered) { line.add("number", numbered.first, "text", numbered.second.first->text); });
  });
  out.add("findings", std::span<const std::string>());
  struct Stalled {
    std::size_t file;
    std::uint32_t line;
    const MeasuredSource::Line* measured;
  };
  std::vector<Stalled> stalls;
  std::size_t number = 0;
  for (const auto& [path, lines] : source.files) {
    for (const auto& [line, measured] : lines) stalls.push_back({number, line, &measured});
    ++number;
  }
  out.list("stalls", stalls, [](JsonObject& one, const Stalled& stalled) {
    one.add("file", stalled.file, "line", stalled.line, "share_pct", stalled.measured->share_pct);
    one.list("reasons", stalled.measured->first->stalls, [](JsonObject& reason, const report::LineStall& stall) {
      reason.add("reason", stall.reason, "words", stall.words, "pct", stall.pct);
    });
  });
}

}  // namespace

void add_figures(Document& page, const NcuReport& report) {
  const auto has_points = [](const Kernel& kernel) { return !kernel.roofline.points.empty(); };
  if (std::ranges::any_of(report.kernels, has_points)) {
    page.add(answer::Figure{
        "roofline", "Roofline",
        "How fast each kernel computes, against what its GPU could do with as many operations for each byte it moves. Below a "
        "slanted roof memory sets the limit, below a flat one the arithmetic units.",
        [&report](JsonObject& out) { put_roofline(out, report); }});
  }
  if (!report.kernels.empty()) {
    page.add(answer::Figure{"kernels", "Kernels by time", "Each opens the shapes it was launched in and the lines where its warps wait.",
                            [&report](JsonObject& out) { put_kernels(out, report); }});
  }
  const Kernel* const focus = focus_kernel(report);
  const bool has_text = focus && std::ranges::any_of(focus->hot.lines, [](const HotLine& line) { return line.place.line > 0; });
  if (!has_text) return;
  const bool knows_text = std::ranges::any_of(focus->hot.lines, [](const HotLine& line) { return !line.text.empty(); });
  page.add(answer::Figure{"source", "Source",
                          fmt::format("Lines of {}, with their share of {}.{}", focus->short_name, hot_basis(focus->hot),
                                      knows_text ? "" : " Their text is not in the report; ncu --import-source yes would put it there."),
                          [focus](JsonObject& out) { put_measured_source(out, *focus); }});
}

}  // namespace frx::compose
