#include "derive/cuda/host_steps.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/divisions.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/host_loops.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t most_nodes = 200;             // of a statement that is looked through: a launch, a call in a macro that checks it
constexpr std::uint32_t most_nodes_of_small = 60;     // of a function that passes
constexpr std::uint32_t most_nodes_of_called = 4096;  // of one that may launch
constexpr int most_depth = 2;

// TIC;
bool is_unknown_macro(const Source& source, std::uint32_t statement) {
  const model::cuda::Syntax& syntax = source.syntax;
  return syntax.is(statement, NodeKind::expression_statement) && syntax.is(syntax.first_child(statement), NodeKind::identifier);
}

}  // namespace

bool is_host_loop(const Source& source, std::uint32_t node) {
  const model::cuda::Syntax& syntax = source.syntax;
  if (node == none) return false;
  if (!syntax.is(node, NodeKind::do_statement)) return is_loop_node(syntax.kind(node)) || syntax.is(node, NodeKind::for_range_loop);
  const std::string_view condition = source.text_of(syntax.child(node, Role::condition));
  return condition != "(0)" && condition != "0" && condition != "(false)" && condition != "false";
}

std::uint32_t changed_by(const Source& source, std::uint32_t node) {
  const model::cuda::Syntax& syntax = source.syntax;
  switch (syntax.kind(node)) {
    case NodeKind::assignment: return syntax.child(node, Role::left);
    case NodeKind::update: return syntax.child(node, Role::argument);
    case NodeKind::pointer_expression: return source.text_of(node).starts_with('&') ? syntax.child(node, Role::argument) : none;
    default: return none;
  }
}

HostReach host_reach(std::string_view text) {
  constexpr std::array<std::string_view, 11> shared{"Managed",      "managed__", "HostAlloc", "HostMalloc", "MallocHost",   "AllocHost",
                                                    "HostRegister", "niversal_", "inned",     "apped",      "device_vector"};
  if (std::ranges::any_of(shared, [&](std::string_view word) { return text.find(word) != text.npos; })) return HostReach::shared;
  for (const std::string_view call : {"cudaMalloc(", "hipMalloc("}) {
    const std::size_t at = text.find(call);
    if (at != text.npos && !text.substr(at + call.size()).starts_with(')')) return HostReach::apart;
  }
  return HostReach::unknown;
}

bool HostMemory::is_shared_anywhere() const {
  std::call_once(once_, [&] {
    for (std::uint32_t i = 0; i < sources_.size() && !is_shared_; ++i)
      is_shared_ = host_reach(sources_.without_syntax(i).text) == HostReach::shared;
  });
  return is_shared_;
}

std::uint32_t host_loop_around(const Source& source, std::uint32_t node, std::uint32_t function) {
  return innermost_around(source.syntax, node, function, [&](std::uint32_t p) { return is_host_loop(source, p); });
}

bool may_call(const Program& program, const Source& source, std::uint32_t call, const Function& function) {
  const model::cuda::Syntax& syntax = source.syntax;
  const std::uint32_t called = syntax.child(call, Role::function);
  const std::string_view record = class_of_function(program.sources()[function.at.source], function);
  if (syntax.is(called, NodeKind::qualified_identifier) && innermost_scope(source, called) != record) return false;
  if (syntax.is(called, NodeKind::field_expression) && record.empty()) return false;
  return count_of_arguments(syntax, call) <= function.parameters.size();
}

bool may_wait(const Program& program, const Function& function) {
  const Source& source = program.sources()[function.at.source];
  if (source.text_of(function.body).find("Synchronize") != std::string_view::npos) return true;
  if (!program.has_functions_that_wait()) return false;
  for (std::uint32_t n = function.body; n < source.syntax[function.body].last; ++n) {
    if (source.syntax.is(n, NodeKind::call) && program.may_only_wait(callee_name(source, n))) return true;
  }
  return false;
}

