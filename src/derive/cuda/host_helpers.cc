#include "derive/cuda/host_helpers.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/host_loops.h"
#include "derive/cuda/host_waits.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t most_nodes_of_helper = 8192;  // of a function, or of the beginning of a kernel, that are looked through

using Names = std::unordered_set<std::string_view>;

// But for types whose size is asked.
Names names_in(const Source& source, std::uint32_t node) {
  Names names;
  for (std::uint32_t n = node; node != none && n < source.syntax[node].last; ++n) {
    if (source.syntax.is(n, NodeKind::sizeof_expression))
      n = source.syntax[n].last - 1;
    else if (source.syntax.is(n, NodeKind::identifier))
      names.insert(source.text_of(n));
  }
  return names;
}

// The declarator of a local variable that is no reference, and what it begins with; an assignment to a name.
struct Local {
  std::uint32_t name = none, value = none;
};

std::vector<Local> locals_of(const Source& source, const Function& function) {
  const model::cuda::Syntax& syntax = source.syntax;
  std::vector<Local> locals;
  for (std::uint32_t n = function.body; n < syntax[function.body].last; ++n) {
    if (!syntax.is(n, NodeKind::declaration) || has_word(source, n, "static")) continue;
    for (std::uint32_t c = syntax.first_child(n); c != none; c = syntax.next_sibling(c)) {
      if (syntax[c].role != Role::declarator || source.text_of(c).starts_with('&')) continue;
      locals.push_back({name_in(source, c), syntax.child(c, Role::value)});
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

  // The first call that gives a local variable memory which nothing keeps beyond the function, made each time, or each time that it
  // launches.
  std::uint32_t find(std::uint32_t launch) const {
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      const bool is_vector = makes_device_vector(source_, n, function_.body);
      if (!is_vector && !syntax_.is(n, NodeKind::call)) continue;
      const std::string_view call = is_vector ? "" : callee_name(source_, n);
      if (!is_vector && (!allocates_or_frees(call) || runtime_name(call).starts_with("Free"))) continue;
      std::uint32_t around = syntax_[n].parent;  // the statements that the launch is one of as well
      while (around != function_.body && (launch < around || launch >= syntax_[around].last)) around = syntax_[around].parent;
      if (!is_made_always(source_, n, around)) continue;
      if (is_vector) return n;
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

  // Neither handed back nor kept: it is freed there each time, or named by launches and calls of the runtime alone.
  bool stays_in_function(std::string_view variable) const {
    bool is_freed = false, is_named_by_others = false;
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      // holder(p) may be read as a function that is given a type p.
      const bool may_name = syntax_.is(n, NodeKind::identifier) || syntax_.is(n, NodeKind::type_identifier);
      if (!may_name || source_.text_of(n) != variable) continue;
      const std::uint32_t user = user_of(n);
      if (user == none) continue;
      const std::string_view name = syntax_.is(user, NodeKind::call) ? runtime_name(callee_name(source_, user)) : "";
      if (syntax_.is(user, NodeKind::return_statement) || name.starts_with("MemcpyToSymbol")) return false;
      is_freed = is_freed || (name == "Free" && !is_in_branch_that_leaves(user));
      is_named_by_others = is_named_by_others || (name.empty() && syntax_.child(user, NodeKind::kernel_call_syntax) == none);
    }
    return is_freed || !is_named_by_others;
  }

  // The call that is given a name, or what else takes its value: a return, an assignment, the value of another variable. None where the
  // name is declared or set.
  std::uint32_t user_of(std::uint32_t name) const {
    for (std::uint32_t at = name; at != function_.body; at = syntax_[at].parent) {
      const std::uint32_t around = syntax_[at].parent;
      const NodeKind kind = syntax_.kind(around);
      if (kind == NodeKind::call) return around;
      if (kind == NodeKind::assignment) return syntax_[at].role == Role::left ? none : around;
      if (kind == NodeKind::init_declarator) return syntax_[at].role == Role::declarator ? none : around;
      if (kind == NodeKind::declaration) return name_in(source_, at) == name ? none : around;  // std::unique_ptr<float> holder(p);
      if (kind == NodeKind::return_statement || kind == NodeKind::initializer_list) return around;
    }
    return none;
  }

  // if (...) { cudaFree(p); return nullptr; }
  bool is_in_branch_that_leaves(std::uint32_t call) const {
    for (std::uint32_t p = syntax_[call].parent; p != function_.body; p = syntax_[p].parent) {
      if (!syntax_.is(p, NodeKind::compound_statement)) continue;
      for (std::uint32_t c = syntax_.first_child(p); c != none; c = syntax_.next_sibling(c)) {
        if (syntax_.is(c, NodeKind::return_statement)) return true;
      }
    }
    return false;
  }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  Names locals_;
};

}  // namespace

AllocatedSize size_of_allocation(const Source& source, const Function& function, std::uint32_t expression) {
  constexpr int most_steps = 3;
  const model::cuda::Syntax& syntax = source.syntax;
  Names names = names_in(source, expression), own;
  std::vector<Local> values = locals_of(source, function);
  for (const Local& local : values) {
    if (local.name != none) own.insert(source.text_of(local.name));
  }
  for (std::uint32_t n = function.body; n < syntax[function.body].last; ++n) {
    if (syntax.is(n, NodeKind::assignment)) values.push_back({name_in(source, syntax.child(n, Role::left)), syntax.child(n, Role::right)});
  }
  for (int step = 0; step < most_steps; ++step) {
    Names more;
    for (const Local& local : values) {
      if (local.name != none && names.contains(source.text_of(local.name))) more.merge(names_in(source, local.value));
    }
    names.merge(more);
  }
  AllocatedSize size;
  for (std::uint32_t i = 0; i < function.parameters.size(); ++i) {
    const std::uint32_t name = name_in(source, syntax.child(function.parameters[i], Role::declarator));
    if (name == none) continue;
    own.insert(source.text_of(name));
    if (names.contains(source.text_of(name))) size.parameters.insert(i);
  }
  for (const std::string_view name : names) {
    if (!own.contains(name)) size.others.emplace(name);
  }
  return size;
}

bool prints(const Program& program, std::string_view kernel) {
  const std::uint32_t number = program.defined(kernel);
  for (const std::uint32_t file : number == none ? std::span<const std::uint32_t>() : program.files_defining(number)) {
    for (const Function& function : program.functions_in(file)) {
      if (!function.is_kernel || function.name != kernel) continue;
      const Source& source = program.sources()[file];
      const std::uint32_t last = std::min(source.syntax[function.body].last, function.body + most_nodes_of_helper);
      for (std::uint32_t n = function.body; n < last; ++n) {
        if (source.syntax.is(n, NodeKind::call) && callee_name(source, n) == "printf") return true;
      }
    }
  }
  return false;
}

std::optional<HostHelper> helper_of(const Program& program, std::uint32_t number, const std::vector<NamedLaunch>& launches, HostView view) {
  const Function& function = program.functions()[number];
  const Source& source = program.sources()[function.at.source];
  const model::cuda::Syntax& syntax = source.syntax;
  if (function.is_kernel || function.is_device || launches.empty() || function.name == "main") return std::nullopt;
  if (syntax[function.body].last - function.body > most_nodes_of_helper) return std::nullopt;
  const std::string_view body = source.text_of(function.body);
  HostHelper helper{.function = number};
  if (view.reach != HostReach::shared && may_wait(program, function)) {
    const WaitingNames no_names;
    view.waiting = &no_names;
    const std::optional<LaunchAndWait> end = wait_at_end(program, function, view);
    const auto launch = end ? std::ranges::find(launches, end->launch.call, &NamedLaunch::node) : launches.end();
    if (launch != launches.end() && !prints(program, launch->kernel)) {
      helper.wait = std::string(callee_name(source, end->wait.call));
      helper.wait_place = source.place_of(end->wait.call);
      helper.waits_behind = launch->place;
    }
  }
  const bool may_allocate = body.find("Malloc") != body.npos || body.find("device_vector<") != body.npos;
  const std::uint32_t call = may_allocate ? OwnAllocation(source, function).find(launches.front().node) : none;
  if (call != none) {
    helper.allocation = {.call = allocating_call(source, call), .place = source.place_of(call)};
    helper.allocates_for = launches.front().place;
    helper.size = size_of_allocation(source, function, syntax.is(call, NodeKind::call) ? syntax.child(call, Role::arguments) : call);
  }
  if (helper.wait.empty() && helper.allocation.call.empty()) return std::nullopt;
  return helper;
}

}  // namespace frx::derive::cuda
