#include "derive/cuda/host_callers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
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

constexpr std::uint32_t most_nodes_of_caller = 16'384;  // that are looked through

// The helper of each name that only one function has.
using ByName = std::unordered_map<std::string_view, const HostHelper*>;

// What callers are asked for.
struct Asked {
  ByName waiting, allocating;
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

class Caller {
 public:
  Caller(const Program& program, const Function& function, const Asked& asked, HostView view)
      : program_(program),
        source_(program.sources()[function.at.source]),
        syntax_(source_.syntax),
        function_(function),
        asked_(asked),
        view_(view) {}

  void look_through(CostsOfFile& into) {
    WaitingNames called;
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const std::string_view name = callee_name(source_, n);
      if (helper_at(asked_.waiting, name, n)) called.insert(name);
      if (const HostHelper* const helper = helper_at(asked_.allocating, name, n)) note_allocation(n, *helper, into);
    }
    if (!called.empty() && view_.reach != HostReach::shared) note_waits(called, into);
  }

 private:
  const HostHelper* helper_at(const ByName& names, std::string_view name, std::uint32_t call) const {
    const auto at = name.empty() || name == function_.name ? names.end() : names.find(name);
    if (at == names.end() || !may_call(program_, source_, call, program_.functions()[at->second->function])) return nullptr;
    return at->second;
  }

  void note_allocation(std::uint32_t call, const HostHelper& helper, CostsOfFile& into) {
    const std::uint32_t loop = host_loop_around(source_, call, function_.at.node);
    if (!is_made_always(source_, call, loop == none ? function_.body : loop)) return;
    if (loop != none) {
      if (is_long_host_loop(program_, function_, loop, fewest_iterations) && !changes_size(call, helper, loop))
        into.costs.push_back({.helper = &helper, .is_wait = false, .is_in_loop = true, .call = source_.place_of(call)});
      return;
    }
    const bool is_known =
        std::ranges::any_of(into.helpers, [&](const HostHelper& h) { return h.function == number() && !h.allocation.call.empty(); });
    if (function_.name == "main" || is_known) return;
    HostHelper wrapper{.function = number()};
    wrapper.allocation = helper.allocation;
    wrapper.allocates_for = helper.allocates_for;
    wrapper.size.others = helper.size.others;
    for (const std::uint32_t argument : arguments_of_size(call, helper)) {
      AllocatedSize more = size_of_allocation(source_, function_, argument);
      wrapper.size.parameters.merge(more.parameters);
      wrapper.size.others.merge(more.others);
    }
    into.helpers.push_back(std::move(wrapper));
  }

  std::vector<std::uint32_t> arguments_of_size(std::uint32_t call, const HostHelper& helper) const {
    std::vector<std::uint32_t> arguments;
    const std::uint32_t list = syntax_.child(call, Role::arguments);
    std::uint32_t position = 0;
    for (std::uint32_t c = list == none ? none : syntax_.first_child(list); c != none; c = syntax_.next_sibling(c)) {
      if (!syntax_.is(c, NodeKind::token) && helper.size.parameters.contains(position++)) arguments.push_back(c);
    }
    return arguments;
  }

  // Is the size another one in each iteration? A method that the loop calls may change members of its object.
  bool changes_size(std::uint32_t call, const HostHelper& helper, std::uint32_t loop) {
    const std::unordered_set<std::string_view>& changed = changed_in(loop);
    if (std::ranges::any_of(helper.size.others, [&](const std::string& name) { return changed.contains(name); })) return true;
    const std::uint32_t called = syntax_.child(call, Role::function);
    if (!helper.size.others.empty() && syntax_.is(called, NodeKind::field_expression) &&
        changed.contains(source_.text_of(syntax_.child(called, Role::argument))))
      return true;
    return std::ranges::any_of(arguments_of_size(call, helper), [&](std::uint32_t argument) {
      for (std::uint32_t n = argument; n < syntax_[argument].last; ++n) {
        if (syntax_.is(n, NodeKind::identifier) && changed.contains(source_.text_of(n))) return true;
      }
      return false;
    });
  }

  // The names that a loop declares, sets, counts, reads or gives a pointer to, with the objects whose members these are; and objects of
  // which it calls a method for its own sake.
  const std::unordered_set<std::string_view>& changed_in(std::uint32_t loop) {
    const auto [entry, is_new] = changed_.try_emplace(loop);
    if (!is_new) return entry->second;
    for (std::uint32_t n = loop; n < syntax_[loop].last; ++n) {
      std::uint32_t target = none;
      if (syntax_[n].role == Role::declarator) target = name_in(source_, n);
      if (target == none) target = changed_by(source_, n);
      if (syntax_.is(n, NodeKind::binary) && source_.text_of(syntax_.child(n, Role::op)) == ">>") target = syntax_.child(n, Role::right);
      if (target == none) target = object_of_method(n);
      for (std::uint32_t part = target; part != none && part < syntax_[target].last; ++part) {
        if (syntax_.is(part, NodeKind::identifier) || syntax_.is(part, NodeKind::field_identifier))
          entry->second.insert(source_.text_of(part));
      }
    }
    return entry->second;
  }

