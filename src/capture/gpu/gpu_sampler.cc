#include "capture/gpu/gpu_sampler.h"

#include <fcntl.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/memory_budget.h"
#include "capture/gpu/nvidia_smi.h"
#include "capture/gpu/nvml.h"
#include "capture/spawn.h"

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
  if (!library.empty() || host.exists("/dev/nvidiactl") || host.exists("/dev/dxg")) {
    Result<std::unique_ptr<GpuSource>> nvml = open_nvml(library);
    if (nvml && !(*nvml)->gpus().empty()) return nvml;
    why = nvml ? "NVML shows no GPU" : nvml.error().message;
  }
  Result<std::unique_ptr<GpuSource>> command = open_nvidia_smi(host, interval);
  if (command) return command;
  if (host.program("nvidia-smi")) why += "; " + command.error().message;
  return fail(ErrorKind::environment, "{}", why);
}

// Shared with the thread, which may outlive the sampler when the driver hangs.
struct GpuSampler::State {
  GpuSamplerOptions options;
  const Host* host = nullptr;
  Fd file;
  std::thread thread;

  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;  // the rest under `mutex`
  bool ended = false;
  GpuSource* source = nullptr;  // while it can be cancelled
  GpuFacts facts;

  class Cancellable;

  void run();
  void open_and_sample();
  void sample(GpuSource& from, const std::vector<unsigned>& indices);
  bool write(const std::vector<GpuSample>& samples);
  void note_failure(int failures, const std::string& why);
  void warn(std::string text) {
    const std::lock_guard lock(mutex);
    facts.warnings.push_back(std::move(text));
  }
  // False when it is time to stop.
  bool wait_until(Clock::time_point when) {
    std::unique_lock lock(mutex);
    return !changed.wait_until(lock, when, [&] { return stopping; });
  }
  std::vector<unsigned> choose(const GpuSource& from);
};

// The source is ours to cancel while it is there.
class GpuSampler::State::Cancellable {
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

std::vector<unsigned> GpuSampler::State::choose(const GpuSource& from) {
  const VisibleGpus visible =
      visible_gpus(from.gpus(), host->variable("CUDA_VISIBLE_DEVICES"), host->variable("CUDA_DEVICE_ORDER").value_or(""));
  if (!visible.doubt.empty()) warn(visible.doubt);
  if (visible.indices.empty()) warn("CUDA_VISIBLE_DEVICES names no GPU of this machine: no GPU is sampled");
  const std::lock_guard lock(mutex);
  facts.source = from.name();
  facts.driver = from.driver();
  for (const GpuIdentity& gpu : from.gpus()) {
    if (std::binary_search(visible.indices.begin(), visible.indices.end(), gpu.index)) facts.gpus.push_back(gpu);
  }
  return visible.indices;
}

void GpuSampler::State::run() {
  if (const Result<> done = without_exceptions([this] { return open_and_sample(), Result<>(); }); !done)
    warn("no more GPU metrics: " + done.error().message);
  const std::lock_guard lock(mutex);
  ended = true;
  changed.notify_all();
}

void GpuSampler::State::open_and_sample() {
  Result<std::unique_ptr<GpuSource>> opened = open_gpu_source(*host, options.interval);
  if (!opened) {
    warn("no GPU metrics: " + opened.error().message);
  } else if (const std::vector<unsigned> indices = choose(**opened); !indices.empty()) {
    const Cancellable cancellable(*this, opened->get());
    sample(**opened, indices);
  }
}

// On a fixed schedule, so that the delays of slow samples do not add up.
void GpuSampler::State::sample(GpuSource& from, const std::vector<unsigned>& indices) {
  Clock::time_point next = Clock::now();
  int failures = 0;
  while (wait_until(from.keeps_time() && failures == 0 ? Clock::now() : next)) {
    const Result<std::vector<GpuSample>> samples = from.sample(indices);
    if (samples && !write(*samples)) return;
    failures = samples ? 0 : failures + 1;
    {
      const std::lock_guard lock(mutex);
      if (stopping) return;
    }
    if (!samples) note_failure(failures, samples.error().message);
    next = std::max(next + options.interval, Clock::now());
    if (failures >= many_failures) next = std::max(next, Clock::now() + after_failures);
  }
}

void GpuSampler::State::note_failure(int failures, const std::string& why) {
  if (failures == 1) warn("a GPU sample failed: " + why);
  if (failures == many_failures) warn(fmt::format("{} GPU samples in a row failed; it is tried again more slowly: {}", failures, why));
}

bool GpuSampler::State::write(const std::vector<GpuSample>& samples) {
  const std::string now = utc_now();
  const std::int64_t monotonic = monotonic_now_ns();
  std::string lines;
  for (const GpuSample& one : samples) lines += gpu_metrics_line(one, now, monotonic);
  std::string_view rest = lines;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(file.get(), rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      warn(fmt::format("GPU samples cannot be written any more: {}", std::strerror(errno)));
      return false;
    }
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  const std::lock_guard lock(mutex);
  ++facts.rounds;
  return true;
}

Result<GpuSampler> GpuSampler::start(const GpuSamplerOptions& options, const Host& host) {
  auto state = std::make_shared<State>();
  state->options = options;
  state->options.interval = std::max(options.interval, shortest_interval);
  state->host = &host;
  state->file = Fd(::open(options.csv_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string header = gpu_metrics_header();
  if (!state->file || ::write(state->file.get(), header.data(), header.size()) != static_cast<ssize_t>(header.size())) {
    return fail(ErrorKind::unreadable, "cannot write: {}", std::strerror(errno)).at(options.csv_path);
  }
  state->thread = std::thread([state] { state->run(); });
  return GpuSampler(std::move(state));
}

GpuSampler::GpuSampler(GpuSampler&&) noexcept = default;

GpuSampler::~GpuSampler() {
  if (state_) stop();
}

GpuFacts GpuSampler::stop() {
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
