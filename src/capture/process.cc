#include "capture/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "capture/signals.h"

extern char** environ;

namespace frx::capture {
namespace {

using Clock = std::chrono::steady_clock;

// A file descriptor that is closed.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int value) : value_(value) {}
  ~Fd() { close(); }
  Fd(Fd&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::environment, "cannot make a pipe: {}", std::strerror(errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Everything the child needs, prepared before fork: after it only async-signal-safe calls are allowed.
struct Prepared {
  std::vector<char*> argv;
  std::vector<std::string> owned;
  std::vector<char*> envp;
  const char* directory = nullptr;
  bool own_group = true;
  int in = -1, out = -1, err = -1;  // descriptors to become 0, 1, 2; -1: leave alone
  int report = -1;                  // where to tell why exec failed
};

bool overrides(const ChildCommand& command, const char* variable) {
  for (const auto& [name, value] : command.environment) {
    if (std::strncmp(variable, name.c_str(), name.size()) == 0 && variable[name.size()] == '=') return true;
  }
  return false;
}

void prepare(const ChildCommand& command, Prepared& child) {
  for (const std::string& argument : command.argv) child.argv.push_back(const_cast<char*>(argument.c_str()));
  child.argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!overrides(command, *variable)) child.envp.push_back(*variable);
  }
  child.owned.reserve(command.environment.size());
  for (const auto& [name, value] : command.environment) {
    child.owned.push_back(name + "=" + value);
    child.envp.push_back(child.owned.back().data());
  }
  child.envp.push_back(nullptr);
  if (!command.directory.empty()) child.directory = command.directory.c_str();
}

struct ExecFailure {
  int error = 0;
  bool in_directory = false;
};

[[noreturn]] void become(const Prepared& child) {
  ExecFailure failure;
  if (child.own_group) ::setpgid(0, 0);
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

// One stream that is kept.
struct Reader {
  Fd fd;
  std::string* text;
  bool* cut;
  std::size_t limit;

  // False at the end of the stream.
  bool read_some() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    const std::size_t take = std::min(static_cast<std::size_t>(got), limit - std::min(limit, text->size()));
    text->append(buffer.data(), take);
    *cut = *cut || take < static_cast<std::size_t>(got);
    return got > 0;
  }
};

class Child {
 public:
  Child(pid_t pid, bool own_group, const ChildCommand& command, std::vector<Reader>& readers)
      : pid_(pid), own_group_(own_group), command_(command), readers_(readers) {
#ifdef SYS_pidfd_open
    pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));  // absent before Linux 5.3: we tick
#endif
  }

  // Reads until the child has ended. What a background grandchild still holds open is not waited for.
  void wait(Exit& exit) {
    while (!has_ended()) {
      enforce_limit(exit);
      read_ready(tick());
    }
    pidfd_.close();
    const Clock::time_point until = Clock::now() + std::chrono::milliseconds(200);
    while (!readers_.empty() && Clock::now() < until) read_ready(10);
  }

  void kill(int signal) const { ::kill(own_group_ ? -pid_ : pid_, signal); }

 private:
  static constexpr std::chrono::milliseconds grace{1000};  // between SIGTERM and SIGKILL

  bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
  }

  void enforce_limit(Exit& exit) {
    if (command_.time_limit.count() == 0) return;
    const auto lived = Clock::now() - started_;
    if (!exit.timed_out && lived >= command_.time_limit) {
      exit.timed_out = true;
      kill(SIGTERM);
    } else if (exit.timed_out && lived >= command_.time_limit + grace) {
      kill(SIGKILL);
    }
  }

  int tick() const {
    if (!pidfd_) return 5;
    return command_.time_limit.count() == 0 ? 1000 : 20;
  }

  void read_ready(int timeout_ms) {
    std::vector<pollfd> fds;
    for (const Reader& reader : readers_) fds.push_back({reader.fd.get(), POLLIN, 0});
    if (pidfd_) fds.push_back({pidfd_.get(), POLLIN, 0});
    if (::poll(fds.data(), fds.size(), timeout_ms) <= 0) return;
    for (std::size_t i = readers_.size(); i-- > 0;) {
      if (fds[i].revents != 0 && !readers_[i].read_some()) readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  pid_t pid_;
  bool own_group_;
  const ChildCommand& command_;
  std::vector<Reader>& readers_;
  Fd pidfd_;
  Clock::time_point started_ = Clock::now();
};

// The child's side of one output stream; opens /dev/null or a pipe as needed.
Result<int> connect(Output kind, const Fd& null, Pipe& pipe) {
  switch (kind) {
    case Output::inherit: return -1;
    case Output::to_stderr: return 2;
    case Output::discard: return null.get();
    case Output::keep: {
      TRY_ASSIGN(pipe, make_pipe());
      return pipe.write.get();
    }
  }
  return -1;
}

void reap(pid_t pid, Exit& exit) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) exit.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
}

// With the terminal as input and no time limit the child stays in our group: it may read what is
// typed, and Ctrl-C and Ctrl-Z work as for any foreground job.
bool needs_own_group(const ChildCommand& command) {
  return command.time_limit.count() > 0 || command.input == Input::nothing || ::isatty(0) == 0;
}

}  // namespace

Result<Exit> run_process(const ChildCommand& command) {
  if (command.argv.empty()) return fail(ErrorKind::usage, "expected a program to run, found nothing");
  Exit exit;
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Pipe out, err;
  Prepared prepared;
  prepare(command, prepared);
  prepared.own_group = needs_own_group(command);
  prepared.in = command.input == Input::nothing ? null.get() : -1;
  TRY_ASSIGN(prepared.out, connect(command.out, null, out));
  TRY_ASSIGN(prepared.err, connect(command.err, null, err));
  TRY_ASSIGN(Pipe report, make_pipe());
  prepared.report = report.write.get();

  SignalForwarding forwarding;
  const Clock::time_point start = Clock::now();
  const pid_t pid = ::fork();
  if (pid < 0) return fail(ErrorKind::environment, "cannot start a process: {}", std::strerror(errno));
  if (pid == 0) become(prepared);
  if (prepared.own_group) ::setpgid(pid, pid);  // whoever comes first
  forwarding.watch(pid, prepared.own_group);
  report.write.close();
  out.write.close();
  err.write.close();
  if (const std::optional<ExecFailure> failure = exec_failure(report.read)) {
    forwarding.forget();
    reap(pid, exit);
    return fail(ErrorKind::environment, "cannot {}: {}", failure->in_directory ? "enter it" : "run it",
                std::strerror(failure->error))
        .at(failure->in_directory ? command.directory : command.argv[0]);
  }

  std::vector<Reader> readers;
  if (out.read) readers.push_back({std::move(out.read), &exit.out, &exit.out_cut, command.keep_limit});
  if (err.read) readers.push_back({std::move(err.read), &exit.err, &exit.err_cut, command.keep_limit});
  Child child(pid, prepared.own_group, command, readers);
  child.wait(exit);
  if (exit.timed_out && prepared.own_group) child.kill(SIGKILL);  // whatever it left behind in its group
  forwarding.forget();
  reap(pid, exit);
  exit.took = Clock::now() - start;
  exit.interrupted_by = forwarding.received();
  return exit;
}

std::string describe(const Exit& exit, std::chrono::milliseconds time_limit) {
  if (exit.timed_out) return fmt::format("no end within {:g} s", static_cast<double>(time_limit.count()) / 1000.0);
  if (exit.signal != 0) return fmt::format("killed by signal {} ({})", exit.signal, ::strsignal(exit.signal));
  return fmt::format("exit code {}", exit.status);
}

}  // namespace frx::capture
