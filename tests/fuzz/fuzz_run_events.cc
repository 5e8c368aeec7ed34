// The event stream of the SDK and, behind a byte 0x1E, the samples of its GPUs. Whatever they say, steps are in order and
// once each, no time is negative, and sums of times do not overflow.
#include "fuzz/input.h"
#include "ingest/run_events/read_events.h"

namespace {

using frx::fuzz::require;
using frx::model::RunStep;

void check(const RunStep& step) {
  for (const std::int64_t time : {step.wall_ns, step.loader_ns, step.loader_before_ns, step.host_to_device_ns, step.sync_ns,
                                  step.forward_ns, step.backward_ns, step.optimizer_ns}) {
    require(time >= 0 && time <= INT64_MAX / 2);
  }
  require(step.total_ns() >= step.wall_ns);
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
  frx::ingest::finish(record);
  for (std::size_t i = 0; i < record.steps.size(); ++i) {
    require(i == 0 || record.steps[i - 1].id < record.steps[i].id);
    check(record.steps[i]);
  }
  return 0;
}
