#include "capture/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

#include "capture/cgroup.h"
#include "capture/process_tree.h"

namespace frx::capture {
namespace {

// What follows runs between fork and _exit in a program that has other threads: system calls and static memory only.

constexpr std::int64_t one_ms = 1'000'000;            // in ns
constexpr std::int64_t time_to_leave = 100 * one_ms;  // for what ends by itself when the program has
constexpr std::int64_t time_to_obey = 1000 * one_ms;  // between SIGTERM and SIGKILL
constexpr std::int64_t time_to_kill = 500 * one_ms;
constexpr int socket_place = 0, signals_place = 1, kill_place = 2;

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void rest(std::int64_t ns) {
  const timespec time{0, static_cast<long>(ns)};
  ::nanosleep(&time, nullptr);
}

class KeeperLoop {
 public:
  KeeperLoop(pid_t program, const char* group) : program_(program), group_(group) {}

  [[noreturn]] void run() {
    raise_priority();
    while (!told_to_kill_ && !is_orphan_ && !has_ended()) {
      take_messages(asked_at_ == 0 ? -1 : 20);
      if (asked_at_ != 0 && monotonic_ns() >= asked_at_ + time_to_obey) told_to_kill_ = true;
    }
    if (!told_to_kill_) let_them_leave();
    kill_all();
    if (is_orphan_ && group_ != nullptr) remove_group();
    if (reap()) end_.stuck = static_cast<std::uint32_t>(std::min<std::size_t>(tree_.signal_below(::getpid(), 0).alive, 1'000'000));
    [[maybe_unused]] const ssize_t told = ::send(socket_place, &end_, sizeof end_, MSG_NOSIGNAL | MSG_DONTWAIT);
    ::_exit(0);
  }

 private:
  bool has_ended() const { return end_.ended_at_ns != 0; }

  // What the other side says, signals that are meant for the program, and children that have ended.
  void take_messages(int timeout_ms) {
    pollfd fds[] = {{is_orphan_ ? -1 : socket_place, POLLIN, 0}, {signals_place, POLLIN, 0}};
    if (::poll(fds, 2, timeout_ms) <= 0) return;
    if (fds[0].revents != 0) take_word();
    if (fds[1].revents != 0) take_signal();
  }

  void take_word() {
    char word = 0;
    const ssize_t got = ::read(socket_place, &word, 1);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) is_orphan_ = true;
    if (got == 1 && word == 'K') told_to_kill_ = true;
    if (got == 1 && word == 'T') ask_all();
    if (got == 1 && word == 'S') tree_.signal_below(::getpid(), SIGSTOP);
    if (got == 1 && word == 'C') tree_.signal_below(::getpid(), SIGCONT);
  }

  void take_signal() {
    signalfd_siginfo info{};
    if (::read(signals_place, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) reap();
    if (signal != SIGCHLD && !has_ended() && ::kill(-program_, signal) != 0) ::kill(program_, signal);  // before it leads a group
  }

  // False when there are no children, and therefore no descendants: orphans of this process are its children.
  bool reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid != program_) continue;
      end_.wait_status = status;
      end_.ended_at_ns = monotonic_ns();
    }
    return pid == 0;
  }

  void ask_all() {
    asked_at_ = monotonic_ns();
    tree_.signal_below(::getpid(), SIGTERM);
    tree_.signal_below(::getpid(), SIGCONT);
  }

  void wait_until(std::int64_t time) {
    while (reap() && !told_to_kill_ && monotonic_ns() < time) take_messages(5);
  }

  void let_them_leave() {
    if (!is_orphan_) wait_until(monotonic_ns() + time_to_leave);
    if (!reap() || told_to_kill_) return;
    count_left();
    if (asked_at_ == 0) ask_all();
    wait_until(asked_at_ + time_to_obey);
  }

  void count_left() { count_left(tree_.signal_below(::getpid(), 0).alive); }
  void count_left(std::size_t alive) {
    const std::size_t own = has_ended() ? 0 : 1;
    end_.left = std::max(end_.left, static_cast<std::uint32_t>(std::min<std::size_t>(alive - std::min(alive, own), 1'000'000)));
  }

  // Stopping all of them first makes it finite where they start others faster than they can be killed. Then they need the processor to end,
  // so it looks at them now and then only. The group is for those that are never seen: with thousands it takes the kernel longer.
  void kill_all() {
    if (!reap()) return;
    const std::int64_t until = monotonic_ns() + time_to_kill;
    ProcessTree::Seen seen = tree_.signal_below(::getpid(), SIGSTOP);
    count_left(seen.alive);
    for (int pass = 0; pass < 8 && seen.signalled > 0; ++pass) seen = tree_.signal_below(::getpid(), SIGSTOP);
    tree_.signal_below(::getpid(), SIGKILL);
    for (std::int64_t pause = one_ms; reap() && monotonic_ns() < until; pause = std::min(2 * pause, 32 * one_ms)) {
      rest(pause);
      seen = tree_.signal_below(::getpid(), SIGKILL);
      if (seen.signalled > 0) ::pwrite(kill_place, "1", 1, 0);  // fails where there is no group
    }
  }

  // A thousand processes that want to run would leave it no time. Until something is to be done, it sleeps.
  static void raise_priority() {
    const sched_param first{.sched_priority = 1};
    if (::sched_setscheduler(0, SCHED_RR, &first) != 0) ::setpriority(PRIO_PROCESS, 0, -20);
  }

  void remove_group() const {
    for (int i = 0; i < 20 && ::rmdir(group_) != 0 && errno == EBUSY; ++i) rest(5 * one_ms);
  }

  static ProcessTree tree_;
  pid_t program_;
  const char* group_;
  std::int64_t asked_at_ = 0;
  bool told_to_kill_ = false, is_orphan_ = false;
  KeeperEnd end_;
};

