#include "derive/cuda/host_waits.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "derive/cuda/declarations.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/host_loops.h"

namespace frx::derive::cuda {
namespace {

// Does a statement, or one in it, go elsewhere: return, goto, throw?
bool leaves(const Source& source, std::uint32_t statement) {
  const model::cuda::Syntax& syntax = source.syntax;
  for (std::uint32_t n = statement; n < syntax[statement].last; ++n) {
    if (syntax.is(n, NodeKind::return_statement) || syntax.is(n, NodeKind::goto_statement) || syntax.is(n, NodeKind::labeled_statement))
      return true;
    if (syntax.is(n, NodeKind::other) && source.text_of(n).starts_with("throw")) return true;
  }
  return false;
}

// if (debug) cudaDeviceSynchronize(); is no wait that the program always makes.
bool is_always(const Source& source, const HostStep& step, std::uint32_t statement) {
  return step.kind != HostStep::waits || is_made_always(source, step.call, statement);
}

// The last launch of a compound statement and the wait behind it, where nothing in it needs results.
std::optional<LaunchAndWait> end_of(const HostSteps& steps, const Source& source, std::uint32_t compound) {
  const model::cuda::Syntax& syntax = source.syntax;
  LaunchAndWait end;
  for (std::uint32_t c = syntax.first_child(compound); c != none; c = syntax.next_sibling(c)) {
    if (syntax.is(c, NodeKind::token)) continue;
    const HostStep step = steps.of(c);
    const bool may_need = step.kind == HostStep::needs || step.kind == HostStep::launches_first;
    if (may_need || step.needs_before || !is_always(source, step, c)) return std::nullopt;
    if (step.kind == HostStep::passes) continue;
    const bool is_of_all_streams = step.kind == HostStep::waits && step.stream.empty();
    if (end.launch.call != none && step.stream != end.launch.stream && !is_of_all_streams) return std::nullopt;
    if (step.kind != HostStep::waits) end = {.launch = step, .wait = {}};
    if (step.kind != HostStep::launches) end.wait = step;
  }
  if (end.launch.call == none || end.wait.call == none) return std::nullopt;
  return end;
}

class HostWaits {
 public:
  HostWaits(const Program& program, const Function& function, HostView view)
      : program_(program),
        source_(program.sources()[function.at.source]),
        syntax_(source_.syntax),
        function_(function),
        steps_(program, function, view) {
    const std::uint32_t last = syntax_[function_.body].last;
    for (std::uint32_t n = function_.body; n < last; ++n) {
      if (syntax_.is(n, NodeKind::compound_statement)) look_through(n);
    }
  }

  std::optional<FoundWaits> of_function() {
    if (found_.launch == none) return std::nullopt;
    return std::move(found_);
  }
  std::vector<WaitingCall> of_calls() { return std::move(calls_); }

 private:
  // One launch after the other, as far as nothing between them needs results.
  struct Sequence {
    HostStep launch, wait;                         // the last launch; the wait behind it
    HostStep first;                                // the launch that the compound begins with, if nothing before it needs results
    bool is_at_start = true, has_streams = false;  // several, since the last wait
    bool is_conditional = false;                   // the last launch and its wait
  };

