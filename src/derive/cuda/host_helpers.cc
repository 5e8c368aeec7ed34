#include "derive/cuda/host_helpers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/host_loops.h"
#include "derive/cuda/host_waits.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t most_nodes_of_helper = 8192;  // of a function that is looked through

using Names = std::unordered_set<std::string_view>;

Names names_in(const Source& source, std::uint32_t node) {
  Names names;
  for (std::uint32_t n = node; node != none && n < source.syntax[node].last; ++n) {
    if (source.syntax.is(n, NodeKind::identifier)) names.insert(source.text_of(n));
  }
  return names;
}

// The declarator of a local variable, and what it begins with.
struct Local {
  std::uint32_t name = none, value = none;
};

std::vector<Local> locals_of(const Source& source, const Function& function) {
  const model::cuda::Syntax& syntax = source.syntax;
  std::vector<Local> locals;
  for (std::uint32_t n = function.body; n < syntax[function.body].last; ++n) {
    if (!syntax.is(n, NodeKind::declaration) || has_word(source, n, "static")) continue;
    for (std::uint32_t c = syntax.first_child(n); c != none; c = syntax.next_sibling(c)) {
      if (syntax[c].role == Role::declarator) locals.push_back({name_in(source, c), syntax.child(c, Role::value)});
    }
  }
  return locals;
}

class OwnAllocation {
 public:
  OwnAllocation(const Source& source, const Function& function) : source_(source), syntax_(source.syntax), function_(function) {
    for (const Local& local : locals_of(source, function)) {
      if (local.name != none) locals_.insert(source.text_of(local.name));
    }
  }

  // The first call that gives a local variable memory which nothing keeps beyond the function.
  std::uint32_t find() const {
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const std::string_view call = callee_name(source_, n);
      if (!allocates_or_frees(call) || runtime_name(call).starts_with("Free")) continue;
      const std::string_view variable = variable_of(n);
      if (!variable.empty() && locals_.contains(variable) && stays_in_function(variable)) return n;
    }
    return none;
  }

 private:
  // The v of cudaMalloc(&v, bytes) and cudaMalloc((void**)&v, bytes).
  std::string_view variable_of(std::uint32_t call) const {
    const std::uint32_t list = syntax_.child(call, Role::arguments);
    std::uint32_t first = list == none ? none : syntax_.first_child(list);
    while (first != none && syntax_.is(first, NodeKind::token)) first = syntax_.next_sibling(first);
    if (first == none) return {};
    if (syntax_.is(first, NodeKind::cast)) first = syntax_.child(first, Role::value);
    if (!syntax_.is(first, NodeKind::pointer_expression) || !source_.text_of(first).starts_with('&')) return {};
    const std::uint32_t name = syntax_.child(first, Role::argument);
    return syntax_.is(name, NodeKind::identifier) ? source_.text_of(name) : std::string_view();
  }

  // It is freed there, or named by launches and calls of the runtime alone: neither handed back nor kept.
  bool stays_in_function(std::string_view variable) const {
    bool stays = true;
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::identifier) || source_.text_of(n) != variable) continue;
      std::uint32_t call = syntax_[n].parent;
      while (call != function_.body && !syntax_.is(call, NodeKind::call) && !syntax_.is(call, NodeKind::declaration))
        call = syntax_[call].parent;
      if (syntax_.is(call, NodeKind::declaration)) continue;
      if (!syntax_.is(call, NodeKind::call)) {
        stays = false;
        continue;
      }
      const std::string_view name = runtime_name(callee_name(source_, call));
      if (name == "Free") return true;
      stays = stays && (!name.empty() || syntax_.child(call, NodeKind::kernel_call_syntax) != none);
    }
    return stays;
  }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  Names locals_;
};

}  // namespace

std::set<std::uint32_t> parameters_behind(const Source& source, const Function& function, std::uint32_t expression) {
  constexpr int most_steps = 3;
  Names names = names_in(source, expression);
  const std::vector<Local> locals = locals_of(source, function);
  for (int step = 0; step < most_steps; ++step) {
    Names more;
    for (const Local& local : locals) {
      if (local.name != none && names.contains(source.text_of(local.name))) more.merge(names_in(source, local.value));
    }
    names.merge(more);
  }
  std::set<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < function.parameters.size(); ++i) {
    const std::uint32_t name = name_in(source, source.syntax.child(function.parameters[i], Role::declarator));
    if (name != none && names.contains(source.text_of(name))) positions.insert(i);
  }
  return positions;
}

std::optional<HostHelper> helper_of(const Program& program, std::uint32_t number, const std::vector<NamedLaunch>& launches,
                                    bool reaches_gpu_memory) {
  const Function& function = program.functions()[number];
  const Source& source = program.sources()[function.at.source];
  const model::cuda::Syntax& syntax = source.syntax;
  if (function.is_kernel || function.is_device || launches.empty() || function.name == "main") return std::nullopt;
  if (syntax[function.body].last - function.body > most_nodes_of_helper) return std::nullopt;
  const std::string_view body = source.text_of(function.body);
  HostHelper helper{.function = number};
  if (body.find("Synchronize") != body.npos) {
    const WaitingNames no_names;
    const std::optional<LaunchAndWait> end =
        wait_at_end(program, function, {.waiting = &no_names, .reaches_gpu_memory = reaches_gpu_memory});
    const auto launch = end ? std::ranges::find(launches, end->launch.call, &NamedLaunch::node) : launches.end();
    if (launch != launches.end()) {
      helper.wait = std::string(callee_name(source, end->wait.call));
      helper.wait_place = source.place_of(end->wait.call);
      helper.waits_behind = launch->place;
    }
  }
  const std::uint32_t call = body.find("Malloc") != body.npos ? OwnAllocation(source, function).find() : none;
  if (call != none) {
    helper.allocation = {.call = std::string(callee_name(source, call)), .place = source.place_of(call)};
    helper.allocates_for = launches.front().place;
    helper.size_depends = parameters_behind(source, function, syntax.child(call, Role::arguments));
  }
  if (helper.wait.empty() && helper.allocation.call.empty()) return std::nullopt;
  return helper;
}

}  // namespace frx::derive::cuda
