#include "capture/signals.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <mutex>

namespace frx::capture {
namespace {

constexpr std::array forwarded = {SIGINT, SIGTERM, SIGHUP};

struct Slot {
  std::atomic<pid_t> target{0};  // > 0 a process, < 0 a group, 0 nobody yet
  std::atomic<int> received{0};
  std::atomic<int> interrupts{0};
  bool taken = false;  // under `guard`
};

std::array<Slot, 32> slots;
std::mutex guard;
int users = 0;
std::array<struct sigaction, forwarded.size()> before;

// Async-signal-safe: atomics and kill() only.
void forward(int signal, siginfo_t* info, void*) {
  for (Slot& slot : slots) {
    slot.received.store(signal);
    if (signal == SIGINT) slot.interrupts.fetch_add(1);
    const pid_t target = slot.target.load();
    if (target == 0) continue;
    const bool typed = info != nullptr && info->si_code == SI_KERNEL;
    if (target < 0 || !typed) ::kill(target, signal);
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
  if (slot_ >= 0) {  // beyond 32 children at once, one simply is not told
    slots[static_cast<std::size_t>(slot_)].taken = true;
    slots[static_cast<std::size_t>(slot_)].received = 0;
    slots[static_cast<std::size_t>(slot_)].interrupts = 0;
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
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].target = own_group ? -child : child;
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
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace frx::capture