  void look_through(std::uint32_t compound) {
    Sequence at;
    for (std::uint32_t c = syntax_.first_child(compound); c != none; c = syntax_.next_sibling(c)) {
      if (syntax_.is(c, NodeKind::token)) continue;
      const HostStep step = steps_.of(c);
      if (step.kind == HostStep::launches || step.kind == HostStep::launches_and_waits || step.kind == HostStep::launches_first) {
        launch(at, step, compound);
        if (step.kind == HostStep::launches_and_waits) wait(at, step);
        // Where it leaves, nothing follows; a function may have waited behind its launch.
        if (leaves(source_, c) || step.kind == HostStep::launches_first) at.launch = at.wait = {};
      } else if (step.kind == HostStep::waits && is_always(source_, step, c)) {
        wait(at, step);
      } else if (const std::optional<LaunchAndWait> both = launch_and_wait_under_condition(c, step)) {
        at.wait = {};  // another condition may exclude this one
        launch(at, both->launch, compound);
        wait(at, both->wait);
        at.is_conditional = true;
      } else if (step.kind == HostStep::needs || step.kind == HostStep::waits || syntax_.is(c, NodeKind::goto_statement) ||
                 syntax_.is(c, NodeKind::labeled_statement)) {
        at.launch = at.wait = {};
        at.is_at_start = false;
      }
    }
    // The next iteration begins with a launch.
    if (at.wait.call == none || at.first.call == none || at.first.stream != at.launch.stream) return;
    if (at.is_conditional && at.first.call != at.launch.call) return;
    const std::uint32_t loop = syntax_[compound].parent;
    if (is_host_loop(source_, loop) && is_long(loop) && !steps_.needs_results(loop, compound)) add(at, compound);
  }

  void launch(Sequence& at, const HostStep& step, std::uint32_t compound) {
    if (step.needs_before) {
      at.launch = at.wait = {};
      at.is_at_start = false;
    }
    at.is_conditional = false;
    if (at.wait.call != none && at.launch.stream == step.stream) add(at, compound);
    at.has_streams = at.wait.call == none && at.launch.call != none && (at.has_streams || at.launch.stream != step.stream);
    at.launch = step;
    at.wait = {};
    if (at.is_at_start) at.first = step;
    at.is_at_start = false;
  }

  static void wait(Sequence& at, const HostStep& step) {
    const bool is_of_stream = step.stream.empty() || step.stream == at.launch.stream;
    if (at.launch.call != none && is_of_stream && !at.has_streams) at.wait = step;
    if (at.wait.call == none) at.launch = {};  // other streams are waited for as well
  }

  // if (has_weights[i]) { update<<<grid, 256>>>(...); cudaDeviceSynchronize(); }
  std::optional<LaunchAndWait> launch_and_wait_under_condition(std::uint32_t statement, const HostStep& step) const {
    if (step.kind != HostStep::needs || !syntax_.is(statement, NodeKind::if_statement)) return std::nullopt;
    if (syntax_.child(statement, Role::alternative) != none) return std::nullopt;
    const std::uint32_t condition = syntax_.child(statement, Role::condition), body = syntax_.child(statement, Role::consequence);
    if (leaves(source_, statement) || condition == none || !syntax_.is(body, NodeKind::compound_statement)) return std::nullopt;
    if (steps_.of(condition).kind != HostStep::passes) return std::nullopt;
    std::optional<LaunchAndWait> both = end_of(steps_, source_, body);
    if (both && both->wait.kind == HostStep::launches_and_waits) return std::nullopt;
    return both;
  }

  void add(const Sequence& at, std::uint32_t compound) {
    const std::uint32_t loop = host_loop_around(source_, compound, function_.at.node);
    const bool is_in_loop = loop != none && is_long(loop);
    if (at.wait.kind == HostStep::launches_and_waits) {
      calls_.push_back({at.wait.call, is_in_loop});
      return;
    }
    // Noted at a kernel; work of a library or a copy has none.
    if (found_.launch == none && syntax_.child(at.launch.call, NodeKind::kernel_call_syntax) == none) return;
    if (found_.launch == none) {
      found_.launch = at.launch.call;
      found_.waits.call = std::string(callee_name(source_, at.wait.call));
    }
    ++found_.waits.count;
    if (found_.waits.places.size() < most_places_of_waits) found_.waits.places.push_back(source_.place_of(at.wait.call));
    found_.waits.is_in_loop = found_.waits.is_in_loop || is_in_loop;
  }

