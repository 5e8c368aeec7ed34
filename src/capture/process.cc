#include "capture/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "capture/spawn.h"

namespace frx::capture {
namespace {

using Clock = std::chrono::steady_clock;

// One captured stream.
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
      : pid_(pid), own_group_(own_group), command_(command), readers_(readers), pidfd_(end_of(pid)) {}

  // Reads until the child has ended. A stream that a background grandchild still holds open is not waited for.
  void wait(Exit& exit, const SignalForwarding& forwarding) {
    while (!has_ended(pid_)) {
      enforce_limit(exit);
      if (forwarding.interrupts() > 1) kill(SIGKILL);  // the first Ctrl-C was passed on, and did not end it
      read_ready(tick());
    }
    ended_ = Clock::now();
    pidfd_.close();
    const Clock::time_point until = ended_ + std::chrono::milliseconds(200);
    while (!readers_.empty() && Clock::now() < until) read_ready(10);
  }

  void kill(int signal) const { ::kill(own_group_ ? -pid_ : pid_, signal); }
  // Reading after that takes none of the child's time.
  Clock::time_point ended() const { return ended_; }

 private:
  static constexpr std::chrono::milliseconds grace{1000};  // between SIGTERM and SIGKILL

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
  Clock::time_point started_ = Clock::now(), ended_ = started_;
};

// A child that has not been reaped. Where memory for what it says is short, it is killed.
class Running {
 public:
  Running(pid_t pid, bool own_group, SignalForwarding& forwarding) : pid_(pid), own_group_(own_group), forwarding_(forwarding) {}
  ~Running() {
    if (pid_ < 0) return;
    ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
    end();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Waits for it; see reap().
  std::pair<int, int> end() {
    forwarding_.forget();
    return reap(std::exchange(pid_, -1));
  }

 private:
  pid_t pid_;
  bool own_group_;
  SignalForwarding& forwarding_;
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

// With the terminal as input and no time limit the child stays in our group: it may read the terminal, and Ctrl-C and Ctrl-Z work as for
// any foreground job.
bool needs_own_group(const ChildCommand& command) {
  return command.time_limit.count() > 0 || command.input == Input::nothing || ::isatty(0) == 0;
}

// The name of a variable that nothing else has. What the child starts inherits it, also where it leaves the group.
std::string new_mark() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) number = static_cast<std::uint64_t>(::getpid());
  return fmt::format("FRX_CHILD_{:016x}", number);
}

}  // namespace

Result<Exit> run_process(const ChildCommand& command) {
  Exit exit;
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Pipe out, err;
  const bool own_group = needs_own_group(command);
  std::vector<std::pair<std::string, std::string>> environment = command.environment;
  environment.emplace_back(new_mark(), "1");
  SpawnRequest request{.argv = command.argv, .environment = environment, .directory = command.directory};
  request.mark = environment.back().first + "=1";
  request.memory_limit = command.memory_limit;
  request.group = own_group ? SpawnRequest::Group::own : SpawnRequest::Group::ours;
  request.in = command.input == Input::nothing ? null.get() : -1;
  TRY_ASSIGN(request.out, connect(command.out, null, out));
  TRY_ASSIGN(request.err, connect(command.err, null, err));

  SignalForwarding forwarding;
  const Clock::time_point start = Clock::now();
  DeathWatch watch;
  TRY_ASSIGN(const pid_t pid, spawn(request, forwarding, watch));
  out.write.close();
  err.write.close();
  Running running(pid, own_group, forwarding);
  std::vector<Reader> readers;
  if (out.read) readers.push_back({std::move(out.read), &exit.out, &exit.out_cut, command.keep_limit});
  if (err.read) readers.push_back({std::move(err.read), &exit.err, &exit.err_cut, command.keep_limit});
  Child child(pid, own_group, command, readers);
  child.wait(exit, forwarding);
  if (exit.timed_out && own_group) child.kill(SIGKILL);  // the rest of its group
  std::tie(exit.status, exit.signal) = running.end();
  exit.took = child.ended() - start;
  exit.interrupted_by = forwarding.received();
  if (own_group && (exit.timed_out || exit.interrupted_by != 0)) watch.end_all();
  return exit;
}

std::string describe(const Exit& exit, std::chrono::milliseconds time_limit) {
  if (exit.timed_out) return fmt::format("no end within {:g} s", static_cast<double>(time_limit.count()) / 1000.0);
  if (exit.signal != 0) return fmt::format("killed by signal {} ({})", exit.signal, ::strsignal(exit.signal));
  return fmt::format("exit code {}", exit.status);
}

}  // namespace frx::capture
