#include "compose/recording_tables.h"

#include "base/text.h"
#include "base/units.h"
#include "report/recordings/kernel_recording.h"

namespace frx::compose {
namespace {

constexpr std::size_t name_cells = 40, count_cells = 8, time_cells = 12, all_cells = 88;

std::string line_of(std::string_view name, std::string_view calls, std::string_view average, std::string_view shortest,
                    std::string_view longest) {
  return "  " + pad_right(name, name_cells) + " " + pad_left(calls, count_cells) + " " + pad_left(average, time_cells) + " " +
         pad_left(shortest, time_cells) + " " + pad_left(longest, time_cells);
}

}  // namespace

void add_recording_heading(Document& page, std::string_view words, std::string_view names) {
  page.blank();
  page.add(answer::Verbatim{fmt::format("=== {}{}{} ===", words, names.empty() ? "" : " ", printable(names))});
  page.blank();
}

void add_times_table(Document& page, std::string_view heading, const std::vector<model::NameTimes>& rows) {
  std::string lines = line_of(heading, "Calls", "Avg (us)", "Min (us)", "Max (us)") + "\n  " + std::string(all_cells, '-');
  for (const model::NameTimes& row : rows)
    lines += "\n" + line_of(report::fitted_kernel_name(row.name, name_cells), fmt::to_string(row.calls),
                            microseconds_text(row.average_ns()), microseconds_text(row.shortest_ns), microseconds_text(row.longest_ns));
  page.add(answer::Verbatim{std::move(lines)});
}

std::string microseconds_text(std::optional<double> ns) { return ns ? fmt::format("{:.1f}", *microseconds(ns)) : "n/a"; }

void put_times(answer::JsonObject& out, const model::NameTimes& row) {
  out.add("name", row.name, "calls", row.calls, "total_us", microseconds(row.total_ns), "avg_us", microseconds(row.average_ns()), "min_us",
          microseconds(row.shortest_ns), "max_us", microseconds(row.longest_ns), "bytes", row.bytes);
}

}  // namespace frx::compose
