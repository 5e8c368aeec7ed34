// A format of three lines: a magic word, then kernel and duration.
//
//   counted 1
//   copy,12.5        in microseconds

#include "base/numbers.h"
#include "base/text.h"
#include "base/units.h"
#include "frx_generated/metric_ids.h"
#include "ingest/format.h"
#include "ingest/launch_table.h"

namespace frx::ingest {
namespace {

bool begins_counted(std::string_view line, const knowledge::MetricCatalogue&) { return line == "counted 1"; }

Result<> read_counted(Input& input, std::string_view, model::Session& into) {
  LaunchTable table(into, input.metrics);
  const std::uint32_t duration = table.column(metrics::kernel_duration);
  const double scale = parse_unit("us")->scale / input.metrics[metrics::kernel_duration].unit.scale;
  std::string_view line;
  while (true) {
    TRY_ASSIGN(const bool more, input.lines.next(line));
    if (!more) break;
    const std::vector<std::string_view> fields = split(line, ',');
    const std::optional<double> time = fields.size() == 2 ? parse_number(fields[1], NumberStyle::point) : std::nullopt;
    if (!time)
      return fail(ErrorKind::malformed, "expected 'kernel,duration'").at(fmt::format("{}:{}", input.name, input.lines.line_number()));
    model::LaunchIdentity launch;
    launch.kernel = fields[0];
    table.at(fmt::format("{}", input.lines.line_number()), launch, input.lines.line_number());
    table.set(duration, *time * scale, input.lines.line_number());
  }
  table.finish();
  return {};
}

}  // namespace

constinit const Format counted_format = {
    .id = "counted",
    .title = "counted launches",
    .begins = begins_counted,
    .read_lines = read_counted,
};

}  // namespace frx::ingest
