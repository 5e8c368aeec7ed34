#include "capture/trial_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "base/files.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/cgroup.h"
#include "capture/descendants.h"
#include "capture/folder_watch.h"
#include "capture/keeper.h"
#include "capture/kept_output.h"
#include "capture/process_tree.h"
#include "capture/spawn.h"
#include "capture/stop_together.h"

namespace frx::capture {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick{100};               // between looks at what it does
constexpr milliseconds between_folders{1000};   // between measurements of its folder
constexpr milliseconds time_to_end{1000};       // between SIGTERM and SIGKILL
constexpr milliseconds time_for_keeper{1900};   // for its keeper, which needs some of it to end what it finds
constexpr milliseconds time_for_the_rest{100};  // for what the keeper could not end
constexpr milliseconds last_output{200};        // for streams that another process holds open
constexpr std::size_t pipe_bytes = std::size_t{1} << 20;
constexpr std::size_t files_per_tick = 5000;

// "8 GiB", "256 MiB", "100 bytes"
std::string bytes_in_words(std::uint64_t bytes) {
  if (bytes >= std::uint64_t{1} << 30 && bytes % (std::uint64_t{1} << 30) == 0) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= std::uint64_t{1} << 20 && bytes % (std::uint64_t{1} << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  return count_text(bytes, "byte");
}

// What no program that trains needs, and what a program reaches at once that starts others without end.
std::uint64_t most_threads() { return std::max<std::uint64_t>(4096, std::uint64_t{64} * std::thread::hardware_concurrency()); }

// Processes and threads of the whole machine, in one small file: "0.52 0.58 0.59 1/213 4711".
std::optional<std::uint64_t> threads_of_machine() {
  const std::string text = read_file("/proc/loadavg", 4096).value_or("");
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const std::optional<double> all = parse_number(text.substr(slash + 1, text.find(' ', slash) - slash - 1), NumberStyle::point);
  return all && *all >= 0 ? std::optional(static_cast<std::uint64_t>(*all)) : std::nullopt;
}

// One stream of the program.
struct TrialStream {
  Fd fd;
  KeptOutput* output;

  // False at its end. Takes what is there, but leaves after `most` bytes: there may always be more.
  bool take_some(std::vector<char>& buffer, std::size_t most = 16 * pipe_bytes) {
    for (std::size_t taken = 0; taken < most;) {
      const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
      if (got < 0) return errno == EINTR || errno == EAGAIN;
      if (got == 0) return false;
      output->take({buffer.data(), static_cast<std::size_t>(got)});
      taken += static_cast<std::size_t>(got);
    }
    return true;
  }
};

Result<TrialStream> stream_into(KeptOutput& output, Fd& child_end) {
  TRY_ASSIGN(Pipe pipe, make_pipe());
  ::fcntl(pipe.read.get(), F_SETPIPE_SZ, static_cast<int>(pipe_bytes));  // fewer where that is refused
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  child_end = std::move(pipe.write);
  return TrialStream{std::move(pipe.read), &output};
}

// The program while it runs.
class RunningTrial {
 public:
  RunningTrial(const TrialProcess& process, const Keeper& keeper, const Cgroup* cgroup, std::vector<TrialStream> streams)
      : process_(process), keeper_(keeper), cgroup_(cgroup), streams_(std::move(streams)), folder_(process.folder) {}

  // Until its keeper, process `pid`, has ended.
  void watch(pid_t pid, const SignalForwarding& forwarding) {
    pid_ = pid;
    const Fd ended = end_of(pid);
    while (!has_ended(pid)) {
      read_ready(wait_ms(ended), ended.get());
      check_stop();
      check_time();
      check_signals(forwarding);
      if (Clock::now() < next_tick_) continue;
      next_tick_ = Clock::now() + tick;
      if (!asked_) look();
    }
    ended_ = Clock::now();
  }

  // What was still on its way when all had ended.
  void read_the_rest() {
    const Clock::time_point until = Clock::now() + last_output;
    while (!streams_.empty() && Clock::now() < until) read_ready(10, -1);
  }

  Clock::time_point started() const { return started_; }
  Clock::time_point ended() const { return ended_; }
  std::optional<Clock::time_point> asked() const { return asked_; }
  // Its reason, in `end`, which has nothing else.
  void tell_why(TrialEnd& end) const {
    end.timed_out = timed_out_;
    end.stopped = stopped_;
    end.contained = contained_;
  }
  // By Ctrl-Z.
  std::chrono::nanoseconds was_stopped() const { return was_stopped_; }

 private:
  int wait_ms(const Fd& ended) const {
    if (!ended) return 5;
    Clock::time_point next = next_tick_;
    if (!asked_) next = std::min(next, deadline_);
    if (asked_) next = std::min(next, *asked_ + (was_killed_ ? time_for_keeper : time_to_end));
    const auto left = std::chrono::ceil<milliseconds>(next - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, tick.count()));
  }

  void read_ready(int timeout_ms, int also) {
    std::vector<pollfd> fds;
    for (const TrialStream& stream : streams_) fds.push_back({stream.fd.get(), POLLIN, 0});
    if (also >= 0) fds.push_back({also, POLLIN, 0});
    if (::poll(fds.data(), fds.size(), timeout_ms) <= 0) return;
    for (std::size_t i = streams_.size(); i-- > 0;) {
      if (fds[i].revents != 0 && !streams_[i].take_some(buffer_)) streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void ask() {
    asked_ = Clock::now();
    keeper_.ask_to_end();
    ::kill(pid_, SIGCONT);  // the program may have stopped it
  }

  // The time for which both were stopped is not the program's.
  void check_stop() {
    const std::chrono::nanoseconds stopped = StopTogether::check([&] { keeper_.stop(); }, [&] { keeper_.go_on(); });
    was_stopped_ += stopped;
    deadline_ += stopped;
  }

  void check_time() {
    const Clock::time_point now = Clock::now();
    if (!asked_ && now >= deadline_) {
      timed_out_ = true;
      ask();
    }
    if (asked_ && now >= *asked_ + time_to_end) end_now();
    // It cannot answer: it was stopped.
    if (asked_ && now >= *asked_ + time_for_keeper) ::kill(pid_, SIGKILL);
  }

  // The first interrupt was passed on by the handler, and the program may take its time; others leave it a second.
  void check_signals(const SignalForwarding& forwarding) {
    const int received = forwarding.received();
    if (!asked_ && (received == SIGTERM || received == SIGHUP)) asked_ = Clock::now();
    if (forwarding.interrupts() < 2 || was_killed_) return;
    asked_ = Clock::now() - time_to_end;
    end_now();
  }

  void end_now() {
    if (std::exchange(was_killed_, true)) return;
    keeper_.end_now();
    ::kill(pid_, SIGCONT);
  }

  void look() {
    contained_ = containment();
    if (contained_.empty() && process_.reason_to_stop) stopped_ = process_.reason_to_stop();
    if (!contained_.empty() || !stopped_.empty()) ask();
  }

  std::string containment() {
    if (!process_.folder.empty()) {
      if (free_bytes_at(process_.folder) < process_.free_disk)
        return fmt::format("the disk is nearly full: less than {} are free", bytes_in_words(process_.free_disk));
      if (!folder_.is_complete() || Clock::now() >= next_folder_) {
        if (folder_.is_complete()) next_folder_ = Clock::now() + between_folders;
        if (folder_.look(files_per_tick) > process_.folder_limit)
          return fmt::format("more than {} in its folder", bytes_in_words(process_.folder_limit));
      }
    }
    return has_too_many_threads() ? fmt::format("more than {} processes and threads", most_threads()) : "";
  }

  // Those of the machine are counted first, which costs next to nothing.
  bool has_too_many_threads() {
    if (cgroup_ != nullptr && cgroup_->reached_limit()) return true;
    const std::optional<std::uint64_t> all = threads_of_machine();
    if (!all || (threads_before_ && *all <= *threads_before_ + most_threads())) return false;
    if (!tree_) tree_ = std::make_unique<ProcessTree>();
    return tree_->signal_below(pid_, 0).threads > most_threads();
  }

  const TrialProcess& process_;
  pid_t pid_ = -1;  // of the keeper
  const Keeper& keeper_;
  const Cgroup* cgroup_;
  std::vector<TrialStream> streams_;
  std::vector<char> buffer_ = std::vector<char>(pipe_bytes / 4);
  FolderWatch folder_;
  std::unique_ptr<ProcessTree> tree_;
  std::optional<std::uint64_t> threads_before_ = threads_of_machine();
  Clock::time_point started_ = Clock::now(), next_tick_ = started_ + tick, next_folder_ = started_, ended_ = started_;
  Clock::time_point deadline_ = started_ + process_.time_limit;
  std::chrono::nanoseconds was_stopped_{0};
  std::optional<Clock::time_point> asked_;
  bool timed_out_ = false, was_killed_ = false;
  std::string stopped_, contained_;
};

// Its keeper was killed, or gave up, and its processes became our children.
std::size_t end_escaped(const Descendants& descendants, Clock::time_point until) {
  std::vector<pid_t> escaped = descendants.escaped();
  if (escaped.empty()) return 0;
  const auto tree = std::make_unique<ProcessTree>();
  const auto tell_all = [&](int signal) {
    for (const pid_t pid : escaped) ::kill(pid, signal);
    return tree->signal_below(escaped, signal);
  };
  const std::size_t count = escaped.size() + tell_all(SIGSTOP).alive;
  for (int pass = 0; pass < 8 && tell_all(SIGSTOP).signalled > 0; ++pass) {
  }
  while (!escaped.empty() && Clock::now() < until) {
    tell_all(SIGKILL);
    std::this_thread::sleep_for(milliseconds(5));
    escaped = descendants.escaped();
  }
  return count;
}

void fill_in_end(const RunningTrial& trial, const std::optional<KeeperEnd>& kept, TrialEnd& end) {
  Clock::time_point ended = trial.ended();
  end.signal = SIGKILL;
  if (kept && kept->ended_at_ns != 0) {
    ended = Clock::time_point(std::chrono::nanoseconds(kept->ended_at_ns));  // steady_clock is CLOCK_MONOTONIC
    end.status = WIFEXITED(kept->wait_status) ? WEXITSTATUS(kept->wait_status) : 0;
    end.signal = WIFSIGNALED(kept->wait_status) ? WTERMSIG(kept->wait_status) : 0;
  }
  if (kept) {
    end.left_running = kept->left;
    if (kept->stuck > 0)
      end.notes.push_back(fmt::format("{} process(es) had been killed and had not ended yet when the trial was over", kept->stuck));
  } else {
    end.notes.push_back("the process between frx and the program was killed, and the program with it");
  }
  end.took = ended - trial.started();
  if (trial.was_stopped().count() > 0)
    end.notes.push_back(fmt::format("it was stopped by Ctrl-Z for {:.1f} s", static_cast<double>(trial.was_stopped().count()) / 1e9));
  // It had ended by itself, and what it had left made us wait beyond its limit.
  if (trial.asked() && ended >= *trial.asked()) trial.tell_why(end);
}

Result<> check_disk(const TrialProcess& process) {
  if (process.folder.empty()) return {};
  const std::uint64_t free = free_bytes_at(process.folder);
  if (free >= process.free_disk) return {};
  return fail(ErrorKind::environment, "expected {} that are free on the disk, found {}", bytes_in_words(process.free_disk),
              bytes_in_words(free))
      .at(process.folder)
      .hint("free some space, or write to another disk with --out");
}

}  // namespace

Result<TrialEnd> run_trial(const TrialProcess& process) {
  TRY(check_disk(process));
  TRY_ASSIGN(KeptOutput out, KeptOutput::make(process.out_path, process.output_limit));
  TRY_ASSIGN(KeptOutput err, KeptOutput::make(process.err_path, process.output_limit));
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::unique_ptr<Cgroup> cgroup = Cgroup::make(most_threads());
  TRY_ASSIGN(const Keeper keeper, Keeper::make(cgroup.get()));
  const Descendants descendants("");
  SpawnRequest request{.argv = process.argv, .environment = process.environment, .directory = {}};
  Fd child_out, child_err;
  std::vector<TrialStream> streams;
  TRY_ASSIGN(TrialStream out_stream, stream_into(out, child_out));
  TRY_ASSIGN(TrialStream err_stream, stream_into(err, child_err));
  streams.push_back(std::move(out_stream));
  streams.push_back(std::move(err_stream));
  request.group = SpawnRequest::Group::own_session;
  request.in = null.get();
  request.out = child_out.get();
  request.err = child_err.get();
  request.keeper = &keeper;

  SignalForwarding forwarding;
  const StopTogether stop_together;
  DeathWatch unused;
  RunningTrial trial(process, keeper, cgroup.get(), std::move(streams));
  TRY_ASSIGN(const pid_t pid, spawn(request, forwarding, unused));
  child_out.close();
  child_err.close();
  trial.watch(pid, forwarding);
  forwarding.forget();
  reap(pid);
  TrialEnd end;
  end.interrupted_by = forwarding.received();
  fill_in_end(trial, keeper.end(), end);
  const std::size_t escaped = end_escaped(descendants, Clock::now() + time_for_the_rest);
  end.left_running = std::max(end.left_running, escaped);
  trial.read_the_rest();
  out.finish();
  err.finish();
  end.output_bytes = out.bytes() + err.bytes();
  for (const KeptOutput* output : {&out, &err}) {
    if (!output->error().empty()) end.notes.push_back(output->error());
  }
  if (cgroup) end.memory_peak = cgroup->memory_peak();
  if (cgroup) end.threads_peak = cgroup->threads_peak();
  return end;
}

}  // namespace frx::capture