HostStep HostSteps::of(std::uint32_t statement) const {
  const std::uint32_t last = syntax_[statement].last;
  if (last - statement > most_nodes || is_host_loop(source_, statement)) return {.kind = HostStep::needs};
  HostStep step;
  for (std::uint32_t n = statement; n < last; ++n) {
    if (syntax_.is(n, NodeKind::call)) {
      const HostStep what = of_call(n);
      // A macro that looks at an error may name the call twice: if (wait() != cudaSuccess) report(cudaGetErrorString(wait()));
      if (what.kind == HostStep::waits && step.kind == HostStep::waits && what.stream == step.stream) continue;
      if (what.kind == HostStep::needs || (what.kind != HostStep::passes && step.kind != HostStep::passes))
        return {.kind = HostStep::needs};
      if (what.kind != HostStep::passes) step = what;
      const bool is_function = what.kind == HostStep::launches_and_waits || what.kind == HostStep::launches_first;
      if (is_function && !is_whole_statement(n, statement)) return {.kind = HostStep::needs};
      if (what.kind != HostStep::launches && !is_function) continue;
      // Its arguments are values, which may have to be read first.
      const std::uint32_t behind = syntax_[n].last;
      for (std::uint32_t part = n + 1; part < behind && view_.reach == HostReach::shared; ++part)
        step.needs_before = step.needs_before || reads_memory(part);
      n = behind - 1;
    } else if (reads_memory(n) || (view_.waiting && makes_object(n)) || is_unknown_macro(source_, n)) {
      return {.kind = HostStep::needs};
    }
  }
  return step;
}

// a + b, and not a && b, whose second operand may be left out.
bool HostSteps::computes(std::uint32_t binary) const {
  const std::string_view op = source_.text_of(syntax_.child(binary, Role::op));
  return op == "+" || op == "-" || op == "*" || op == "/";
}

// Not behind a condition, nor with a result that decides something.
bool HostSteps::is_whole_statement(std::uint32_t call, std::uint32_t statement) const {
  for (std::uint32_t at = call; at != statement; at = syntax_[at].parent) {
    const NodeKind around = syntax_.kind(syntax_[at].parent);
    const bool is_plain = around == NodeKind::expression_statement || around == NodeKind::call || around == NodeKind::argument_list ||
                          around == NodeKind::compound_statement || around == NodeKind::do_statement || around == NodeKind::declaration ||
                          around == NodeKind::init_declarator || around == NodeKind::assignment || around == NodeKind::parenthesized ||
                          (around == NodeKind::binary && computes(syntax_[at].parent));
    if (!is_plain) return false;
  }
  return true;
}

// Timer timer("step"); Device device(3): what a constructor does, such as to take times.
bool HostSteps::makes_object(std::uint32_t node) const {
  if (!syntax_.is(node, NodeKind::declaration)) return false;
  const std::string_view type = source_.text_of(syntax_.child(node, Role::type));
  if (type == "dim3" || type.starts_with("thrust::device_ptr<") || syntax_.is(syntax_.child(node, Role::type), NodeKind::primitive_type))
    return false;
  for (std::uint32_t c = syntax_.first_child(node); c != none; c = syntax_.next_sibling(c)) {
    const std::string_view written = source_.text_of(c);
    if (syntax_[c].role == Role::declarator && (written.ends_with(')') || written.ends_with('}')) && written.find('=') == written.npos)
      return true;
  }
  return false;
}

