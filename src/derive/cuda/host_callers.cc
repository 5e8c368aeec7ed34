#include "derive/cuda/host_callers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_loops.h"
#include "derive/cuda/host_waits.h"

namespace frx::derive::cuda {
namespace {

using model::TextPlace;
using model::cuda::Launch;

constexpr std::uint32_t most_nodes_of_caller = 16'384;  // of a caller, and of a loop, that are looked through

// The helpers of each name, where all functions of that name are such.
using ByName = std::unordered_map<std::string_view, std::vector<const HostHelper*>>;

// What callers are asked for.
struct Asked {
  ByName waiting, allocating;
  bool reaches_gpu_memory = true;
};

// What one call costs.
struct Cost {
  const HostHelper* helper = nullptr;
  bool is_wait = false, is_in_loop = false;
  TextPlace call;
};

struct CostsOfFile {
  std::vector<Cost> costs;
  std::vector<HostHelper> helpers;  // functions that do for their own callers what they call
};

// Takes a loop times, or has each device or stream something of its own?
bool leaves_loop_alone(std::string_view call) {
  constexpr std::array<std::string_view, 6> of_times{"now", "clock", "EventRecord", "gettimeofday", "clock_gettime", "omp_get_wtime"};
  const bool is_of_event = call.ends_with("EventRecord");
  return is_of_event || is_of_several_devices(call) || std::ranges::find(of_times, call) != of_times.end();
}

class Caller {
 public:
  Caller(const Program& program, const Function& function, const Asked& asked)
      : program_(program), source_(program.sources()[function.at.source]), syntax_(source_.syntax), function_(function), asked_(asked) {}

  void look_through(CostsOfFile& into) {
    WaitingNames called;
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const std::string_view name = callee_name(source_, n);
      if (name.empty() || name == function_.name) continue;
      if (asked_.waiting.contains(name)) called.insert(name);
      if (const auto at = asked_.allocating.find(name); at != asked_.allocating.end()) note_allocations(n, at->second, into);
    }
    if (!called.empty()) note_waits(called, into);
  }

 private:
  void note_allocations(std::uint32_t call, const std::vector<const HostHelper*>& helpers, CostsOfFile& into) {
    const std::uint32_t loop = host_loop_around(syntax_, call, function_.at.node);
    if (!is_made_always(syntax_, call, loop == none ? function_.body : loop)) return;
    for (const HostHelper* const helper : helpers) {
      if (loop == none) {
        HostHelper wrapper{.function = number()};
        wrapper.allocation = helper->allocation;
        wrapper.allocates_for = helper->allocates_for;
        for (const std::uint32_t argument : arguments_of_size(call, *helper))
          wrapper.size_depends.merge(parameters_behind(source_, function_, argument));
        if (function_.name != "main") into.helpers.push_back(std::move(wrapper));
      } else if (is_long(loop) && !changes_size(call, *helper, loop)) {
        into.costs.push_back({.helper = helper, .is_wait = false, .is_in_loop = true, .call = source_.place_of(call)});
      }
    }
  }

  std::vector<std::uint32_t> arguments_of_size(std::uint32_t call, const HostHelper& helper) const {
    std::vector<std::uint32_t> arguments;
    const std::uint32_t list = syntax_.child(call, Role::arguments);
    std::uint32_t position = 0;
    for (std::uint32_t c = list == none ? none : syntax_.first_child(list); c != none; c = syntax_.next_sibling(c)) {
      if (!syntax_.is(c, NodeKind::token) && helper.size_depends.contains(position++)) arguments.push_back(c);
    }
    return arguments;
  }

  // Not for (int k = 0; k < 3; ++k), and none that takes times.
  bool is_long(std::uint32_t loop) const {
    if (syntax_[loop].last - loop > most_nodes_of_caller) return false;
    for (std::uint32_t n = loop; n < syntax_[loop].last; ++n) {
      if (syntax_.is(n, NodeKind::call) && leaves_loop_alone(callee_name(source_, n))) return false;
    }
    if (!syntax_.is(loop, NodeKind::for_statement)) return true;
    const std::uint32_t condition = syntax_.child(loop, Role::condition);
    const std::uint32_t end = condition == none ? none : syntax_.child(condition, Role::right);
    constexpr std::size_t digits_of_many = 3;
    return !syntax_.is(end, NodeKind::number) || source_.text_of(end).size() >= digits_of_many;
  }

