// Delivers requests beside the run: busy collectors are asked again later, and what cannot be delivered is counted.

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/memory_budget.h"
#include "base/safe_text.h"
#include "base/text.h"
#include "capture/live/otlp.h"
#include "http/post.h"

namespace frx::capture {
namespace {

using std::chrono::milliseconds;
constexpr std::size_t most_waiting = 60;
constexpr milliseconds first_pause{1000}, longest_pause{30'000}, last_pause{250};
constexpr milliseconds otlp_time_limit{10'000};
constexpr std::chrono::seconds last_deliveries{2};
constexpr milliseconds cancel_timeout{1500};  // libcurl looks about once a second

// What a collector refused of a request that it took (ExportMetricsPartialSuccess); a 64-bit integer may be text.
std::uint64_t refused_points(const std::string& body) {
  const nlohmann::json answer = nlohmann::json::parse(body, nullptr, false);
  if (!answer.is_object() || !answer.contains("partialSuccess") || !answer["partialSuccess"].is_object()) return 0;
  const nlohmann::json& part = answer["partialSuccess"];
  if (!part.contains("rejectedDataPoints")) return 0;
  const nlohmann::json& count = part["rejectedDataPoints"];
  if (count.is_number_unsigned()) return count.get<std::uint64_t>();
  std::uint64_t number = 0;
  if (count.is_string()) {
    const auto& text = count.get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

}  // namespace

// Shared with the thread, which may outlive its owner where the name of the collector is being looked up.
struct OtlpSender::State {
  OtlpTarget target;
  http::CurlFunctions curl{};
  std::thread thread;
  std::atomic<bool> is_cancelled{false};

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> waiting;  // the rest under `mutex`
  bool stopping = false, stopped = false;
  std::uint64_t added = 0, delivered = 0, points_refused = 0;
  std::string why;  // the last thing that went wrong

  enum class Outcome { done, refused, busy, unreachable };
  Outcome send(const std::string& request, milliseconds& asked_pause);
  void deliver(const std::string& request);
  void work();
  void note(std::string text) {
    const std::lock_guard lock(mutex);
    why = std::move(text);
  }
};

OtlpSender::State::Outcome OtlpSender::State::send(const std::string& request, milliseconds& asked_pause) {
  http::HttpPost post{
      .url = target.url, .headers = target.headers, .body = request, .time_limit = otlp_time_limit, .is_cancelled = &is_cancelled};
  post.headers.emplace_back("Content-Type: application/json");
  const Result<http::HttpAnswer> answer = http::post_by_http(curl, post);
  if (!answer) {
    note(answer.error().message);
    return Outcome::unreachable;
  }
  if (answer->status >= 200 && answer->status < 300) {
    const std::uint64_t refused = refused_points(answer->body);
    const std::lock_guard lock(mutex);
    points_refused += refused;
    return Outcome::done;
  }
  constexpr long long longest_asked_s = 60;
  asked_pause = std::chrono::seconds(std::clamp<long long>(answer->retry_after_s, 0, longest_asked_s));
  note(fmt::format("the endpoint answers with status {}", answer->status));
  const long status = answer->status;
  return status == 429 || status == 502 || status == 503 || status == 504 ? Outcome::busy : Outcome::refused;
}

// Once the run has ended, a busy collector is asked until the time is over, and one that does not answer at all once more.
void OtlpSender::State::deliver(const std::string& request) {
  milliseconds pause = first_pause;
  while (true) {
    milliseconds asked_pause{0};
    std::unique_lock lock(mutex);
    const bool is_last_try = stopping;
    lock.unlock();
    const Outcome outcome = send(request, asked_pause);
    lock.lock();
    if (outcome == Outcome::done) ++delivered;
    if (outcome == Outcome::done || outcome == Outcome::refused || is_cancelled) return;
    if (is_last_try && outcome == Outcome::unreachable) {
      waiting.clear();  // they would not be delivered either
      return;
    }
    if (is_last_try) {
      changed.wait_for(lock, last_pause, [this] { return is_cancelled.load(); });
    } else {
      changed.wait_for(lock, std::max(pause, asked_pause), [this] { return stopping; });
    }
    pause = std::min(2 * pause, longest_pause);
  }
}

void OtlpSender::State::work() {
  while (true) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return stopping || !waiting.empty(); });
    if (waiting.empty() || is_cancelled) break;
    const std::string request = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    if (const Result<> done = without_exceptions([&] { return deliver(request), Result<>(); }); !done) note(done.error().message);
  }
  const std::lock_guard lock(mutex);
  stopped = true;
  changed.notify_all();
}

Result<OtlpSender> OtlpSender::start(OtlpTarget target) {
  TRY_ASSIGN(const http::CurlFunctions curl, http::load_curl());
  auto state = std::make_shared<State>();
  state->target = std::move(target);
  state->curl = curl;
  state->thread = std::thread([state] { state->work(); });
  return OtlpSender(std::move(state));
}

OtlpSender::OtlpSender(OtlpSender&&) noexcept = default;

OtlpSender::~OtlpSender() {
  if (!state_) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->waiting.clear();
    state_->is_cancelled = true;
  }
  finish();
}

void OtlpSender::add(std::string request) {
  const std::lock_guard lock(state_->mutex);
  ++state_->added;
  if (state_->waiting.size() >= most_waiting) state_->waiting.pop_front();
  state_->waiting.push_back(std::move(request));
  state_->changed.notify_all();
}

std::vector<std::string> OtlpSender::finish() {
  const std::shared_ptr<State> state = std::exchange(state_, nullptr);
  std::unique_lock lock(state->mutex);
  state->stopping = true;
  state->changed.notify_all();
  const auto has_stopped = [&] { return state->stopped; };
  bool stopped = state->changed.wait_for(lock, last_deliveries, has_stopped);
  if (!stopped) {
    if (state->why.empty()) state->why = "no answer in time";
    state->is_cancelled = true;
    state->changed.notify_all();
    stopped = state->changed.wait_for(lock, cancel_timeout, has_stopped);
  }
  std::vector<std::string> warnings;
  const std::string place = http::shown_url(state->target.url);
  if (state->delivered < state->added) {
    warnings.push_back(fmt::format("--otlp: {} of {} exports were not delivered to {}: {}", state->added - state->delivered, state->added,
                                   place, state->why.empty() ? "more of them waited than are kept" : state->why));
  }
  if (state->points_refused > 0) warnings.push_back(fmt::format("--otlp: {} refused {} data points", place, state->points_refused));
  lock.unlock();
  if (stopped) {
    state->thread.join();
  } else {
    state->thread.detach();
  }
  return warnings;
}

}  // namespace frx::capture
