// The event stream of the SDK and, behind a byte 0x1E, the samples of its GPUs. Whatever they say, steps are in order and
// once each, no time is negative, and sums of times do not overflow.
#include "fuzz/input.h"
#include "ingest/run_events/read_events.h"

namespace {

using frx::fuzz::require;
using frx::model::StepTable;

void check(const StepTable& steps) {
  for (const std::vector<std::int64_t>& column : steps.host_ns) {
    require(column.empty() || column.size() == steps.size());
    for (const std::int64_t time : column) require(time >= 0 && time <= INT64_MAX / 2);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    require(i == 0 || steps.ids[i - 1] < steps.ids[i]);
    require(steps.total_ns(i) >= steps.wall_ns(i));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::size_t middle = input.text().find('\x1E');
  const std::unique_ptr<frx::ByteSource> events = frx::open_bytes(input.text().substr(0, middle));
  frx::model::RunRecord record;
  require(frx::ingest::read_run_events(*events, record).has_value());
  if (middle != std::string_view::npos) {
    const std::unique_ptr<frx::ByteSource> samples = frx::open_bytes(input.text().substr(middle + 1));
    require(frx::ingest::read_gpu_samples(*samples, record).has_value());
  }
  check(record.steps);
  return 0;
}
