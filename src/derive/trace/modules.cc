#include "derive/trace/modules.h"

#include <algorithm>

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::string_view prefix = "nn.Module: ";

std::vector<std::uint32_t> modules_of_kind(const Timeline& timeline, EventKind kind) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == kind && is_module_range(timeline.name_of(row))) rows.push_back(row);
  }
  return rows;
}

}  // namespace

bool is_module_range(std::string_view range) { return range.starts_with(prefix); }

std::string_view module_name(std::string_view range) { return is_module_range(range) ? range.substr(prefix.size()) : std::string_view(); }

std::string module_range(std::string_view name) { return std::string(prefix).append(name); }

ModuleRanges module_ranges(const Timeline& timeline, std::span<const OperatorKernel> kernels) {
  ModuleRanges modules;
  modules.rows = modules_of_kind(timeline, EventKind::annotation);
  if (modules.rows.empty()) modules.rows = modules_of_kind(timeline, EventKind::python);
  if (modules.rows.empty()) return modules;
  std::ranges::sort(modules.rows, {}, [&](std::uint32_t row) { return std::pair(timeline.track[row], timeline.start[row]); });
  modules.around = enclosing_ranges(timeline, modules.rows);
  modules.of_kernel.resize(kernels.size(), none);
  const auto look_around = [&](std::uint32_t OperatorKernel::*place) {
    std::vector<std::uint32_t> places, of_place;
    for (std::uint32_t i = 0; i < kernels.size(); ++i) {
      if (modules.of_kernel[i] != none || kernels[i].*place == none) continue;
      places.push_back(kernels[i].*place);
      of_place.push_back(i);
    }
    const std::vector<std::uint32_t> found = innermost_around(timeline, modules.rows, places);
    for (std::size_t i = 0; i < found.size(); ++i) modules.of_kernel[of_place[i]] = found[i];
  };
  look_around(&OperatorKernel::place);
  look_around(&OperatorKernel::forward);
  return modules;
}

bool is_program_line(std::string_view function) {
  constexpr std::string_view others[] = {"/torch/", "site-packages/torch", "dist-packages/torch", "lib/python",    "<built-in",
                                         "<frozen", "threading.py(",       "runpy.py(",           "contextlib.py("};
  if (function.find(".py(") == function.npos || function.starts_with("torch/") || function.starts_with("torch\\")) return false;
  if (function.find("site-packages/") != function.npos && function.find("site-packages/torch/") == function.npos) return true;
  return std::ranges::none_of(others, [&](std::string_view other) { return function.find(other) != function.npos; });
}

std::vector<std::uint32_t> program_lines(const Timeline& timeline, const std::vector<std::uint32_t>& queries) {
  std::vector<std::int8_t> known(timeline.names.size(), -1);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::python) continue;
    std::int8_t& is_of_program = known[timeline.name[row]];
    if (is_of_program < 0) is_of_program = is_program_line(timeline.name_of(row));
    if (is_of_program > 0) rows.push_back(row);
  }
  return rows.empty() ? rows : innermost_around(timeline, rows, queries);
}

}  // namespace frx::derive::trace
