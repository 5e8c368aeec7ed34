#include "report/recordings/kernel_recording.h"

#include <algorithm>
#include <cmath>

#include "base/demangle.h"
#include "base/text.h"
#include "derive/compare/two_samples.h"
#include "report/report.h"

namespace frx::report {
namespace {

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return derive::compare::median_of_sorted(values);
}

}  // namespace

double WallTimes::median_ms() const { return median_of(runs_ms); }

double WallTimes::mad_ms() const {
  const double median = median_ms();
  std::vector<double> distances;
  for (const double run : runs_ms) distances.push_back(std::abs(run - median));
  return median_of(std::move(distances));
}

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
  const std::string brief = short_kernel_name(whole) + (whole.find('<') != whole.npos ? "<...>" : "");
  return display_width(brief) <= cells ? brief : clip(whole.starts_with(brief) ? whole : brief, cells);
}

}  // namespace frx::report
