#include "derive/cuda/error_looks.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/parallel.h"
#include "base/text.h"
#include "derive/cuda/host_calls.h"

namespace frx::derive::cuda {
namespace {

// Parts of the names of functions of the runtime that wait for a kernel, and so report its errors.
constexpr std::array<std::string_view, 4> reporting = {"Synchronize", "Memcpy", "Query", "Free"};

bool is_name(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Of the C library.
bool is_of_plain_memory(std::string_view name) { return name == "free" || name == "memcpy"; }

bool is_of_runtime(std::string_view name) { return name.starts_with("cu") || name.starts_with("hip"); }

bool asks_for_launch(std::string_view text) { return text.find("GetLastError") != text.npos || text.find("PeekAtLastError") != text.npos; }

// Without the comments and blanks at its end.
std::string_view without_comments_behind(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find_last_not_of(" \t\n\r");
    text = text.substr(0, end == text.npos ? 0 : end + 1);
    const std::size_t line = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1, of_line = text.find("//", line);
    const std::size_t block = text.ends_with("*/") ? text.rfind("/*") : text.npos;
    if (of_line == text.npos && block == text.npos) break;
    text = text.substr(0, of_line != text.npos ? of_line : block);
  }
  return text;
}

// How much text before a place is looked at, which is more than a comment there has: a line may hold a whole file.
constexpr std::size_t most_looked_back = 1024;

// Is something done with what stands at a place? Behind `;`, `{`, `}` or nothing but blanks and comments, nothing is.
bool is_used(std::string_view before) {
  if (before.size() > most_looked_back) before.remove_prefix(before.size() - most_looked_back);
  before = without_comments_behind(before);
  // Behind `if (...)`, `else` and `(void)` it is dropped, too.
  return !before.empty() && std::string_view(";{})").find(before.back()) == std::string_view::npos && !before.ends_with("else");
}

// Does a name mention errors or checks?
bool names_errors(std::string_view name) {
  static constexpr std::array<std::string_view, 9> words = {"err", "check", "assert", "safe", "status", "valid", "guard", "throw", "abort"};
  if (name == "abort" || name == "cerr" || name == "stderr") return false;  // in a branch, whose condition decides
  static constexpr std::uint32_t firsts = [] {
    std::uint32_t letters = 0;
    for (const std::string_view word : words) letters |= 1u << (word.front() - 'a');
    return letters;
  }();
  // Each name of host code is asked: only where a word may begin all of them are compared.
  for (; !name.empty(); name.remove_prefix(1)) {
    const unsigned letter = static_cast<unsigned char>(name.front() | 0x20) - unsigned{'a'};
    if (letter >= 26 || (firsts >> letter & 1) == 0) continue;
    const auto begins = [&](std::string_view word) {
      return word.front() == static_cast<char>('a' + letter) && equals_ignoring_case(name.substr(0, word.size()), word);
    };
    if (std::ranges::any_of(words, begins)) return true;
  }
  return false;
}

// A function of a project that releases something, such as free_from_gpu(), is not one that looks at launches.
bool is_release(std::string_view name) {
  return contains_ignoring_case(name, "free") && !names_errors(name) &&
         std::ranges::none_of(reporting, [&](std::string_view part) { return part != "Free" && contains_ignoring_case(name, part); });
}

Look look_of_text(std::string_view text) {
  if (asks_for_launch(text)) return Look::of_launch;
  Look look = Look::nothing;
  for (const std::string_view part : reporting) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
      std::size_t begin = at, end = at;
      while (end < text.size() && is_name(text[end])) ++end;
      if (end == text.size() || text[end] != '(') continue;  // cudaMemcpyDeviceToHost
      while (begin > 0 && is_name(text[begin - 1])) --begin;
      const std::string_view name = text.substr(begin, at - begin);
      if (is_of_plain_memory(text.substr(begin, end - begin))) continue;
      // Any other name with this part in it may be a function or a macro around it.
      if (!is_of_runtime(name) && is_release(text.substr(begin, end - begin))) continue;
      if (!is_of_runtime(name)) return Look::of_launch;
      if (is_used(text.substr(0, begin))) look = Look::of_later_calls;
    }
  }
  return look;
}

// Does the name of a function say that it may have to do with a launch? unbind_texture() and release(buffer) do not.
bool may_order(std::string_view name) {
  constexpr std::array<std::string_view, 14> words = {"sync", "wait", "post",   "launch", "finish", "finali", "verify",
                                                      "cuda", "hip",  "device", "gpu",    "kernel", "end",    "debug"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(name, word); });
}

