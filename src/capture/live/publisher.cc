#include "capture/live/publisher.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/memory_budget.h"
#include "base/safe_text.h"
#include "base/text.h"
#include "capture/live/otlp.h"
#include "capture/live/textfile.h"

namespace frx::capture {
namespace {

using SteadyClock = std::chrono::steady_clock;
// How long the end waits for a file system that hangs, or for events that are still being read.
constexpr std::chrono::seconds finish_timeout{2};

// node_exporter reads files of this ending alone; and nothing else is replaced by mistake.
Result<> check_metrics_file(const std::string& path) {
  if (path.empty()) return {};
  if (!path.ends_with(".prom") || file_name_in(path) == ".prom")
    return fail(ErrorKind::usage, "expected a name that ends in .prom, found '{}'", printable(shorten(path, 120))).at("--metrics-file");
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return fail(ErrorKind::usage, "this is no regular file").at(path);
  TRY(OutputFile::create(path));  // without a commit it leaves nothing behind
  return {};
}

}  // namespace

// Shared with the thread, which may outlive its owner when a file system hangs.
struct LivePublisher::State {
  LiveRequest request;
  std::chrono::milliseconds samples_are_old{};
  std::thread thread;

  // Of the thread alone.
  StepTail tail{""};
  RunState run;
  std::optional<OtlpSender> otlp;  // also of the owner, once the thread has stopped

  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;  // the rest under `mutex`
  bool stopped = false;
  std::optional<std::pair<int, std::int64_t>> end;  // exit code and time
  std::vector<GpuSample> gpus;
  SteadyClock::time_point gpus_at;
  std::uint64_t gpu_rounds = 0;
  std::uint64_t files = 0, files_failed = 0;
  std::string why_file_failed;
  std::uint64_t moments_failed = 0;  // of which nothing, or not all, was published
  std::string why_moment_failed;

  // Asks the thread to publish the end, if there is one, and to stop; it is left behind where that takes too long. Whether it has stopped.
  bool stop(std::unique_lock<std::mutex>& lock);
  void work();
  void publish();
  void take_latest();
  void write_textfile();
};

void LivePublisher::State::take_latest() {
  follow_steps(tail, run);
  const std::lock_guard lock(mutex);
  run.now_ns = unix_now_ns();
  run.gpu_rounds = gpu_rounds;
  const bool are_gone = end || SteadyClock::now() - gpus_at > samples_are_old;
  run.gpus = are_gone ? std::vector<GpuSample>() : gpus;
  if (!end) return;
  run.exit_code = end->first;
  run.ended_ns = end->second;
}

void LivePublisher::State::write_textfile() {
  if (request.metrics_file.empty()) return;
  const Result<> written = write_file(request.metrics_file, textfile_of(run));
  const std::lock_guard lock(mutex);
  ++files;
  if (written) return;
  if (files_failed++ == 0) why_file_failed = to_string(written.error());
}

void LivePublisher::State::publish() {
  take_latest();
  write_textfile();
  if (otlp) otlp->add(otlp_request_of(run));
}

// On a fixed schedule; what takes longer than the interval leaves moments out.
void LivePublisher::State::work() {
  SteadyClock::time_point next = SteadyClock::now();
  bool is_last = false, is_wanted = true;  // a run that never began has no end to publish
  while (is_wanted) {
    const Result<> done = without_exceptions([this] { return publish(), Result<>(); });
    std::unique_lock lock(mutex);
    if (!done) {
      ++moments_failed;
      why_moment_failed = done.error().message;
    }
    if (is_last) break;
    next = std::max(next + request.interval, SteadyClock::now());
    is_last = changed.wait_until(lock, next, [this] { return stopping; });
    is_wanted = !is_last || end;
  }
  const std::lock_guard lock(mutex);
  stopped = true;
  changed.notify_all();
}

bool LivePublisher::State::stop(std::unique_lock<std::mutex>& lock) {
  stopping = true;
  changed.notify_all();
  const bool has_stopped = changed.wait_for(lock, finish_timeout, [this] { return stopped; });
  lock.unlock();  // which the thread may still hold
  if (has_stopped) {
    thread.join();
  } else {
    thread.detach();
  }
  lock.lock();
  return has_stopped;
}

Result<LivePublisher> LivePublisher::start(const LiveRequest& request, LiveRun run, const Host& host) {
  TRY(check_metrics_file(request.metrics_file));
  auto state = std::make_shared<State>();
  if (!request.otlp.empty()) {
    TRY_ASSIGN(OtlpTarget target, otlp_target(request.otlp, host));
    TRY_ASSIGN(OtlpSender sender, OtlpSender::start(std::move(target)));
    state->otlp.emplace(std::move(sender));
  }
  state->request = request;
  state->samples_are_old = std::max<std::chrono::milliseconds>(3 * run.sample_interval, std::chrono::seconds(5));
  state->tail = StepTail(run.trace_path);
  state->run.names = std::move(run.names);
  state->run.started_ns = unix_now_ns();
  state->thread = std::thread([state] { state->work(); });
  return LivePublisher(std::move(state));
}

LivePublisher::LivePublisher(LivePublisher&&) noexcept = default;

LivePublisher::~LivePublisher() {
  if (!state_) return;
  const std::string path = state_->request.metrics_file;
  std::unique_lock lock(state_->mutex);
  state_->stop(lock);
  if (state_->files > state_->files_failed && !path.empty()) ::unlink(path.c_str());
}

std::function<void(const std::vector<GpuSample>&)> LivePublisher::gpu_samples() const {
  return [state = state_](const std::vector<GpuSample>& samples) {
    const std::lock_guard lock(state->mutex);
    state->gpus = samples;
    state->gpus_at = SteadyClock::now();
    ++state->gpu_rounds;
  };
}

std::vector<std::string> LivePublisher::finish(int exit_code) {
  const std::shared_ptr<State> state = std::exchange(state_, nullptr);
  std::unique_lock lock(state->mutex);
  state->end = {exit_code, unix_now_ns()};
  const bool stopped = state->stop(lock);
  std::vector<std::string> warnings;
  if (state->files_failed > 0)
    warnings.push_back(fmt::format("--metrics-file: {} of {} times it could not be written: {}", state->files_failed, state->files,
                                   state->why_file_failed));
  if (state->moments_failed > 0)
    warnings.push_back(fmt::format("{} times metrics were not published: {}", state->moments_failed, state->why_moment_failed));
  if (!stopped) warnings.emplace_back("publishing metrics takes longer than two seconds; that the run has ended was not published");
  if (!stopped || !state->otlp) return warnings;
  lock.unlock();
  for (std::string& warning : state->otlp->finish()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace frx::capture
