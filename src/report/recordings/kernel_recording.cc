#include "report/recordings/kernel_recording.h"

#include <algorithm>
#include <cmath>

#include "base/demangle.h"
#include "base/text.h"
#include "derive/compare/two_samples.h"
#include "report/report.h"

namespace frx::report {
namespace {

constexpr std::size_t least_arguments = 8;  // cells of them: fewer tell nothing

// "gemm" of "ns::gemm".
std::string last_part_of(const std::string& name) {
  const std::size_t scope = name.rfind("::");
  return scope == name.npos ? name : name.substr(scope + 2);
}

// "float, 4" of "void ns::gemm<float, 4>(int)" for gemm; what is not closed goes to the end.
std::string_view template_arguments_of(std::string_view whole, const std::string& name) {
  const std::size_t at = whole.find(name + "<");
  if (at == whole.npos) return {};
  const std::string_view rest = whole.substr(at + name.size() + 1);
  int depth = 1;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    depth += rest[i] == '<' ? 1 : rest[i] == '>' ? -1 : 0;
    if (depth == 0) return rest.substr(0, i);
  }
  return rest;
}

}  // namespace

double WallTimes::median_ms() const { return derive::compare::median_of(runs_ms); }

double WallTimes::mad_ms() const { return derive::compare::median_deviation(runs_ms, median_ms()); }

std::vector<model::NameTimes> KernelRecording::shown() const {
  std::vector<model::NameTimes> rows;
  if (!times) return rows;
  std::ranges::copy_if(times->kernels, std::back_inserter(rows),
                       [&](const model::NameTimes& row) { return row.name.find(filter) != row.name.npos; });
  return rows;
}

std::string fitted_kernel_name(const std::string& name, std::size_t cells) {
  DemanglingBudget budget;
  const std::string readable = name.starts_with("_Z") ? demangled(name, budget) : "";
  const std::string whole = printable(readable.empty() ? name : readable);
  if (display_width(whole) <= cells) return whole;
  std::string brief = short_kernel_name(whole);
  const std::string_view arguments = template_arguments_of(whole, last_part_of(brief));
  if (display_width(brief) + least_arguments > cells) brief = last_part_of(brief);
  if (arguments.empty()) return clip(brief, cells);
  if (const std::string all = fmt::format("{}<{}>", brief, arguments); display_width(all) <= cells) return all;
  const std::size_t taken = display_width(brief) + std::string_view("<...>").size();
  if (taken > cells) return clip(brief, cells);
  return fmt::format("{}<{}...>", brief, arguments.substr(0, end_of_cells(arguments, cells - taken)));
}

}  // namespace frx::report
