#include "derive/cuda/host_steps.h"

#include "base/text.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/divisions.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t most_nodes = 200;  // of a statement that is looked through: a launch, a call in a macro that checks it
constexpr std::uint32_t most_nodes_of_small = 60;
constexpr int most_depth = 2;

}  // namespace

bool is_host_loop(NodeKind kind) { return is_loop_node(kind) || kind == NodeKind::for_range_loop; }

bool reaches_gpu_memory(const Sources& sources) {
  bool is_plain = false;
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const std::string_view text = sources.without_syntax(i).text;
    for (std::size_t at = text.find("Malloc"); at != text.npos; at = text.find("Malloc", at + 1)) {
      const std::string_view behind = text.substr(at).substr(6, 4);
      if (behind == "Mana" || behind == "Host") return true;  // cudaMallocManaged, cudaMallocHost
      is_plain = is_plain || behind.starts_with('(');
    }
    for (std::size_t at = text.find("Host"); at != text.npos; at = text.find("Host", at + 1)) {
      const std::string_view behind = text.substr(at).substr(4, 5);
      if (behind == "Alloc" || behind == "Regis") return true;  // cudaHostAlloc, cudaHostRegister
    }
  }
  return !is_plain;
}

std::uint32_t host_loop_around(const model::cuda::Syntax& syntax, std::uint32_t node, std::uint32_t function) {
  for (std::uint32_t p = syntax[node].parent; p != none && p > function; p = syntax[p].parent) {
    if (is_host_loop(syntax.kind(p))) return p;
  }
  return none;
}

HostStep HostSteps::of(std::uint32_t statement) const {
  const std::uint32_t last = syntax_[statement].last;
  const bool is_macro = syntax_.is(statement, NodeKind::do_statement);  // do { ... } while (0)
  if (last - statement > most_nodes || (is_host_loop(syntax_.kind(statement)) && !is_macro)) return {.kind = HostStep::needs};
  HostStep step;
  for (std::uint32_t n = statement; n < last; ++n) {
    if (syntax_.is(n, NodeKind::call)) {
      const HostStep what = of_call(n);
      // if (cudaDeviceSynchronize() != cudaSuccess) report(cudaGetErrorString(cudaDeviceSynchronize())), as macros that look at errors have
      // it
      const bool waits_again = what.kind == HostStep::waits && step.kind == HostStep::waits && what.stream == step.stream;
      if (waits_again) continue;
      if (what.kind == HostStep::needs || (what.kind != HostStep::passes && step.kind != HostStep::passes))
        return {.kind = HostStep::needs};
      if (what.kind != HostStep::passes) step = what;
      // Its arguments are values.
      if (what.kind == HostStep::launches || what.kind == HostStep::launches_and_waits) n = syntax_[n].last - 1;
    } else if (reads_memory(n)) {
      return {.kind = HostStep::needs};
    }
  }
  return step;
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
  const bool copies_on_gpu = runtime_name(name) == "Memcpy" && source_.text_of(call).find("DeviceToDevice") != std::string_view::npos;
  const bool passes = goes_on_without_results(name) || copies_on_gpu || (arguments != none && looks_at_errors_alone(arguments));
  if (passes || (view_.waiting && only_passes(name))) return {};
  if (view_.waiting && view_.waiting->contains(name)) return {.kind = HostStep::launches_and_waits, .call = call};
  return {.kind = HostStep::needs};
}

// int blocks(int n) { return (n + 255) / 256; }
bool HostSteps::only_passes(std::string_view name) const {
  const std::uint32_t number = depth_ < most_depth ? program_.defined(name) : none;
  if (number == none) return false;
  const Defined& defined = program_.definitions(number);
  if (defined.is_kernel || defined.first_function == none || defined.first_function != defined.last_function) return false;
  const Function& called = program_.functions()[defined.first_function];
  if (called.at.source != function_.at.source || called.body == none) return false;
  if (syntax_[called.body].last - called.body > most_nodes_of_small) return false;
  const HostSteps steps(program_, called, view_, depth_ + 1);
  for (std::uint32_t c = syntax_.first_child(called.body); c != none; c = syntax_.next_sibling(c)) {
    if (!syntax_.is(c, NodeKind::token) && steps.of(c).kind != HostStep::passes) return false;
  }
  return true;
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

// Memory that the GPU may have written, functions that may read it, and what leads elsewhere.
bool HostSteps::reads_memory(std::uint32_t node) const {
  const bool is_followed = (syntax_.is(node, NodeKind::pointer_expression) && source_.text_of(node).starts_with('*')) ||
                           (syntax_.is(node, NodeKind::field_expression) && source_.text_of(syntax_.child(node, Role::op)) == "->") ||
                           syntax_.is(node, NodeKind::subscript);
  return (is_followed && view_.reaches_gpu_memory) || is_variable_of_device(node) || syntax_.is(node, NodeKind::lambda) ||
         syntax_.is(node, NodeKind::error) || syntax_.is(node, NodeKind::break_statement) || syntax_.is(node, NodeKind::continue_statement);
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
