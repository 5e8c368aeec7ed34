#include "capture/signals.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <mutex>

namespace frx::capture {
namespace {

constexpr std::array forwarded = {SIGINT, SIGTERM, SIGHUP};

struct Slot {
  std::atomic<pid_t> target{0};  // > 0 a process, < 0 a group, 0 none yet
  std::atomic<int> received{0};
  std::atomic<int> interrupts{0};
  std::atomic<int> undelivered{0};  // negative: typed at the terminal
  bool taken = false;               // under `guard`
};

std::array<Slot, 32> slots;
std::mutex guard;
int users = 0;
std::array<struct sigaction, forwarded.size()> before;

// The handler and watch() both try; the one that takes the signal passes it on. Async-signal-safe: atomics and kill() only.
void deliver(Slot& slot) {
  const pid_t target = slot.target.load();
  if (target == 0) return;
  const int signal = slot.undelivered.exchange(0);
  if (signal != 0 && (target < 0 || signal > 0)) ::kill(target, signal < 0 ? -signal : signal);
}

void forward(int signal, siginfo_t* info, void*) {
  const bool typed = info != nullptr && info->si_code == SI_KERNEL;
  for (Slot& slot : slots) {
    slot.received.store(signal);
    if (signal == SIGINT) slot.interrupts.fetch_add(1);
    slot.undelivered.store(typed ? -signal : signal);
    deliver(slot);
  }
}

sigset_t forwarded_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : forwarded) sigaddset(&set, signal);
  return set;
}

void install() {
  for (std::size_t i = 0; i < forwarded.size(); ++i) {
    struct sigaction action {};
    ::sigaction(forwarded[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;  // nohup, or a background job: stays ignored
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(forwarded[i], &action, nullptr);
  }
}

void uninstall() {
  for (std::size_t i = 0; i < forwarded.size(); ++i) ::sigaction(forwarded[i], &before[i], nullptr);
}

void mask(int how) {
  const sigset_t set = forwarded_set();
  ::pthread_sigmask(how, &set, nullptr);
}

}  // namespace

SignalForwarding::SignalForwarding() {
  const std::lock_guard lock(guard);
  if (users++ == 0) install();
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    if (!slots[i].taken) slot_ = static_cast<int>(i);
  }
  if (slot_ >= 0) {  // beyond 32 children at once, one does not receive signals
    slots[static_cast<std::size_t>(slot_)].taken = true;
    slots[static_cast<std::size_t>(slot_)].received = 0;
    slots[static_cast<std::size_t>(slot_)].interrupts = 0;
    slots[static_cast<std::size_t>(slot_)].undelivered = 0;
  }
  mask(SIG_BLOCK);
}

SignalForwarding::~SignalForwarding() {
  forget();
  mask(SIG_UNBLOCK);
  const std::lock_guard lock(guard);
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].taken = false;
  if (--users == 0) uninstall();
}

void SignalForwarding::watch(pid_t child, bool own_group) {
  if (slot_ >= 0) {
    Slot& slot = slots[static_cast<std::size_t>(slot_)];
    slot.target = own_group ? -child : child;
    deliver(slot);  // for a signal that another thread, where nothing is blocked, took before there was a child
  }
  mask(SIG_UNBLOCK);
}

void SignalForwarding::swallow() { watch(0, false); }

void SignalForwarding::forget() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].target = 0;
}

int SignalForwarding::received() const { return slot_ >= 0 ? slots[static_cast<std::size_t>(slot_)].received.load() : 0; }

int SignalForwarding::interrupts() const { return slot_ >= 0 ? slots[static_cast<std::size_t>(slot_)].interrupts.load() : 0; }

void SignalForwarding::reset_in_child() {
  ::signal(SIGPIPE, SIG_DFL);  // main ignores it, and ignoring would survive exec
  // Our handler would swallow signals before exec. Ignored signals stay ignored.
  for (const int signal : forwarded) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace frx::capture
