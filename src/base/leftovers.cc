#include "base/leftovers.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/directory_entries.h"

namespace frx {
namespace {

constexpr std::array ending = {SIGINT, SIGTERM, SIGHUP};
constexpr int deepest = 16;

// The one that takes a path out of its slot owns it: the object that noted it, or the handler.
std::array<std::atomic<char*>, 64> noted;
// Of each slot, the process that noted it: a copy of that process which a signal ends, before it becomes another program, removes nothing.
std::array<std::atomic<pid_t>, 64> owner;

// What follows runs in a signal handler: system calls and the stack only.

void remove_all_in(int folder, int depth);

void remove_entry(int folder, const char* name, int depth) {
  if (::unlinkat(folder, name, 0) == 0 || depth == 0) return;
  const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return;
  remove_all_in(inner, depth - 1);
  ::close(inner);
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

void remove_all_in(int folder, int depth) {
  alignas(8) std::array<char, 2048> entries;
  for_each_entry(folder, entries, [&](const char* name) {
    if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) remove_entry(folder, name, depth);
  });
}

void remove_noted_and_end(int signal) {
  const pid_t self = ::getpid();
  for (std::size_t i = 0; i < noted.size(); ++i) {
    if (owner[i] != self) continue;
    if (const char* path = noted[i].exchange(nullptr)) remove_entry(AT_FDCWD, path, deepest);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // waits until the handler has returned
}

sigset_t ending_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : ending) sigaddset(&set, signal);
  return set;
}

}  // namespace

Leftover::Leftover(const std::string& path) {
  path_ = ::strdup(path.c_str());
  for (std::size_t i = 0; path_ != nullptr && i < noted.size(); ++i) {
    char* free_slot = nullptr;
    if (!noted[i].compare_exchange_strong(free_slot, path_)) continue;
    owner[i] = ::getpid();
    slot_ = static_cast<int>(i);
    return;
  }
  std::free(std::exchange(path_, nullptr));
}

Leftover::Leftover(Leftover&& other) noexcept : slot_(std::exchange(other.slot_, -1)), path_(std::exchange(other.path_, nullptr)) {}

Leftover& Leftover::operator=(Leftover&& other) noexcept {
  std::swap(slot_, other.slot_);
  std::swap(path_, other.path_);
  return *this;
}

void Leftover::forget() {
  if (slot_ < 0) return;
  char* ours = path_;
  if (noted[static_cast<std::size_t>(slot_)].compare_exchange_strong(ours, nullptr)) std::free(path_);
  slot_ = -1;
  path_ = nullptr;
}

void remove_tree(const char* path) { remove_entry(AT_FDCWD, path, deepest); }

void Leftover::remove_on_signals() {
  struct sigaction action {};
  action.sa_handler = remove_noted_and_end;
  action.sa_mask = ending_set();  // one of them at a time
  for (const int signal : ending) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

SignalsHeld::SignalsHeld() {
  const sigset_t set = ending_set();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace frx
