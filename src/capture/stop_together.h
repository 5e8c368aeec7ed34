// Ctrl-Z reaches this process, not a program that has a session of its own: both stop, and both continue together.
#pragma once

#include <signal.h>

#include <chrono>
#include <functional>

namespace frx::capture {

// While it lives, Ctrl-Z is only noted. One at a time.
class StopTogether {
 public:
  StopTogether();
  ~StopTogether();
  StopTogether(const StopTogether&) = delete;
  StopTogether& operator=(const StopTogether&) = delete;

  // Where Ctrl-Z was typed: stops the program by stop(), then this process, and continues the program by go_on(). How long that took; 0
  // where it was not typed.
  static std::chrono::nanoseconds check(const std::function<void()>& stop, const std::function<void()>& go_on);

 private:
  struct sigaction before_ {};
};

}  // namespace frx::capture
