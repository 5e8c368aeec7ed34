#include "capture/gpu/gpu_meter.h"

#include <map>
#include <mutex>
#include <thread>

namespace frx::capture {
namespace {

constexpr std::chrono::seconds open_limit{8};  // a driver that has to be woken up takes seconds
constexpr std::chrono::seconds sample_limit{2};

}  // namespace

// Shared with the thread, which may outlive the meter when the driver hangs.
struct GpuMeter::Samples {
  std::mutex mutex;
  std::map<unsigned, std::vector<TimedSample>> by_gpu;  // under `mutex`, as the next
  std::int64_t last_ns = 0;

  void add(const std::vector<GpuSample>& round) {
    const std::lock_guard lock(mutex);
    last_ns = monotonic_now_ns();
    for (const GpuSample& one : round) by_gpu[one.index].push_back({last_ns, one});
  }
  std::int64_t time_of_last() {
    const std::lock_guard lock(mutex);
    return last_ns;
  }
};

GpuMeter GpuMeter::start(const GpuMeterOptions& options, const Host& host) {
  auto samples = std::make_shared<Samples>();
  GpuMeter meter(samples, SamplingThread::start(options.interval, host, [samples](const std::vector<GpuSample>& round) {
                   samples->add(round);
                   return Result<>();
                 }));
  meter.only_by_ = options.only_by;
  meter.has_begun_ = meter.thread_.sample_now(open_limit);
  if (meter.has_begun_ && options.idle.count() > 0) {
    std::this_thread::sleep_for(options.idle);
    meter.has_begun_ = meter.thread_.sample_now(sample_limit);
  }
  meter.begin_ns_ = meter.has_begun_ ? samples->time_of_last() : monotonic_now_ns();
  return meter;
}

GpuMeasurement GpuMeter::stop() {
  const std::int64_t end = monotonic_now_ns();
  if (has_begun_) thread_.sample_now(sample_limit);  // for the counter, which is read at both ends
  const GpuFacts facts = thread_.stop();
  GpuMeasurement measured{facts.source, {}, facts.warnings};
  const std::lock_guard lock(samples_->mutex);
  for (const GpuIdentity& gpu : facts.gpus) {
    model::GpuInterval one = interval_of(samples_->by_gpu[gpu.index], begin_ns_, end, only_by_);
    one.index = gpu.index, one.uuid = gpu.uuid, one.name = gpu.name;
    one.driver = facts.driver, one.source = facts.source;
    measured.gpus.push_back(std::move(one));
  }
  return measured;
}

}  // namespace frx::capture
