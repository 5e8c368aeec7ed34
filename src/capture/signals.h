// While children run, SIGINT, SIGTERM and SIGHUP are theirs: the handler passes them on.
#pragma once

#include <sys/types.h>

namespace frx::capture {

// Passes signals on to one child while it lives. Several may exist at once, on several threads.
class SignalForwarding {
 public:
  // Blocks the signals until watch() or the end, so that none falls between fork and watch.
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  // `own_group`: the child leads a process group. Otherwise it shares ours, and what is typed at the
  // terminal reaches it without us.
  void watch(pid_t child, bool own_group);
  // There is no child: signals are only remembered, while what must not be cut short is done.
  void swallow();
  // Before the child is reaped: its number may be another process's afterwards.
  void forget();
  int received() const;
  // How often SIGINT came: who asks twice means it.
  int interrupts() const;

  // What the child has to do before exec: handlers and masks of ours are not its business.
  static void reset_in_child();

 private:
  int slot_ = -1;
};

}  // namespace frx::capture