  // v.resize(m); as a statement of its own, of a method that is no helper.
  std::uint32_t object_of_method(std::uint32_t node) const {
    if (!syntax_.is(node, NodeKind::call) || !syntax_.is(syntax_[node].parent, NodeKind::expression_statement)) return none;
    const std::uint32_t called = syntax_.child(node, Role::function);
    if (!syntax_.is(called, NodeKind::field_expression) || asked_.allocating.contains(callee_name(source_, node))) return none;
    return syntax_.child(called, Role::argument);
  }

  void note_waits(const WaitingNames& called, CostsOfFile& into) const {
    HostView view = view_;
    view.waiting = &called;
    for (const WaitingCall& found : needless_waits_of_calls(program_, function_, view)) {
      const HostHelper* const helper = asked_.waiting.at(callee_name(source_, found.call));
      into.costs.push_back({.helper = helper, .is_wait = true, .is_in_loop = found.is_in_loop, .call = source_.place_of(found.call)});
    }
    const std::optional<LaunchAndWait> end = wait_at_end(program_, function_, view);
    if (!end || end->wait.kind != HostStep::launches_and_waits) return;
    const HostHelper& helper = *asked_.waiting.at(callee_name(source_, end->wait.call));
    HostHelper wrapper{.function = number()};
    wrapper.wait = helper.wait;
    wrapper.wait_place = helper.wait_place;
    wrapper.waits_behind = helper.waits_behind;
    into.helpers.push_back(std::move(wrapper));
  }

  std::uint32_t number() const { return static_cast<std::uint32_t>(&function_ - program_.functions().data()); }

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  const Asked& asked_;
  HostView view_;
  std::unordered_map<std::uint32_t, std::unordered_set<std::string_view>> changed_;  // by loop
};

template <class Does>
ByName named(const Program& program, const std::vector<HostHelper>& helpers, Does does) {
  ByName names;
  for (const HostHelper& helper : helpers) {
    const std::string_view name = program.functions()[helper.function].name;
    const Defined& defined = program.definitions(program.defined(name));
    if (does(helper) && !defined.is_kernel && defined.first_function == defined.last_function) names.emplace(name, &helper);
  }
  return names;
}

// The files that define or mention one of these names.
std::vector<std::uint32_t> files_with(const Program& program, std::span<const Mentions> mentions, const Asked& asked) {
  std::unordered_set<std::uint32_t> numbers;
  std::vector<bool> is_wanted(mentions.size());
  for (const ByName* names : {&asked.waiting, &asked.allocating}) {
    for (const auto& [name, helper] : *names) {
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

CostsOfFile costs_in(const Program& program, std::uint32_t file, const Asked& asked, const HostMemory& memory) {
  CostsOfFile found;
  const Source& source = program.sources()[file];
  const HostView view{.waiting = nullptr, .reach = host_reach(source.text), .memory = &memory};
  for (const Function& function : program.functions_in(file)) {
    if (function.is_kernel || function.is_device || function.body == none) continue;
    if (source.syntax[function.body].last - function.body > most_nodes_of_caller) continue;
    Caller(program, function, asked, view).look_through(found);
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
    ++waits->count;
    waits->is_in_loop = waits->is_in_loop || cost.is_in_loop;
    if (waits->places.size() < most_places_of_waits) waits->places.push_back(cost.call);
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

void note_callers(const Program& program, std::span<const Mentions> mentions, std::vector<HostHelper> helpers, const HostMemory& memory,
                  std::vector<Launch>& launches) {
  constexpr int most_levels = 3;       // of functions that call each other
  constexpr std::size_t at_once = 32;  // files that are unpacked together
  Notes notes(launches);
  for (int level = 0; level < most_levels && !helpers.empty(); ++level) {
    const Asked asked{.waiting = named(program, helpers, [](const HostHelper& h) { return !h.wait.empty(); }),
                      .allocating = named(program, helpers, [](const HostHelper& h) { return !h.allocation.call.empty(); })};
    const std::vector<std::uint32_t> files = files_with(program, mentions, asked);
    std::vector<HostHelper> next;
    for (std::size_t begin = 0; begin < files.size(); begin += at_once) {
      std::vector<CostsOfFile> found(std::min(at_once, files.size() - begin));
      for_each_in_parallel(found.size(), [&](std::size_t i) { found[i] = costs_in(program, files[begin + i], asked, memory); });
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