HostStep HostSteps::of_call(std::uint32_t call) const {
  if (const std::uint32_t config = syntax_.child(call, NodeKind::kernel_call_syntax); config != none)
    return {.kind = HostStep::launches, .call = call, .stream = stream_in(config)};
  const std::string_view name = callee_name(source_, call);
  const std::uint32_t arguments = syntax_.child(call, Role::arguments);
  if (waits_for_gpu(name)) {
    std::string_view stream = arguments == none ? "" : source_.text_of(arguments);
    if (stream.size() >= 2) stream = trim(stream.substr(1, stream.size() - 2));
    return {.kind = HostStep::waits, .call = call, .stream = stream};
  }
  if (only_waits(call, name)) return {.kind = HostStep::waits, .call = call};
  const bool copies_on_gpu = runtime_name(name) == "Memcpy" && source_.text_of(call).find("DeviceToDevice") != std::string_view::npos;
  const std::uint32_t called_by = syntax_.child(call, Role::function);
  const bool is_method = syntax_.is(called_by, NodeKind::field_expression);
  const bool is_known = goes_on_without_results(name) && (!runtime_name(name).empty() || program_.defined(name) == none) &&
                        !(is_method && is_given_to_gpu(source_.text_of(syntax_.child(called_by, Role::argument))));
  const bool passes = is_known || copies_on_gpu || (arguments != none && looks_at_errors_alone(arguments));
  if (passes) return {};
  if (const std::optional<std::string_view> stream = stream_of_work(call, name))
    return {.kind = HostStep::launches, .call = call, .stream = *stream};
  if (!view_.waiting) return {.kind = HostStep::needs};
  if (!view_.waiting->contains(name)) return {.kind = kind_of_small(call, name), .call = call};
  const Function& called = program_.functions()[program_.definitions(program_.defined(name)).first_function];
  return {.kind = may_call(program_, source_, call, called) ? HostStep::launches_and_waits : HostStep::needs, .call = call};
}

// thrust::sort(keys, keys + n) of memory of the GPU, and cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice): work that a stream does after
// what it was given before, though the host waits for it.
std::optional<std::string_view> HostSteps::stream_of_work(std::uint32_t call, std::string_view name) const {
  const std::string_view text = source_.text_of(call);
  const bool may_be_of_host = view_.reach == HostReach::shared;
  if (runtime_name(name) == "Memcpy" && text.find("HostToDevice") != text.npos && !may_be_of_host) return "";
  if (!text.starts_with("thrust::") || name.ends_with("cast") || is_view_of_thrust(name)) return std::nullopt;
  const std::uint32_t arguments = syntax_.child(call, Role::arguments);
  if (arguments == none || text.find(".on(") != text.npos || text.find("host") != text.npos) return std::nullopt;
  for (std::uint32_t c = syntax_.first_child(arguments); c != none; c = syntax_.next_sibling(c)) {
    if (!syntax_.is(c, NodeKind::token) && is_of_device(c)) return "";
  }
  return std::nullopt;
}

// thrust::device, thrust::device_pointer_cast(p) + n, or a variable of the type thrust::device_ptr<int>.
bool HostSteps::is_of_device(std::uint32_t iterator) const {
  const std::string_view text = source_.text_of(iterator);
  if (text == "thrust::device" || text.starts_with("thrust::device_p")) return true;
  std::uint32_t name = iterator;
  while (syntax_.is(name, NodeKind::binary)) name = syntax_.child(name, Role::left);
  if (!syntax_.is(name, NodeKind::identifier)) return false;
  if (!device_pointers_) {
    device_pointers_.emplace();
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::declaration) || !source_.text_of(n).starts_with("thrust::device_ptr<")) continue;
      for (std::uint32_t part = n; part < syntax_[n].last; ++part) {
        if (syntax_.is(part, NodeKind::identifier)) device_pointers_->insert(source_.text_of(part));
      }
    }
  }
  return device_pointers_->contains(source_.text_of(name));
}

// Of a function of the same file: int blocks(int n) { return (n + 255) / 256; } passes; void step() { k<<<n, 256>>>(); cudaMemcpy(...); }
// launches before it may need anything.
HostStep::Kind HostSteps::kind_of_small(std::uint32_t call, std::string_view name) const {
  const std::uint32_t number = depth_ < most_depth ? program_.defined(name) : none;
  if (number == none) return HostStep::needs;
  const Defined& defined = program_.definitions(number);
  if (defined.is_kernel || defined.first_function == none || defined.first_function != defined.last_function) return HostStep::needs;
  const Function& called = program_.functions()[defined.first_function];
  if (called.at.source != function_.at.source || called.body == none || !may_call(program_, source_, call, called)) return HostStep::needs;
  const auto [entry, is_new] = kinds_.try_emplace(defined.first_function, HostStep::needs);
  if (is_new) entry->second = kind_of_body(called);
  return entry->second;
}