  // Each loop is looked through once, however many waits stand in it.
  bool is_long(std::uint32_t loop) {
    const auto [entry, is_new] = long_loops_.try_emplace(loop);
    if (is_new) entry->second = is_long_host_loop(program_, function_, loop, fewest_waits);
    return entry->second;
  }

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  const HostSteps steps_;
  std::unordered_map<std::uint32_t, bool> long_loops_;
  FoundWaits found_;
  std::vector<WaitingCall> calls_;
};

// The end of a function: the compound statement in which the last launch and the wait stand, and what stands around it.
class End {
 public:
  End(const Program& program, const Function& function, HostView view)
      : source_(program.sources()[function.at.source]), syntax_(source_.syntax), function_(function), steps_(program, function, view) {}

  std::optional<LaunchAndWait> find() const {
    constexpr int most_ends = 8;  // that are followed outwards
    std::optional<LaunchAndWait> found;
    int ends = 0;
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::compound_statement)) continue;
      const std::optional<LaunchAndWait> here = end_of(steps_, source_, n);
      if (here && !here->launch.stream.empty()) return std::nullopt;  // a name that callers may give to another one
      if (here && ++ends > most_ends) return std::nullopt;
      if (!here || !is_end_of_function(n) || decides_something(here->wait.call)) continue;
      if (found) return std::nullopt;  // of two ways through the function
      found = here;
    }
    return found;
  }

 private:
  // done = true; behind the wait, for another thread perhaps; return cudaDeviceSynchronize() == cudaSuccess;
  bool decides_something(std::uint32_t wait) const {
    for (std::uint32_t p = syntax_[wait].parent; p != function_.body; p = syntax_[p].parent) {
      if (syntax_.is(p, NodeKind::return_statement)) return syntax_[wait].parent != p;
    }
    for (std::uint32_t at = wait; at != function_.body; at = syntax_[at].parent) {
      if (!syntax_.is(syntax_[at].parent, NodeKind::compound_statement)) continue;
      for (std::uint32_t c = syntax_.next_sibling(at); c != none; c = syntax_.next_sibling(c)) {
        if (sets_something(c)) return true;
      }
    }
    return false;
  }

  bool sets_something(std::uint32_t statement) const {
    for (std::uint32_t n = statement; n < syntax_[statement].last; ++n) {
      const std::uint32_t value = syntax_.is(n, NodeKind::assignment) ? syntax_.child(n, Role::right) : none;
      if (value != none && !(syntax_.is(value, NodeKind::call) && !runtime_name(callee_name(source_, value)).empty())) return true;
    }
    return false;
  }

  // Nothing else is done but the other side of an `if`.
  bool is_end_of_function(std::uint32_t compound) const {
    for (std::uint32_t at = compound; at != function_.body; at = syntax_[at].parent) {
      const std::uint32_t around = syntax_[at].parent;
      if (syntax_.is(around, NodeKind::if_statement) || syntax_.is(around, NodeKind::else_clause)) continue;
      if (!syntax_.is(around, NodeKind::compound_statement)) return false;
      for (std::uint32_t c = syntax_.first_child(around); c != none; c = syntax_.next_sibling(c)) {
        if (c != at && !syntax_.is(c, NodeKind::token) && steps_.of(c).kind != HostStep::passes) return false;
      }
    }
    return true;
  }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  const HostSteps steps_;
};

}  // namespace

std::optional<FoundWaits> needless_waits(const Program& program, const Function& function, HostView view) {
  // Most functions wait for nothing.
  if (function.is_kernel || function.is_device || !may_wait(program, function)) return std::nullopt;
  return HostWaits(program, function, view).of_function();
}

std::vector<WaitingCall> needless_waits_of_calls(const Program& program, const Function& function, HostView view) {
  return HostWaits(program, function, view).of_calls();
}

std::optional<LaunchAndWait> wait_at_end(const Program& program, const Function& function, HostView view) {
  return End(program, function, view).find();
}

}  // namespace frx::derive::cuda