bool is_in_capitals(std::string_view name) {
  return name.size() > 2 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

// Operators of PyTorch look behind each launch of their own; others make options, views and tensors without one, or ask for something.
bool is_operator_of_torch(std::string_view function, std::string_view name) {
  constexpr std::array<std::string_view, 28> others = {"from_blob",
                                                       "dtype",
                                                       "device",
                                                       "layout",
                                                       "requires_grad",
                                                       "tensor",
                                                       "squeeze",
                                                       "unsqueeze",
                                                       "transpose",
                                                       "permute",
                                                       "reshape",
                                                       "view",
                                                       "flatten",
                                                       "chunk",
                                                       "split",
                                                       "narrow",
                                                       "expand",
                                                       "unbind",
                                                       "select",
                                                       "slice",
                                                       "detach",
                                                       "t",
                                                       "numel",
                                                       "typeMetaToScalarType",
                                                       "globalContext",
                                                       "toString",
                                                       "broadcast_tensors",
                                                       "result_type"};
  constexpr std::array<std::string_view, 5> beginnings = {"empty", "get_", "set_", "is_", "manual_"};
  if (function.starts_with("::")) function.remove_prefix(2);
  const std::size_t space = function.find("::");
  const bool is_of_torch = space != function.npos && (function.substr(0, space) == "torch" || function.substr(0, space) == "at");
  if (!is_of_torch || function.find("::", space + 2) != function.npos || name.empty() || (name[0] >= 'A' && name[0] <= 'Z')) return false;
  return std::ranges::find(others, name) == others.end() &&
         std::ranges::none_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// Macros that print, mark a range for a profiler, or choose a type.
bool says_or_dispatches(std::string_view name) {
  constexpr std::array<std::string_view, 5> words = {"LOG", "PRINT", "TRACE", "NVTX", "DISPATCH"};
  return is_in_capitals(name) && std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; }) &&
         name.find("ERR") == name.npos;
}

class FunctionLooks {
 public:
  FunctionLooks(const Program& program, const Source& source, const ErrorLooks& of_file)
      : program_(program), source_(source), syntax_(source.syntax), of_file_(of_file) {}

  Look of(std::uint32_t node) const {
    if (syntax_.is(node, NodeKind::error)) return Look::of_launch;
    if (syntax_.is(node, NodeKind::call)) return of_call(node);
    const bool is_name = syntax_.is(node, NodeKind::identifier) || syntax_.is(node, NodeKind::field_identifier);
    return is_name && names_errors(source_.text_of(node)) ? of_variable(node) : Look::nothing;
  }

 private:
  // What a call behind a launch looks at. A function that was not given may look at the launch, where it is called for nothing else; calls
  // of the mathematics and of containers are many. One of another file may look if anything in that file does.
  Look of_call(std::uint32_t call) const {
    const std::string_view name = callee_name(source_, call);
    if (is_of_plain_memory(name) || says_or_dispatches(name) || syntax_.child(call, NodeKind::kernel_call_syntax) != none)
      return Look::nothing;
    if (asks_for_launch(name)) return asks_why_another_failed(call) ? Look::of_later_calls : Look::of_launch;
    const bool is_runtime = is_of_runtime(name) && is_harmless(name);
    if (!is_of_runtime(name) && is_release(name) && program_.defined(name) == none) return Look::nothing;
    if (is_runtime || std::ranges::any_of(reporting, [&](std::string_view part) { return contains_ignoring_case(name, part); })) {
      if (!is_of_runtime(name)) return Look::of_launch;
      return is_used(std::string_view(source_.text).substr(0, syntax_[call].begin)) ? Look::of_later_calls : Look::nothing;
    }
    const auto known = of_file_.functions.find(name);
    if (known != of_file_.functions.end()) return of_given(call, name, known->second);
    if (program_.is_kernel(name) || is_harmless(name)) return Look::nothing;
    const std::uint32_t number = program_.defined(name);
    if (number == none) return of_unknown(call, name);
    Look look = Look::nothing;
    for (const std::uint32_t file : program_.files_defining(number)) look = std::max(look, (*of_file_.files)[file]);
    return of_given(call, name, look);
  }

