#include "capture/death_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/directory_entries.h"
#include "capture/descendants.h"

namespace frx::capture {
namespace {

// What follows runs between fork and _exit in a program that has other threads: system calls and static memory only.

constexpr std::size_t longest_mark = 256;
constexpr int ticks_of_grace = 20;  // of 50 ms, between SIGTERM and SIGKILL

struct Watched {
  std::int32_t target = 0;  // > 0 a process, < 0 a group
  std::array<char, longest_mark + 2> mark{};
  std::size_t mark_size = 0;  // with a zero byte before and after it
};

void wait_a_tick() {
  const timespec tick{0, 50'000'000};
  ::nanosleep(&tick, nullptr);
}

// Whether the environment of a process has the mark. It is read in pieces that overlap by the length of the mark.
bool is_marked(const char* number, const Watched& watched) {
  static std::array<char, 65536> buffer;
  std::array<char, 64> path{};
  std::strcpy(path.data(), "/proc/");
  std::strncat(path.data(), number, 20);
  std::strcat(path.data(), "/environ");
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::size_t held = 1;
  buffer[0] = '\0';  // the first variable has no zero byte before it
  bool found = false;
  while (!found) {
    const ssize_t got = ::read(file, buffer.data() + held, buffer.size() - held);
    if (got <= 0) break;
    held += static_cast<std::size_t>(got);
    found = ::memmem(buffer.data(), held, watched.mark.data(), watched.mark_size) != nullptr;
    const std::size_t keep = std::min(held, watched.mark_size);
    std::memmove(buffer.data(), buffer.data() + held - keep, keep);
    held = keep;
  }
  ::close(file);
  return found;
}

// Kills every process that has the mark; false when there was none.
bool kill_marked(const Watched& watched) {
  alignas(8) static std::array<char, 32768> entries;
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  bool any = false;
  for_each_entry(folder, entries, [&](const char* name) {
    std::int32_t pid = 0;
    for (const char* digit = name; *digit >= '0' && *digit <= '9'; ++digit) pid = pid * 10 + (*digit - '0');
    if (pid > 1 && pid != ::getpid() && is_marked(name, watched)) any = ::kill(pid, SIGKILL) == 0 || any;
  });
  ::close(folder);
  return any;
}

void end_all_of(const Watched& watched) {
  if (watched.target == 0) return;
  ::kill(watched.target, SIGTERM);
  ::kill(watched.target, SIGCONT);
  for (int i = 0; i < ticks_of_grace && ::kill(watched.target, 0) == 0; ++i) wait_a_tick();
  ::kill(watched.target, SIGKILL);
  if (watched.mark_size == 0) return;
  for (int generation = 0; generation < 8 && kill_marked(watched); ++generation) wait_a_tick();
}

[[noreturn]] void watch_from(int from, Watched watched) {
  ::setsid();  // what is typed at the terminal is not for it; fails where it leads a group already, which is as good
  [[maybe_unused]] const int root = ::chdir("/");
  ::dup2(from, 0);
  // It must keep no pipe open.
  if (::syscall(SYS_close_range, 1u, UINT_MAX, 0u) != 0) {
    for (int i = 1; i < 4096; ++i) ::close(i);
  }
  std::int32_t message = 0;
  while (true) {
    const ssize_t got = ::read(0, &message, sizeof message);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof message)) break;
    if (message == 0) ::_exit(0);
    watched.target = message;
  }
  end_all_of(watched);
  ::_exit(0);
}

}  // namespace

void DeathWatch::start(std::string_view mark) {
  Watched watched;
  if (!mark.empty() && mark.size() <= longest_mark) {
    mark.copy(watched.mark.data() + 1, mark.size());
    watched.mark_size = mark.size() + 2;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;  // a pipe would answer with SIGPIPE
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // our handlers must not run in it
  pid_ = ::fork();
  if (pid_ == 0) watch_from(ends[0], watched);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(ends[0]);
  to_ = ends[1];
  if (pid_ < 0) {
    ::close(std::exchange(to_, -1));
  } else {
    ::setpgid(pid_, pid_);  // before anything is started: who kills our group must not kill it, too
    OwnChildren::add(pid_);
  }
}

void DeathWatch::leave(bool done) {
  if (pid_ < 0) return;
  const std::int32_t message = 0;
  if (done) {
    [[maybe_unused]] const ssize_t told = ::send(to_, &message, sizeof message, MSG_NOSIGNAL);
  }
  ::close(std::exchange(to_, -1));
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  OwnChildren::remove(std::exchange(pid_, -1));
}

void DeathWatch::tell_from_child(bool leads_a_group) const {
  if (to_ < 0) return;
  const std::int32_t own = static_cast<std::int32_t>(::getpid());
  const std::int32_t message = leads_a_group ? -own : own;
  [[maybe_unused]] const ssize_t told = ::send(to_, &message, sizeof message, MSG_NOSIGNAL);
}

}  // namespace frx::capture
