#include "derive/cuda/host_waits.h"

#include <string_view>
#include <vector>

#include "base/text.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/divisions.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t most_nodes = 200;  // of a statement that is looked through: a launch, a call in a macro that checks it

struct Step {
  enum Kind : std::uint8_t { passes, launches, waits, needs };
  Kind kind = passes;
  std::uint32_t call = none;
  std::string_view stream = {};  // of a launch, or that is waited for, as written
};

class HostWaits {
 public:
  HostWaits(const Program& program, const Function& function)
      : program_(program), source_(program.sources()[function.at.source]), syntax_(source_.syntax), function_(function) {}

  std::optional<FoundWaits> find() {
    const std::uint32_t last = syntax_[function_.body].last;
    for (std::uint32_t n = function_.body; n < last; ++n) {
      if (syntax_.is(n, NodeKind::compound_statement)) look_through(n);
    }
    if (found_.launch == none) return std::nullopt;
    return std::move(found_);
  }

 private:
  // One launch after the other, as far as nothing between them needs results.
  struct Sequence {
    Step launch, wait;                             // the last launch; the wait behind it
    Step first;                                    // the launch that the compound begins with, if nothing before it needs results
    bool is_at_start = true, has_streams = false;  // several, since the last wait
  };

  void look_through(std::uint32_t compound) {
    Sequence at;
    for (std::uint32_t c = syntax_.first_child(compound); c != none; c = syntax_.next_sibling(c)) {
      if (syntax_.is(c, NodeKind::token)) continue;
      const Step step = step_of(c);
      if (step.kind == Step::launches) {
        if (at.wait.call != none && at.launch.stream == step.stream) add(at, compound);
        at.has_streams = at.wait.call == none && at.launch.call != none && (at.has_streams || at.launch.stream != step.stream);
        at.launch = step;
        at.wait = {};
        if (at.is_at_start) at.first = step;
        at.is_at_start = false;
      } else if (step.kind == Step::waits) {
        const bool is_of_stream = step.stream.empty() || step.stream == at.launch.stream;
        if (at.launch.call != none && is_of_stream && !at.has_streams) at.wait = step;
        if (at.wait.call == none) at.launch = {};  // other streams are waited for as well
      } else if (step.kind == Step::needs) {
        at.launch = at.wait = {};
        at.is_at_start = false;
      }
    }
    // The next iteration begins with a launch.
    if (at.wait.call == none || at.first.call == none || at.first.stream != at.launch.stream) return;
    const std::uint32_t loop = syntax_[compound].parent;
    if (is_loop(loop) && !needs_results(loop, compound)) add(at, compound);
  }

  void add(const Sequence& at, std::uint32_t compound) {
    constexpr std::size_t most = 8;
    if (found_.launch == none) {
      found_.launch = at.launch.call;
      found_.waits.call = std::string(callee_name(source_, at.wait.call));
    }
    ++found_.waits.count;
    if (found_.waits.places.size() < most) found_.waits.places.push_back(source_.place_of(at.wait.call));
    found_.waits.is_in_loop = found_.waits.is_in_loop || loop_around(source_, compound, function_.at.node) != none;
  }

  Step step_of(std::uint32_t statement) const {
    const std::uint32_t last = syntax_[statement].last;
    const bool is_macro = syntax_.is(statement, NodeKind::do_statement);  // do { ... } while (0)
    if (last - statement > most_nodes || (is_loop(statement) && !is_macro)) return {.kind = Step::needs};
    Step step;
    for (std::uint32_t n = statement; n < last; ++n) {
      if (syntax_.is(n, NodeKind::call)) {
        const Step of_call = step_of_call(n);
        if (of_call.kind == Step::needs || (of_call.kind != Step::passes && step.kind != Step::passes)) return {.kind = Step::needs};
        if (of_call.kind != Step::passes) step = of_call;
        if (of_call.kind == Step::launches) n = syntax_[n].last - 1;  // its arguments are values
      } else if (reads_memory(n)) {
        return {.kind = Step::needs};
      }
    }
    return step;
  }

