#include "capture/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "capture/descendants.h"
#include "capture/keeper.h"

extern char** environ;

namespace frx::capture {
namespace {

// Everything the child needs, prepared before fork: after it only async-signal-safe calls are allowed.
struct Prepared {
  std::vector<char*> argv;
  std::vector<std::string> owned;
  std::vector<char*> envp;
  const char* directory = nullptr;
  SpawnRequest::Group group = SpawnRequest::Group::own;
  int in = -1, out = -1, err = -1;
  rlim_t memory_limit = RLIM_INFINITY;
  const DeathWatch* watch = nullptr;
  int report = -1;  // where the reason is written when exec failed
};

bool overrides(const SpawnRequest& request, const char* variable) {
  for (const auto& [name, value] : request.environment) {
    if (std::strncmp(variable, name.c_str(), name.size()) == 0 && variable[name.size()] == '=') return true;
  }
  return false;
}

void prepare(const SpawnRequest& request, Prepared& child) {
  for (const std::string& argument : request.argv) child.argv.push_back(const_cast<char*>(argument.c_str()));
  child.argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!overrides(request, *variable)) child.envp.push_back(*variable);
  }
  child.owned.reserve(request.environment.size());
  for (const auto& [name, value] : request.environment) {
    child.owned.push_back(name + "=" + value);
    child.envp.push_back(child.owned.back().data());
  }
  child.envp.push_back(nullptr);
  if (!request.directory.empty()) child.directory = request.directory.c_str();
  child.group = request.group;
  child.in = request.in;
  child.out = request.out;
  child.err = request.err;
  if (request.memory_limit > 0) child.memory_limit = request.memory_limit;
}

void limit_memory(rlim_t bytes) {
  rlimit limit{};
  if (bytes == RLIM_INFINITY || ::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, bytes);
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void become(const Prepared& child) {
  SpawnFailure failure;
  if (child.group == SpawnRequest::Group::own) ::setpgid(0, 0);
  if (child.group == SpawnRequest::Group::own_session) ::setsid();
  child.watch->tell_from_child(child.group != SpawnRequest::Group::ours);
  SignalForwarding::reset_in_child();
  limit_memory(child.memory_limit);
  if (child.in >= 0) ::dup2(child.in, 0);
  if (child.out >= 0) ::dup2(child.out, 1);
  if (child.err >= 0) ::dup2(child.err, 2);
  if (child.directory != nullptr && ::chdir(child.directory) != 0) {
    failure = {errno, SpawnFailure::Step::enter};
  } else {
    ::execvpe(child.argv[0], child.argv.data(), child.envp.data());
    failure.error = errno;
  }
  [[maybe_unused]] const ssize_t told = ::write(child.report, &failure, sizeof failure);
  ::_exit(127);
}

void become_prepared(const void* child) { become(*static_cast<const Prepared*>(child)); }

std::optional<SpawnFailure> spawn_failure(const Fd& report) {
  SpawnFailure failure;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof failure) ? std::optional(failure) : std::nullopt;
}

// Without the memory for its number there is no child.
void note(pid_t pid) {
  try {
    OwnChildren::add(pid);
  } catch (...) {
    ::kill(pid, SIGKILL);
    reap(pid);
    throw;
  }
}

Failure not_started(const SpawnFailure& failure, const SpawnRequest& request) {
  const std::string why = std::strerror(failure.error);
  switch (failure.step) {
    case SpawnFailure::Step::enter: return fail(ErrorKind::environment, "cannot enter it: {}", why).at(request.directory);
    case SpawnFailure::Step::fork: return fail(ErrorKind::environment, "cannot start a process: {}", why);
    case SpawnFailure::Step::run: break;
  }
  return fail(ErrorKind::environment, "cannot run it: {}", why).at(request.argv[0]);
}

}  // namespace

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::environment, "cannot make a pipe: {}", std::strerror(errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

Fd end_of(pid_t pid) {
#ifdef SYS_pidfd_open
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  return Fd();
#endif
}

std::pair<int, int> reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  OwnChildren::remove(pid);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

Result<pid_t> spawn(const SpawnRequest& request, SignalForwarding& forwarding, DeathWatch& watch) {
  if (request.argv.empty()) return fail(ErrorKind::usage, "expected a program to run, found nothing");
  Prepared prepared;
  prepare(request, prepared);
  TRY_ASSIGN(Pipe report, make_pipe());
  prepared.report = report.write.get();
  prepared.watch = &watch;
  if (request.keeper == nullptr) watch.start(request.mark);
  const pid_t pid = ::fork();
  if (pid < 0) return fail(ErrorKind::environment, "cannot start a process: {}", std::strerror(errno));
  if (pid == 0 && request.keeper != nullptr) request.keeper->stand_between(become_prepared, &prepared, prepared.report);
  if (pid == 0) become(prepared);
  note(pid);
  // A keeper is out of the reach of what is typed at the terminal, and of who kills our group.
  const bool in_group = request.keeper != nullptr || request.group == SpawnRequest::Group::own;
  if (in_group) ::setpgid(pid, pid);  // both processes do it, the first one wins
  // A session's group exists once the child has made it, which is before exec; until then signals wait.
  const bool later = !in_group && request.group == SpawnRequest::Group::own_session;
  if (!later) forwarding.watch(pid, request.group != SpawnRequest::Group::ours);
  report.write.close();
  if (const std::optional<SpawnFailure> failure = spawn_failure(report.read)) {
    forwarding.forget();
    reap(pid);
    return not_started(*failure, request);
  }
  if (later) forwarding.watch(pid, true);
  return pid;
}

}  // namespace frx::capture