  // if (cudaMalloc(&a, n) != cudaSuccess) printf("%s", cudaGetErrorString(cudaGetLastError())): it is asked only where that call has
  // failed.
  bool asks_why_another_failed(std::uint32_t call) const {
    constexpr int most_levels = 64;
    std::uint32_t inner = call;
    for (int levels = 0; levels < most_levels; ++levels) {
      const std::uint32_t around = syntax_[inner].parent;
      if (around == none || syntax_.is(around, NodeKind::function_definition)) return false;
      const std::uint32_t condition = syntax_.is(around, NodeKind::if_statement) ? syntax_.child(around, Role::condition) : none;
      if (condition != none && fails_by_call(condition)) {
        const bool is_success = source_.text_of(condition).find("==") != std::string_view::npos;
        return syntax_[inner].role == (is_success ? Role::alternative : Role::consequence) && !launches_between(inner, call);
      }
      inner = around;
    }
    return false;
  }

  bool launches_between(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t n = first; n < last; ++n) {
      if (syntax_.is(n, NodeKind::kernel_call_syntax)) return true;
    }
    return false;
  }

  // Is a condition what a call of the runtime returns, and nothing that any other call does?
  bool fails_by_call(std::uint32_t condition) const {
    if (is_large(condition)) return false;
    bool any = false;
    for (std::uint32_t n = condition; n < syntax_[condition].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const std::string_view name = callee_name(source_, n);
      if (!is_of_runtime(name) || !is_harmless(name) || asks_for_launch(name)) return false;
      any = true;
      n = syntax_[n].last - 1;  // its arguments decide nothing
    }
    return any;
  }

  // Of a function whose body looks at `in_body`: check("step", __LINE__) with a body that looks at what cudaDeviceSynchronize() returns
  // looks at no more; check(cudaGetLastError()) does, and check(last()) may.
  Look of_given(std::uint32_t call, std::string_view name, Look in_body) const {
    if (!names_errors(name)) return in_body;
    if (in_body == Look::of_later_calls && is_given_places_alone(call)) return in_body;
    return std::max(in_body, of_arguments(call));
  }

  bool is_given_places_alone(std::uint32_t call) const {
    const std::uint32_t arguments = syntax_.child(call, Role::arguments);
    for (std::uint32_t n = arguments; arguments != none && n < syntax_[arguments].last; ++n) {
      if (syntax_.is(n, NodeKind::call) || (syntax_.is(n, NodeKind::identifier) && !source_.text_of(n).starts_with("__"))) return false;
    }
    return arguments != none;
  }

  Look of_unknown(std::uint32_t call, std::string_view name) const {
    const bool is_statement = syntax_.is(syntax_[call].parent, NodeKind::expression_statement);
    if (names_errors(name) || (is_in_capitals(name) && is_statement)) return of_arguments(call);  // BLOCKS_FOR(n) computes something
    // Thrust throws where its own launch or one before it was refused.
    if (source_.text_of(call).starts_with("thrust::") && !is_view_of_thrust(name)) return Look::of_launch;
    if (is_operator_of_torch(source_.text_of(syntax_.child(call, Role::function)), name)) return Look::of_launch;
    if (!is_statement) return Look::nothing;
    // device_context().Wait() may look as well.
    const bool is_method = !syntax_.is(syntax_.child(call, Role::function), NodeKind::identifier);
    const bool may_look = is_method ? contains_ignoring_case(name, "wait") || contains_ignoring_case(name, "sync") : may_order(name);
    return may_look ? Look::of_launch : Look::nothing;
  }

  // What a check looks at: the result of a call of the runtime, an error that was kept, a condition that has to do with neither; without
  // any of these, the launch.
  Look of_arguments(std::uint32_t call) const {
    const std::uint32_t arguments = syntax_.child(call, NodeKind::argument_list);
    if (arguments == none || is_large(arguments)) return Look::of_launch;
    bool says_nothing = false, is_of_calls = false;
    for (std::uint32_t n = arguments; n < syntax_[arguments].last; ++n) {
      says_nothing = says_nothing || syntax_.is(n, NodeKind::binary);
      if (!syntax_.is(n, NodeKind::identifier) && !syntax_.is(n, NodeKind::field_identifier)) continue;
      const std::string_view name = source_.text_of(n);
      if (asks_for_launch(name)) return Look::of_launch;
      // Status(ERR_FORMAT, "..."): an error is made.
      if (is_in_capitals(name) && names_errors(name)) {
        says_nothing = true;
        continue;
      }
      const bool is_result = is_of_runtime(name) && syntax_.is(syntax_[n].parent, NodeKind::call);
      is_of_calls = is_of_calls || is_result || names_errors(name) || contains_ignoring_case(name, "success");
    }
    return is_of_calls ? Look::of_later_calls : says_nothing ? Look::nothing : Look::of_launch;
  }

  // A variable that keeps an error says nothing by itself; where an unknown function gave it, that may have looked.
  Look of_variable(std::uint32_t name) const {
    const std::uint32_t around = syntax_[name].parent;
    if (syntax_.is(around, NodeKind::call) && syntax_.child(around, Role::function) == name) return Look::nothing;  // see of_call()
    if (syntax_.is(around, NodeKind::expression_statement)) return Look::of_launch;                                 // CHECK_LAUNCH;
    const std::uint32_t kept = assignment_around(around);
    if (kept == none) return Look::nothing;
    if (is_large(kept)) return Look::of_launch;
    for (std::uint32_t n = kept; n < syntax_[kept].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const std::string_view called = callee_name(source_, n);
      const bool is_given =
          is_of_runtime(called) || is_harmless(called) || of_file_.functions.contains(called) || program_.defined(called) != none;
      if (!is_given) return Look::of_launch;
      if (is_of_runtime(called)) n = syntax_[n].last - 1;  // whatever its arguments call
    }
    return Look::nothing;
  }

  // Too large to be looked through for each name in it.
  bool is_large(std::uint32_t node) const {
    constexpr std::uint32_t most_nodes = 512;
    return syntax_[node].last - node > most_nodes;
  }

  // The assignment, or the declaration with a value, that a node is part of, a few levels up; none elsewhere.
  std::uint32_t assignment_around(std::uint32_t node) const {
    constexpr int most_levels = 64;
    for (int levels = 0; node != none && levels < most_levels; ++levels, node = syntax_[node].parent) {
      if (syntax_.is(node, NodeKind::init_declarator) || syntax_.is(node, NodeKind::assignment)) return node;
      if (syntax_.is(node, NodeKind::expression_statement) || syntax_.is(node, NodeKind::compound_statement)) break;
    }
    return none;
  }

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const ErrorLooks& of_file_;
};

}  // namespace