  Step step_of_call(std::uint32_t call) const {
    if (const std::uint32_t config = syntax_.child(call, NodeKind::kernel_call_syntax); config != none)
      return {.kind = Step::launches, .call = call, .stream = stream_in(config)};
    const std::string_view name = callee_name(source_, call);
    const std::uint32_t arguments = syntax_.child(call, Role::arguments);
    if (waits_for_gpu(name)) {
      std::string_view stream = arguments == none ? "" : source_.text_of(arguments);
      if (stream.size() >= 2) stream = trim(stream.substr(1, stream.size() - 2));
      return {.kind = Step::waits, .call = call, .stream = stream};
    }
    const bool copies_on_gpu = runtime_name(name) == "Memcpy" && source_.text_of(call).find("DeviceToDevice") != std::string_view::npos;
    const bool passes = goes_on_without_results(name) || copies_on_gpu || (arguments != none && looks_at_errors_alone(arguments));
    return {.kind = passes ? Step::passes : Step::needs};
  }

  // check(cudaDeviceSynchronize(), __FILE__, __LINE__), throw_if(err): what a function is given are results of the runtime, and places.
  // Calls among them are looked at by themselves.
  bool looks_at_errors_alone(std::uint32_t arguments) const {
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

  std::string_view stream_in(std::uint32_t config) const {
    constexpr int position = 3;
    int i = 0;
    for (std::uint32_t c = syntax_.first_child(config); c != none; c = syntax_.next_sibling(c)) {
      if (!syntax_.is(c, NodeKind::token) && i++ == position) return source_.text_of(c);
    }
    return "";
  }

  // Memory that the GPU may have written, functions that may read it, and what leads elsewhere.
  bool reads_memory(std::uint32_t node) const {
    const bool is_followed = (syntax_.is(node, NodeKind::pointer_expression) && source_.text_of(node).starts_with('*')) ||
                             (syntax_.is(node, NodeKind::field_expression) && source_.text_of(syntax_.child(node, Role::op)) == "->");
    return is_followed || is_variable_of_device(node) || syntax_.is(node, NodeKind::subscript) || syntax_.is(node, NodeKind::lambda) ||
           syntax_.is(node, NodeKind::error) || syntax_.is(node, NodeKind::break_statement) ||
           syntax_.is(node, NodeKind::continue_statement);
  }

  // __managed__ int changed;
  bool is_variable_of_device(std::uint32_t node) const {
    const Global* const global =
        syntax_.is(node, NodeKind::identifier) ? program_.global(source_.text_of(node), function_.at.source) : nullptr;
    if (!global) return false;
    return global->is_device || has_word(program_.sources()[global->declaration.source], global->declaration.node, "__managed__");
  }

  // A loop, outside of its body.
  bool needs_results(std::uint32_t loop, std::uint32_t body) const {
    for (std::uint32_t n = loop; n < syntax_[loop].last; ++n) {
      if (n == body) n = syntax_[n].last;
      if (n >= syntax_[loop].last) break;
      if (syntax_.is(n, NodeKind::call) && step_of_call(n).kind != Step::passes) return true;
      if (reads_memory(n)) return true;
    }
    return false;
  }

  bool is_loop(std::uint32_t node) const { return node != none && is_loop_node(syntax_.kind(node)); }

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  FoundWaits found_;
};

}  // namespace

std::optional<FoundWaits> needless_waits(const Program& program, const Function& function) {
  // Most functions wait for nothing.
  const std::string_view body = program.sources()[function.at.source].text_of(function.body);
  if (function.is_kernel || function.is_device || body.find("Synchronize") == body.npos) return std::nullopt;
  return HostWaits(program, function).find();
}

}  // namespace frx::derive::cuda