HostStep::Kind HostSteps::kind_of_body(const Function& called) const {
  constexpr int most_statements = 16;  // before its first launch
  const std::uint32_t nodes = syntax_[called.body].last - called.body;
  if (nodes > most_nodes_of_called) return HostStep::needs;
  int statements = 0;
  HostView view = view_;
  if (view.reach == HostReach::apart) view.reach = HostReach::unknown;  // what the caller gives to launches is not known there
  const HostSteps steps(program_, called, view, depth_ + 1);
  for (std::uint32_t c = syntax_.first_child(called.body); c != none; c = syntax_.next_sibling(c)) {
    if (syntax_.is(c, NodeKind::token)) continue;
    const HostStep step = steps.of(c);
    const bool is_plain = syntax_.is(c, NodeKind::expression_statement) || syntax_.is(c, NodeKind::do_statement);
    if (step.kind == HostStep::launches && is_plain && step.stream.empty() && !step.needs_before) return HostStep::launches_first;
    if (step.kind != HostStep::passes || has_return(c) || ++statements > most_statements) return HostStep::needs;
  }
  return nodes > most_nodes_of_small ? HostStep::needs : HostStep::passes;
}

// A function that may end there does not always launch. The return of a value at the end of a small one is followed by nothing.
bool HostSteps::has_return(std::uint32_t statement) const {
  if (syntax_.is(statement, NodeKind::return_statement)) return false;
  for (std::uint32_t n = statement; n < syntax_[statement].last; ++n) {
    if (syntax_.is(n, NodeKind::return_statement)) return true;
  }
  return false;
}

// void check(const char* step) { if (cudaDeviceSynchronize() != cudaSuccess) printf("%s\n", step); }
bool HostSteps::only_waits(std::uint32_t call, std::string_view name) const {
  if (depth_ >= most_depth || !program_.may_only_wait(name)) return false;
  const Defined& defined = program_.definitions(program_.defined(name));
  if (defined.is_kernel || defined.first_function != defined.last_function) return false;
  const Function& called = program_.functions()[defined.first_function];
  // pool.sync() may be a method of any class.
  if (syntax_.is(syntax_.child(call, Role::function), NodeKind::field_expression)) return false;
  if (!may_call(program_, source_, call, called) || !has_default_for_others(call, called)) return false;
  const auto [entry, is_new] = waits_.try_emplace(defined.first_function, false);
  if (is_new) entry->second = body_only_waits(called);
  return entry->second;
}

// Are the parameters optional for which a call has no argument?
bool HostSteps::has_default_for_others(std::uint32_t call, const Function& called) const {
  const model::cuda::Syntax& there = program_.sources()[called.at.source].syntax;
  const std::size_t given = count_of_arguments(syntax_, call);
  return given >= called.parameters.size() || there.is(called.parameters[given], NodeKind::optional_parameter);
}

bool HostSteps::body_only_waits(const Function& called) const {
  const Source& there = program_.sources()[called.at.source];
  const HostSteps steps(program_, called, {}, depth_ + 1);
  bool waits = false;
  for (std::uint32_t c = there.syntax.first_child(called.body); c != none; c = there.syntax.next_sibling(c)) {
    if (there.syntax.is(c, NodeKind::token)) continue;
    const HostStep step = steps.of(c);
    const bool is_of_all_streams = step.kind == HostStep::waits && step.stream.empty();
    if (step.kind != HostStep::passes && !(is_of_all_streams && is_made_always(there, step.call, called.body))) return false;
    waits = waits || is_of_all_streams;
  }
  return waits;
}

// check(cudaDeviceSynchronize(), __FILE__, __LINE__), throw_if(err): what a function is given are results of the runtime, and places.
// Calls among them are looked at by themselves.
bool HostSteps::looks_at_errors_alone(std::uint32_t arguments) const {
  bool any = false;
  for (std::uint32_t n = arguments; n < syntax_[arguments].last; ++n) {
    if (syntax_.is(n, NodeKind::call)) {
      any = any || !runtime_name(callee_name(source_, n)).empty();
      n = syntax_[n].last - 1;
    } else if (syntax_.is(n, NodeKind::identifier)) {
      const std::string_view name = source_.text_of(n);
      const bool is_error = contains_ignoring_case(name, "err") || contains_ignoring_case(name, "status");
      any = any || is_error;
      if (!is_error && !name.starts_with("__") && !name.starts_with("cuda")) return false;
    }
  }
  return any;
}