ProcessTree KeeperLoop::tree_;

int open_signals() {
  sigset_t all, wanted;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the status of the program away
  sigemptyset(&wanted);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
  return ::signalfd(-1, &wanted, SFD_CLOEXEC);
}

// It must keep no pipe of the program open.
void keep_only(int socket, int signals, int kill_file) {
  const int from[] = {socket, signals, kill_file};
  int high[3];
  for (int i = 0; i < 3; ++i) high[i] = from[i] < 0 ? -1 : ::fcntl(from[i], F_DUPFD_CLOEXEC, 16);
  for (int i = 0; i < 3; ++i) {
    if (high[i] >= 0) ::dup2(high[i], i);
    if (high[i] < 0) ::close(i);
  }
  if (::syscall(SYS_close_range, 3u, UINT_MAX, 0u) != 0) {
    for (int i = 3; i < 4096; ++i) ::close(i);
  }
}

// The program dies with the keeper, and before us when memory is short; it leaves no memory image in the folder of the user.
void prepare_program(pid_t keeper, int group_file) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);
  [[maybe_unused]] ssize_t wrote = 0;
  if (group_file >= 0) wrote = ::write(group_file, "0", 1);  // without the group where that is refused
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    wrote = ::write(score, "500", 3);
    ::close(score);
  }
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &core);
  }
}

}  // namespace

Result<Keeper> Keeper::make(const Cgroup* cgroup) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(ErrorKind::environment, "cannot make a pair of sockets: {}", std::strerror(errno));
  Keeper keeper;
  keeper.ours_ = Fd(ends[0]);
  keeper.its_ = Fd(ends[1]);
  keeper.cgroup_ = cgroup;
  return keeper;
}

void Keeper::tell(char message) const {
  [[maybe_unused]] const ssize_t told = ::send(ours_.get(), &message, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::optional<KeeperEnd> Keeper::end() const {
  KeeperEnd end;
  const ssize_t got = ::recv(ours_.get(), &end, sizeof end, MSG_DONTWAIT);
  return got == static_cast<ssize_t>(sizeof end) ? std::optional(end) : std::nullopt;
}

void Keeper::stand_between(void (*run)(const void* what), const void* what, int report) const {
  ::setpgid(0, 0);
  const int signals = open_signals();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_NAME, "frx-keeper", 0, 0, 0);
  const pid_t keeper = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) {
    ::signal(SIGCHLD, SIG_DFL);
    prepare_program(keeper, cgroup_ != nullptr ? cgroup_->members() : -1);
    run(what);
    ::_exit(127);
  }
  if (program < 0) {
    const SpawnFailure failure{errno, SpawnFailure::Step::fork};
    [[maybe_unused]] const ssize_t told = ::write(report, &failure, sizeof failure);
    ::_exit(127);
  }
  static char group[PATH_MAX];
  if (cgroup_ != nullptr) std::strncpy(group, cgroup_->path().c_str(), sizeof group - 1);
  keep_only(its_.get(), signals, cgroup_ != nullptr ? cgroup_->kill_file() : -1);
  KeeperLoop(program, cgroup_ != nullptr ? group : nullptr).run();
}

}  // namespace frx::capture