bool is_harmless(std::string_view name) {
  constexpr std::array<std::string_view, 14> known = {"ceil", "ceilf",  "dim3",   "exit", "fprintf", "free", "malloc",
                                                      "max",  "memcpy", "memset", "min",  "printf",  "rand", "sqrt"};
  const bool is_runtime = name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
  return is_runtime || name.starts_with("MPI_") || std::ranges::find(known, name) != known.end();
}

std::vector<Look> looks_of_files(const Sources& sources) {
  std::vector<Look> files(sources.size(), Look::nothing);
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources.without_syntax(i);
    files[i] = look_of_text(source.text);
    for (const model::cuda::Macro& macro : source.macros) files[i] = std::max(files[i], look_of_text(macro.body));
  }
  return files;
}

// The functions of a large file are looked at on all cores.
ErrorLooks error_looks(const Program& program, std::uint32_t source, const std::vector<Look>& files) {
  ErrorLooks looks{{}, {}, &files};
  const Source& of = program.sources()[source];
  const std::span<const Function> functions = program.functions_in(source);
  std::vector<Look> of_texts(functions.size(), Look::nothing);
  for_many_in_parallel(functions.size(), [&](std::size_t i) {
    if (!functions[i].is_kernel) of_texts[i] = look_of_text(of.text_of(functions[i].body));
  });
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].is_kernel) continue;
    Look& look = looks.functions[functions[i].name];
    look = std::max(look, of_texts[i]);
  }
  std::vector<std::vector<std::string_view>> checked(functions.size());  // calls before a look at a launch
  for_many_in_parallel(functions.size(), [&](std::size_t i) {
    const Function& function = functions[i];
    if (function.is_kernel || looks.functions.at(function.name) != Look::of_launch) return;
    const std::uint32_t end = ends_of_looks(program, function, looks).of_launch;
    for (std::uint32_t n = function.body; n < end; ++n) {
      if (of.syntax.is(n, NodeKind::call)) checked[i].push_back(callee_name(of, n));
    }
  });
  for (const std::vector<std::string_view>& names : checked) looks.checked_by_callers.insert(names.begin(), names.end());
  return looks;
}

LookEnds ends_of_looks(const Program& program, const Function& function, const ErrorLooks& of_file) {
  const Source& source = program.sources()[function.at.source];
  const FunctionLooks looks(program, source, of_file);
  LookEnds ends{function.body, function.body};
  // From the end on, where most functions look, up to the last look at a launch.
  for (std::uint32_t n = source.syntax[function.body].last; n-- > function.body && ends.of_launch == function.body;) {
    const Look look = looks.of(n);
    if (look != Look::nothing) ends.of_any = std::max(ends.of_any, n + 1);
    if (look == Look::of_launch) ends.of_launch = n + 1;
  }
  return ends;
}

}  // namespace frx::derive::cuda
