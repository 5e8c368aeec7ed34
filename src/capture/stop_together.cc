#include "capture/stop_together.h"

namespace frx::capture {
namespace {

volatile sig_atomic_t asked_to_stop = 0;

}  // namespace

StopTogether::StopTogether() {
  asked_to_stop = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_stop = 1; };
  ::sigaction(SIGTSTP, nullptr, &before_);
  if (before_.sa_handler == SIG_DFL) ::sigaction(SIGTSTP, &action, nullptr);
}

StopTogether::~StopTogether() { ::sigaction(SIGTSTP, &before_, nullptr); }

std::chrono::nanoseconds StopTogether::check(const std::function<void()>& stop, const std::function<void()>& go_on) {
  if (asked_to_stop == 0) return std::chrono::nanoseconds(0);
  asked_to_stop = 0;
  const auto before = std::chrono::steady_clock::now();
  stop();
  ::raise(SIGSTOP);
  go_on();
  return std::chrono::steady_clock::now() - before;
}

}  // namespace frx::capture