  // Is the size another one in each iteration?
  bool changes_size(std::uint32_t call, const HostHelper& helper, std::uint32_t loop) {
    const std::vector<std::uint32_t> arguments = arguments_of_size(call, helper);
    if (arguments.empty()) return false;
    const std::unordered_set<std::string_view>& changed = changed_in(loop);
    return std::ranges::any_of(arguments, [&](std::uint32_t argument) {
      for (std::uint32_t n = argument; n < syntax_[argument].last; ++n) {
        if (syntax_.is(n, NodeKind::identifier) && changed.contains(source_.text_of(n))) return true;
      }
      return false;
    });
  }

  // The names that a loop declares, sets or counts.
  const std::unordered_set<std::string_view>& changed_in(std::uint32_t loop) {
    const auto [entry, is_new] = changed_.try_emplace(loop);
    if (!is_new) return entry->second;
    for (std::uint32_t n = loop; n < syntax_[loop].last; ++n) {
      std::uint32_t target = none;
      if (syntax_[n].role == Role::declarator) target = n;
      if (syntax_.is(n, NodeKind::assignment)) target = syntax_.child(n, Role::left);
      if (syntax_.is(n, NodeKind::update)) target = syntax_.child(n, Role::argument);
      const std::uint32_t name = target == none ? none : name_in(source_, target);
      if (name != none) entry->second.insert(source_.text_of(name));
    }
    return entry->second;
  }

  void note_waits(const WaitingNames& called, CostsOfFile& into) const {
    const HostView view{.waiting = &called, .reaches_gpu_memory = asked_.reaches_gpu_memory};
    for (const WaitingCall& found : needless_waits_of_calls(program_, function_, view)) {
      for (const HostHelper* const helper : asked_.waiting.at(callee_name(source_, found.call))) {
        into.costs.push_back({.helper = helper, .is_wait = true, .is_in_loop = found.is_in_loop, .call = source_.place_of(found.call)});
      }
    }
    const std::optional<LaunchAndWait> end = wait_at_end(program_, function_, view);
    if (!end || end->wait.kind != HostStep::launches_and_waits) return;
    for (const HostHelper* const helper : asked_.waiting.at(callee_name(source_, end->wait.call))) {
      HostHelper wrapper{.function = number()};
      wrapper.wait = helper->wait;
      wrapper.wait_place = helper->wait_place;
      wrapper.waits_behind = helper->waits_behind;
      into.helpers.push_back(std::move(wrapper));
    }
  }

  std::uint32_t number() const { return static_cast<std::uint32_t>(&function_ - program_.functions().data()); }

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  const Asked& asked_;
  std::unordered_map<std::uint32_t, std::unordered_set<std::string_view>> changed_;  // by loop
};

// Do all functions of that name do it, which `helpers` are?
bool is_of_all(const Program& program, std::string_view name, const std::vector<const HostHelper*>& helpers) {
  const Defined& defined = program.definitions(program.defined(name));
  if (defined.is_kernel) return false;
  std::unordered_set<std::uint32_t> known;
  for (const HostHelper* const helper : helpers) known.insert(helper->function);
  for (std::uint32_t f = defined.first_function; f != none; f = program.functions()[f].next) {
    if (!known.contains(f)) return false;
  }
  return true;
}

template <class Does>
ByName named(const Program& program, const std::vector<HostHelper>& helpers, Does does) {
  ByName names;
  for (const HostHelper& helper : helpers) {
    if (does(helper)) names[program.functions()[helper.function].name].push_back(&helper);
  }
  std::erase_if(names, [&](const auto& entry) { return !is_of_all(program, entry.first, entry.second); });
  return names;
}

// The files that define or mention one of these names.
std::vector<std::uint32_t> files_with(const Program& program, std::span<const Mentions> mentions, const Asked& asked) {
  std::unordered_set<std::uint32_t> numbers;
  std::vector<bool> is_wanted(mentions.size());
  for (const ByName* names : {&asked.waiting, &asked.allocating}) {
    for (const auto& [name, helpers] : *names) {
      const std::uint32_t number = program.defined(name);
      numbers.insert(number);
      for (const std::uint32_t file : program.files_defining(number)) is_wanted[file] = true;
    }
  }
  std::vector<std::uint32_t> files;
  for (std::uint32_t file = 0; file < mentions.size(); ++file) {
    if (is_wanted[file] || std::ranges::any_of(mentions[file].names, [&](std::uint32_t name) { return numbers.contains(name); }))
      files.push_back(file);
  }
  return files;
}

CostsOfFile costs_in(const Program& program, std::uint32_t file, const Asked& asked) {
  CostsOfFile found;
  const model::cuda::Syntax& syntax = program.sources()[file].syntax;
  for (const Function& function : program.functions_in(file)) {
    if (function.is_kernel || function.is_device || function.body == none) continue;
    if (syntax[function.body].last - function.body <= most_nodes_of_caller) Caller(program, function, asked).look_through(found);
  }
  return found;
}

class Notes {
 public:
  explicit Notes(std::vector<Launch>& launches) : launches_(launches) {}

