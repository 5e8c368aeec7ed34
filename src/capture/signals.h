// While children run, SIGINT, SIGTERM and SIGHUP are for them: the handler passes them on.
#pragma once

#include <sys/types.h>

namespace frx::capture {

// Passes signals on to one child while it lives. Several may exist at once, on several threads.
class SignalForwarding {
 public:
  // Blocks the signals until watch() or the end, so that none is lost between fork and watch.
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  // `own_group`: the child leads a process group. Otherwise it shares ours, and signals typed at the terminal reach it directly.
  void watch(pid_t child, bool own_group);
  // There is no child: signals are only stored, during work that must not be interrupted.
  void swallow();
  // Call it before the child is reaped: its number may be another process's afterwards.
  void forget();
  int received() const;
  // How often SIGINT came: the second one is meant to kill.
  int interrupts() const;

  // Call it in the child before exec: it must not inherit our handlers and masks.
  static void reset_in_child();

 private:
  int slot_ = -1;
};

}  // namespace frx::capture
