#include "capture/gpu/sampling_thread.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/memory_budget.h"
#include "capture/gpu/driver_library.h"
#include "capture/gpu/nvidia_smi.h"
#include "capture/gpu/nvml.h"

namespace frx::capture {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds stop_timeout{2};  // how long the end waits for a driver that hangs
constexpr std::chrono::seconds after_failures{5};
constexpr int many_failures = 5;

}  // namespace

Result<std::unique_ptr<GpuSource>> open_gpu_source(const Host& host, std::chrono::milliseconds interval) {
  const std::string library = host.variable("FRX_NVML_LIBRARY").value_or("");
  std::string why = "no NVIDIA driver on this machine";
  if (!library.empty() || has_driver(host)) {
    Result<std::unique_ptr<GpuSource>> nvml = open_nvml(library);
    if (nvml && !(*nvml)->gpus().empty()) return nvml;
    why = nvml ? "NVML shows no GPU" : nvml.error().message;
  }
  Result<std::unique_ptr<GpuSource>> command = open_nvidia_smi(host, interval);
  if (command) return command;
  if (host.program("nvidia-smi")) why += "; " + command.error().message;
  return fail(ErrorKind::environment, "{}", why);
}

// Shared with the thread, which may outlive its owner when the driver hangs.
struct SamplingThread::State {
  std::chrono::milliseconds interval{};
  const Host* host = nullptr;
  Take take;
  std::thread thread;

  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;  // the rest under `mutex`
  bool ended = false;
  bool hurry = false;          // the next round is wanted now
  bool busy = false;           // in a round
  std::uint64_t attempts = 0;  // rounds that came to an end, with samples or without
  bool last_succeeded = false;
  GpuSource* source = nullptr;  // while it can be cancelled
  GpuFacts facts;

  class Cancellable;

  void run();
  void open_and_sample();
  void sample(GpuSource& from, const std::vector<unsigned>& indices);
  Result<> one_round(GpuSource& from, const std::vector<unsigned>& indices, bool& goes_on);
  void note_failure(int failures, const std::string& why);
  void warn(std::string text) {
    const std::lock_guard lock(mutex);
    facts.warnings.push_back(std::move(text));
  }
  // False when it is time to stop.
  bool wait_until(Clock::time_point when) {
    std::unique_lock lock(mutex);
    changed.wait_until(lock, when, [&] { return stopping || hurry; });
    hurry = false;
    busy = !stopping;
    return !stopping;
  }
  std::vector<unsigned> choose(const GpuSource& from);
};

// The source is ours to cancel while it is there.
class SamplingThread::State::Cancellable {
 public:
  Cancellable(State& state, GpuSource* source) : state_(state) { set(source); }
  ~Cancellable() { set(nullptr); }
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;

 private:
  void set(GpuSource* source) {
    const std::lock_guard lock(state_.mutex);
    state_.source = source;
  }

  State& state_;
};

std::vector<unsigned> SamplingThread::State::choose(const GpuSource& from) {
  const VisibleGpus visible =
      visible_gpus(from.gpus(), host->variable("CUDA_VISIBLE_DEVICES"), host->variable("CUDA_DEVICE_ORDER").value_or(""));
  if (!visible.doubt.empty()) warn(visible.doubt + ": all GPUs are sampled");
  if (visible.indices.empty()) warn("CUDA_VISIBLE_DEVICES names no GPU of this machine: no GPU is sampled");
  const std::lock_guard lock(mutex);
  facts.source = from.name();
  facts.driver = from.driver();
  for (const GpuIdentity& gpu : from.gpus()) {
    if (std::binary_search(visible.indices.begin(), visible.indices.end(), gpu.index)) facts.gpus.push_back(gpu);
  }
  return visible.indices;
}

void SamplingThread::State::run() {
  if (const Result<> done = without_exceptions([this] { return open_and_sample(), Result<>(); }); !done)
    warn("no more GPU metrics: " + done.error().message);
  const std::lock_guard lock(mutex);
  ended = true;
  changed.notify_all();
}

void SamplingThread::State::open_and_sample() {
  Result<std::unique_ptr<GpuSource>> opened = open_gpu_source(*host, interval);
  if (!opened) {
    warn("no GPU metrics: " + opened.error().message);
  } else if (const std::vector<unsigned> indices = choose(**opened); !indices.empty()) {
    const Cancellable cancellable(*this, opened->get());
    sample(**opened, indices);
  }
}

// Takes a round and hands it on; `goes_on` is false when the receiver has stopped.
Result<> SamplingThread::State::one_round(GpuSource& from, const std::vector<unsigned>& indices, bool& goes_on) {
  TRY_ASSIGN(const std::vector<GpuSample> samples, from.sample(indices));
  const Result<> taken = take(samples);
  goes_on = taken.has_value();
  if (!taken) warn(taken.error().message);
  return {};
}

// On a fixed schedule, so that the delays of slow samples do not add up.
void SamplingThread::State::sample(GpuSource& from, const std::vector<unsigned>& indices) {
  Clock::time_point next = Clock::now();
  int failures = 0;
  while (wait_until(from.keeps_time() && failures == 0 ? Clock::now() : next)) {
    bool goes_on = true;
    const Result<> done = one_round(from, indices, goes_on);
    failures = done ? 0 : failures + 1;
    {
      const std::lock_guard lock(mutex);
      busy = false;
      ++attempts;
      last_succeeded = done && goes_on;
      if (last_succeeded) ++facts.rounds;
      changed.notify_all();
      if (stopping || !goes_on) return;
    }
    if (!done) note_failure(failures, done.error().message);
    next = std::max(next + interval, Clock::now());
    if (failures >= many_failures) next = std::max(next, Clock::now() + after_failures);
  }
}

void SamplingThread::State::note_failure(int failures, const std::string& why) {
  if (failures == 1) warn("a GPU sample failed: " + why);
  if (failures == many_failures) warn(fmt::format("{} GPU samples in a row failed; it is tried again more slowly: {}", failures, why));
}

SamplingThread SamplingThread::start(std::chrono::milliseconds interval, const Host& host, Take take) {
  auto state = std::make_shared<State>();
  state->interval = interval;
  state->host = &host;
  state->take = std::move(take);
  state->thread = std::thread([state] { state->run(); });
  return SamplingThread(std::move(state));
}

SamplingThread::SamplingThread(SamplingThread&&) noexcept = default;

SamplingThread::~SamplingThread() {
  if (state_) stop();
}

bool SamplingThread::sample_now(std::chrono::milliseconds limit) {
  std::unique_lock lock(state_->mutex);
  const std::uint64_t wanted = state_->attempts + (state_->busy ? 2 : 1);  // a round that is being taken began too early
  state_->hurry = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, limit, [&] { return state_->attempts >= wanted || state_->ended; });
  return state_->attempts >= wanted && state_->last_succeeded;
}

GpuFacts SamplingThread::stop() {
  const std::shared_ptr<State> state = std::exchange(state_, nullptr);
  std::unique_lock lock(state->mutex);
  state->stopping = true;
  if (state->source != nullptr) state->source->cancel();
  state->changed.notify_all();
  const bool ended = state->changed.wait_for(lock, stop_timeout, [&] { return state->ended; });
  GpuFacts facts = state->facts;
  lock.unlock();
  if (ended) {
    state->thread.join();
  } else {
    state->thread.detach();
    facts.warnings.emplace_back("the GPU driver did not answer at the end of the run; the last samples are missing");
  }
  return facts;
}

}  // namespace frx::capture