  void add(const Program& program, const Cost& cost) {
    const HostHelper& helper = *cost.helper;
    Launch* const launch = at(cost.is_wait ? helper.waits_behind : helper.allocates_for);
    if (!launch) return;
    const std::string function(program.functions()[helper.function].name);
    if (!cost.is_wait) {
      if (launch->allocation) return;
      auto allocation = std::make_shared<model::cuda::HostAllocation>(helper.allocation);
      allocation->function = function;
      allocation->function_at = cost.call;
      launch->allocation = std::move(allocation);
      return;
    }
    auto waits = launch->waits ? std::make_shared<model::cuda::NeedlessWaits>(*launch->waits)
                               : std::make_shared<model::cuda::NeedlessWaits>(
                                     model::cuda::NeedlessWaits{.call = helper.wait, .places = {helper.wait_place}, .function = function});
    if (waits->function.empty()) return;  // the function itself has some
    constexpr std::size_t most = 8;
    ++waits->count;
    waits->is_in_loop = waits->is_in_loop || cost.is_in_loop;
    if (waits->places.size() < most) waits->places.push_back(cost.call);
    launch->waits = std::move(waits);
  }

 private:
  Launch* at(const TextPlace& place) const {
    const auto key = [](const TextPlace& p) { return std::tuple(std::string_view(p.file), p.line, p.column); };
    const auto found = std::ranges::lower_bound(launches_, key(place), {}, [&](const Launch& l) { return key(l.place); });
    return found != launches_.end() && key(found->place) == key(place) ? &*found : nullptr;
  }

  std::vector<Launch>& launches_;
};

}  // namespace

void note_callers(const Program& program, std::span<const Mentions> mentions, std::vector<HostHelper> helpers, bool reaches_gpu_memory,
                  std::vector<Launch>& launches) {
  constexpr int most_levels = 3;       // of functions that call each other
  constexpr std::size_t at_once = 32;  // files that are unpacked together
  Notes notes(launches);
  for (int level = 0; level < most_levels && !helpers.empty(); ++level) {
    const Asked asked{.waiting = named(program, helpers, [](const HostHelper& h) { return !h.wait.empty(); }),
                      .allocating = named(program, helpers, [](const HostHelper& h) { return !h.allocation.call.empty(); }),
                      .reaches_gpu_memory = reaches_gpu_memory};
    const std::vector<std::uint32_t> files = files_with(program, mentions, asked);
    std::vector<HostHelper> next;
    for (std::size_t begin = 0; begin < files.size(); begin += at_once) {
      std::vector<CostsOfFile> found(std::min(at_once, files.size() - begin));
      for_each_in_parallel(found.size(), [&](std::size_t i) { found[i] = costs_in(program, files[begin + i], asked); });
      for (CostsOfFile& some : found) {
        for (const Cost& cost : some.costs) notes.add(program, cost);
        std::ranges::move(some.helpers, std::back_inserter(next));
      }
      program.sources().pack_all();
    }
    helpers = std::move(next);
  }
}

}  // namespace frx::derive::cuda
