#include "capture/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "capture/descendants.h"

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
}

struct ExecFailure {
  int error = 0;
  bool in_directory = false;
};

[[noreturn]] void become(const Prepared& child) {
  ExecFailure failure;
  if (child.group == SpawnRequest::Group::own) ::setpgid(0, 0);
  if (child.group == SpawnRequest::Group::own_session) ::setsid();
  child.watch->tell_from_child(child.group != SpawnRequest::Group::ours);
  SignalForwarding::reset_in_child();
  if (child.in >= 0) ::dup2(child.in, 0);
  if (child.out >= 0) ::dup2(child.out, 1);
  if (child.err >= 0) ::dup2(child.err, 2);
  if (child.directory != nullptr && ::chdir(child.directory) != 0) {
    failure = {errno, true};
  } else {
    ::execvpe(child.argv[0], child.argv.data(), child.envp.data());
    failure.error = errno;
  }
  [[maybe_unused]] const ssize_t told = ::write(child.report, &failure, sizeof failure);
  ::_exit(127);
}

std::optional<ExecFailure> exec_failure(const Fd& report) {
  ExecFailure failure;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof failure) ? std::optional(failure) : std::nullopt;
}

}  // namespace

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::environment, "cannot make a pipe: {}", std::strerror(errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
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
  watch.start(request.mark);
  const pid_t pid = ::fork();
  if (pid < 0) return fail(ErrorKind::environment, "cannot start a process: {}", std::strerror(errno));
  if (pid == 0) become(prepared);
  OwnChildren::add(pid);
  if (request.group == SpawnRequest::Group::own) ::setpgid(pid, pid);  // both processes do it, the first one wins
  // A session's group exists once the child has made it, which is before exec; until then signals wait.
  const bool later = request.group == SpawnRequest::Group::own_session;
  if (!later) forwarding.watch(pid, request.group != SpawnRequest::Group::ours);
  report.write.close();
  if (const std::optional<ExecFailure> failure = exec_failure(report.read)) {
    forwarding.forget();
    reap(pid);
    return fail(ErrorKind::environment, "cannot {}: {}", failure->in_directory ? "enter it" : "run it", std::strerror(failure->error))
        .at(failure->in_directory ? request.directory : request.argv[0]);
  }
  if (later) forwarding.watch(pid, true);
  return pid;
}

}  // namespace frx::capture
