#include "capture/workload.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <tuple>

#include "capture/descendants.h"
#include "capture/relay.h"
#include "capture/spawn.h"

namespace frx::capture {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int tick_ms = 100;
constexpr std::chrono::milliseconds drain{200};  // for streams that other processes still hold open

volatile sig_atomic_t asked_to_stop = 0;

// Ctrl-Z reaches us, not the program, which has a session of its own: both stop, and both continue together.
class StopTogether {
 public:
  StopTogether() {
    asked_to_stop = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { asked_to_stop = 1; };
    ::sigaction(SIGTSTP, nullptr, &before_);
    if (before_.sa_handler == SIG_DFL) ::sigaction(SIGTSTP, &action, nullptr);
  }
  ~StopTogether() { ::sigaction(SIGTSTP, &before_, nullptr); }
  StopTogether(const StopTogether&) = delete;
  StopTogether& operator=(const StopTogether&) = delete;

  static void check(pid_t group) {
    if (asked_to_stop == 0) return;
    asked_to_stop = 0;
    ::kill(-group, SIGSTOP);
    ::raise(SIGSTOP);
    ::kill(-group, SIGCONT);
  }

 private:
  struct sigaction before_ {};
};

// Reports once that the interrupt was passed on, and kills at the second one.
class Interrupts {
 public:
  Interrupts(const SignalForwarding& forwarding, const WorkloadRequest& request) : forwarding_(forwarding), request_(request) {}

  void check(pid_t group, const Descendants& descendants) {
    const int count = forwarding_.interrupts();
    if (count == seen_) return;
    seen_ = count;
    if (count == 1) return say("interrupted: the workload was told; press Ctrl-C again to end it at once");
    ::kill(-group, SIGKILL);
    descendants.kill_strays();
  }

 private:
  void say(std::string_view line) const {
    if (request_.say) request_.say(line);
  }

  const SignalForwarding& forwarding_;
  const WorkloadRequest& request_;
  int seen_ = 0;
};

// Its last output may still be on its way; a descendant that survives may hold the streams open for ever.
void read_the_rest(Relay& relay) {
  const Clock::time_point until = Clock::now() + drain;
  while (!relay.ended() && (relay.pump(10) || Clock::now() < until)) {
    if (Clock::now() > until + 10 * drain) return;
  }
}

void clear_up(const Descendants& descendants, WorkloadEnd& end) {
  if (end.signal != 0 || end.interrupted_by != 0) descendants.kill_strays();
  std::vector<pid_t> left = descendants.strays();
  for (const pid_t pid : descendants.escaped()) left.push_back(pid);
  if (!left.empty())
    end.notes.push_back(fmt::format("the workload left {} background process(es) running, the first is {}", left.size(), left[0]));
}

}  // namespace

Result<WorkloadEnd> run_workload(const WorkloadRequest& request) {
  TRY_ASSIGN(Relay relay, Relay::make(request.out, request.err, request.log_path));
  const Descendants descendants(request.mark);
  SpawnRequest child{.argv = request.argv, .environment = request.environment, .directory = {}};
  child.group = SpawnRequest::Group::own_session;
  child.out = relay.child_out();
  child.err = relay.child_err();
  child.mark = request.mark;
  DeathWatch watch;
  SignalForwarding forwarding;
  const StopTogether stop_together;
  const Clock::time_point start = Clock::now();
  TRY_ASSIGN(const pid_t pid, spawn(child, forwarding, watch));
  relay.close_child_ends();

  WorkloadEnd end;
  {
    const Fd ended = end_of(pid);
    Interrupts interrupts(forwarding, request);
    while (!has_ended(pid)) {
      interrupts.check(pid, descendants);
      StopTogether::check(pid);
      relay.pump(tick_ms, ended.get());
    }
  }
  end.took = Clock::now() - start;
  forwarding.forget();
  std::tie(end.status, end.signal) = reap(pid);
  end.interrupted_by = forwarding.received();
  Descendants::end_group(pid, [&] { relay.pump(10); });
  read_the_rest(relay);
  clear_up(descendants, end);
  if (!relay.log_error().empty()) end.notes.push_back(relay.log_error());
  end.output_error = relay.output_error();
  return end;
}

}  // namespace frx::capture