std::string_view HostSteps::stream_in(std::uint32_t config) const {
  constexpr int position = 3;
  int i = 0;
  for (std::uint32_t c = syntax_.first_child(config); c != none; c = syntax_.next_sibling(c)) {
    if (!syntax_.is(c, NodeKind::token) && i++ == position) return source_.text_of(c);
  }
  return "";
}

// What is followed where a node reads memory: over of *over, a of a[i], layer of layer->count; "" elsewhere.
std::string_view HostSteps::followed_in(std::uint32_t node) const {
  const bool is_pointer = syntax_.is(node, NodeKind::pointer_expression) && source_.text_of(node).starts_with('*');
  const bool is_arrow = syntax_.is(node, NodeKind::field_expression) && source_.text_of(syntax_.child(node, Role::op)) == "->";
  if (!is_pointer && !is_arrow && !syntax_.is(node, NodeKind::subscript)) return "";
  return source_.text_of(syntax_.child(node, Role::argument));
}

// Is it, or its data, what a launch of the function is given? The host could not follow a pointer from cudaMalloc().
bool HostSteps::is_given_to_gpu(std::string_view object) const {
  if (!given_) {
    given_.emplace();
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const bool is_waiting = view_.waiting && view_.waiting->contains(callee_name(source_, n));
      if (!is_waiting && syntax_.child(n, NodeKind::kernel_call_syntax) == none) continue;
      const std::uint32_t list = syntax_.child(n, Role::arguments), called = syntax_.child(n, Role::function);
      if (syntax_.is(called, NodeKind::field_expression)) given_->insert(source_.text_of(syntax_.child(called, Role::argument)));
      for (std::uint32_t c = list == none ? none : syntax_.first_child(list); c != none; c = syntax_.next_sibling(c)) {
        std::string_view text = source_.text_of(c);
        for (const std::string_view end : {".data()", ".data().get()"}) {
          if (text.ends_with(end)) text.remove_suffix(end.size());
        }
        if (text.starts_with('&')) text.remove_prefix(1);
        given_->insert(text);
      }
    }
  }
  return given_->contains(object);
}

// Memory that the GPU may have written, functions that may read it, and what leads elsewhere.
bool HostSteps::reads_memory(std::uint32_t node) const {
  if (const std::string_view followed = followed_in(node); !followed.empty()) {
    const bool is_apart = view_.reach == HostReach::apart && view_.memory && !view_.memory->is_shared_anywhere();
    if (!is_apart || is_given_to_gpu(followed)) return true;
  }
  return is_variable_of_device(node) || syntax_.is(node, NodeKind::lambda) || syntax_.is(node, NodeKind::error) ||
         syntax_.is(node, NodeKind::break_statement) || syntax_.is(node, NodeKind::continue_statement);
}

// __managed__ int changed;
bool HostSteps::is_variable_of_device(std::uint32_t node) const {
  const Global* const global =
      syntax_.is(node, NodeKind::identifier) ? program_.global(source_.text_of(node), function_.at.source) : nullptr;
  if (!global) return false;
  return global->is_device || has_word(program_.sources()[global->declaration.source], global->declaration.node, "__managed__");
}

// A loop, outside of its body.
bool HostSteps::needs_results(std::uint32_t loop, std::uint32_t body) const {
  for (std::uint32_t n = loop; n < syntax_[loop].last; ++n) {
    if (n == body) n = syntax_[n].last;
    if (n >= syntax_[loop].last) break;
    if (syntax_.is(n, NodeKind::call) && of_call(n).kind != HostStep::passes) return true;
    if (reads_memory(n)) return true;
  }
  return false;
}

}  // namespace frx::derive::cuda
