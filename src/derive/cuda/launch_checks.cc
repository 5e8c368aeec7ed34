// A launch returns nothing: a wrong block or grid, too much shared memory or a missing architecture shows only in cudaGetLastError() and
// in the results of later calls. What other files do is unknown unless they are given, so that only a program that never asks counts.
#include "derive/cuda/launch_checks.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace frx::derive::cuda {
namespace {

// Parts of the names of functions of the runtime that also report the error of an earlier launch.
constexpr std::array<std::string_view, 4> reporting = {"Synchronize", "Memcpy", "Query", "Free"};

bool is_name(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Of the C library.
bool is_of_plain_memory(std::string_view name) { return name == "free" || name == "memcpy"; }

bool is_of_runtime(std::string_view name) { return name.starts_with("cu") || name.starts_with("hip"); }

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

// Is something done with what stands at a place? Behind `;`, `{`, `}` or nothing but blanks and comments, nothing is.
bool is_used(std::string_view before) {
  before = without_comments_behind(before);
  return !before.empty() && before.back() != ';' && before.back() != '{' && before.back() != '}' && !before.ends_with("(void)");
}

bool looks_at_errors(std::string_view text) {
  if (text.find("GetLastError") != text.npos || text.find("PeekAtLastError") != text.npos) return true;
  for (const std::string_view part : reporting) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
      std::size_t begin = at, end = at;
      while (end < text.size() && is_name(text[end])) ++end;
      if (end == text.size() || text[end] != '(') continue;  // cudaMemcpyDeviceToHost
      while (begin > 0 && is_name(text[begin - 1])) --begin;
      const std::string_view name = text.substr(begin, at - begin);
      if (is_of_plain_memory(text.substr(begin, end - begin))) continue;
      // Any other name with this part in it may be a function or a macro around it.
      if (!is_of_runtime(name) || is_used(text.substr(0, begin))) return true;
    }
  }
  return false;
}

// Does the function say that all is well, after the launch? Callers of one that says nothing may look at the error.
bool reports_success(const Source& source, const Function& function, std::uint32_t launch) {
  constexpr std::array<std::string_view, 5> success = {"return true;", "return 0;", "return 1;", "return EXIT_SUCCESS;",
                                                       "return cudaSuccess;"};
  const auto& syntax = source.syntax;
  for (std::uint32_t n = launch; n < syntax[function.body].last; ++n) {
    if (syntax.is(n, NodeKind::return_statement) && std::ranges::find(success, source.text_of(n)) != success.end()) return true;
  }
  return function.name == "main";
}

// Functions that look at no error of a launch.
bool is_harmless(std::string_view name) {
  constexpr std::array<std::string_view, 14> known = {"ceil", "ceilf",  "dim3",   "exit", "fprintf", "free", "malloc",
                                                      "max",  "memcpy", "memset", "min",  "printf",  "rand", "sqrt"};
  const bool is_runtime = name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
  return is_runtime || std::ranges::find(known, name) != known.end();
}

// The name of the function that is called, of a method without its object; "" where it is none.
std::string_view callee_name(const Source& source, std::uint32_t call) {
  const std::uint32_t called = source.syntax.child(call, Role::function);
  if (source.syntax.is(called, NodeKind::field_expression)) return source.text_of(source.syntax.child(called, Role::field));
  const std::uint32_t name = called == none ? none : name_in(source, called);
  return name == none ? std::string_view() : source.text_of(name);
}

// Is the launch a statement of its own? What stands around one that is an argument may look at its error.
bool is_statement(const Program& program, const LaunchSite& site) {
  const Source& source = program.sources()[site.at.source];
  const auto& syntax = source.syntax;
  if (site.kernel_name != none) {
    // cudaLaunchKernel() returns the error, which a statement of its own drops; what other functions do with a kernel is unknown.
    const std::string_view callee = callee_name(source, site.at.node);
    if (!callee.starts_with("hipLaunchKernel") && !callee.starts_with("cudaLaunchKernel")) return false;
  }
  std::uint32_t at = syntax[site.at.node].parent;
  if (!syntax.is(at, NodeKind::expression_statement)) return false;
  // A function that is passed to another one, such as AT_DISPATCH_...(type, name, [&] { ... }), runs in it.
  for (; at != none; at = syntax[at].parent) {
    if (syntax.is(at, NodeKind::argument_list) && !contains_ignoring_case(callee_name(source, syntax[at].parent), "dispatch")) return false;
  }
  return true;
}

// Does a name mention errors or checks?
bool names_errors(const Source& source, std::uint32_t name) {
  constexpr std::array<std::string_view, 9> words = {"err", "check", "assert", "safe", "status", "valid", "guard", "throw", "abort"};
  const std::string_view text = source.text_of(name);
  if (text == "abort") return false;  // in a branch, whose condition decides
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(text, word); });
}

// Does the name of a function say that it may have to do with a launch? unbind_texture() and release(buffer) do not.
bool may_order(std::string_view name) {
  constexpr std::array<std::string_view, 14> words = {"sync", "wait", "post",   "launch", "finish", "finali", "verify",
                                                      "cuda", "hip",  "device", "gpu",    "kernel", "end",    "debug"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(name, word); });
}

// Macros that print, mark a range for a profiler, or choose a type.
bool says_or_dispatches(std::string_view name) {
  constexpr std::array<std::string_view, 5> words = {"LOG", "PRINT", "TRACE", "NVTX", "DISPATCH"};
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; }) && name.find("ERR") == name.npos;
}

// May a call behind a launch look at its error? A function that was not given may, where it is called for nothing else; calls of the
// mathematics and of containers are many. One of another file may look if anything in that file does, and one in capitals is a macro that
// no header defined.
bool may_look(const Program& program, const Source& source, const ErrorLooks& of_file, std::uint32_t call) {
  const std::string_view name = callee_name(source, call);
  const bool is_in_capitals = name.size() > 2 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_of_plain_memory(name) || (is_in_capitals && says_or_dispatches(name))) return false;
  if (is_in_capitals && source.syntax.child(call, NodeKind::kernel_call_syntax) == none) return true;
  if (std::ranges::any_of(reporting, [&](std::string_view part) { return contains_ignoring_case(name, part); }))
    return !is_of_runtime(name) || is_used(std::string_view(source.text).substr(0, source.syntax[call].begin));
  const auto known = of_file.functions.find(name);
  if (known != of_file.functions.end()) return known->second;
  if (program.is_kernel(name) || is_harmless(name)) return false;
  const std::uint32_t number = program.defined(name);
  const bool is_statement = source.syntax.is(source.syntax[call].parent, NodeKind::expression_statement);
  if (number == none) {
    // device_context().Wait() may look as well.
    const bool is_method = !source.syntax.is(source.syntax.child(call, Role::function), NodeKind::identifier);
    return is_statement && (is_method ? contains_ignoring_case(name, "wait") || contains_ignoring_case(name, "sync") : may_order(name));
  }
  return std::ranges::any_of(program.files_defining(number), [&](std::uint32_t file) { return (*of_file.files)[file]; });
}

}  // namespace

std::vector<bool> files_that_look(const Sources& sources) {
  std::vector<bool> files(sources.size());
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources.without_syntax(i);
    files[i] = looks_at_errors(source.text) ||
               std::ranges::any_of(source.macros, [](const model::cuda::Macro& macro) { return looks_at_errors(macro.body); });
  }
  return files;
}

ErrorLooks error_looks(const Program& program, std::uint32_t source, const std::vector<bool>& files) {
  ErrorLooks looks{{}, &files};
  const Source& of = program.sources()[source];
  for (const Function& function : program.functions_in(source)) {
    if (!function.is_kernel) looks.functions[function.name] |= looks_at_errors(of.text_of(function.body));
  }
  return looks;
}

std::uint32_t end_of_looks(const Program& program, const Function& function, const ErrorLooks& of_file) {
  const Source& source = program.sources()[function.at.source];
  const auto& syntax = source.syntax;
  std::uint32_t end = function.body;
  for (std::uint32_t n = function.body; n < syntax[function.body].last; ++n) {
    const bool is_name = syntax.is(n, NodeKind::identifier) || syntax.is(n, NodeKind::field_identifier);
    // `return status_success;` asks nothing.
    const bool is_said =
        is_name && syntax.is(syntax[n].parent, NodeKind::return_statement) && contains_ignoring_case(source.text_of(n), "success");
    const bool looks =
        (is_name && !is_said && names_errors(source, n)) || (syntax.is(n, NodeKind::call) && may_look(program, source, of_file, n));
    if (looks || syntax.is(n, NodeKind::error)) end = n + 1;
  }
  return end;
}

bool is_ignored(const Program& program, const Function& function, const LaunchSite& site, std::uint32_t end_of_looks) {
  if (function.is_device || function.is_kernel || !is_statement(program, site)) return false;
  return program.sources()[site.at.source].syntax[site.at.node].last >= end_of_looks;
}

bool may_be_checked(const Program& program, const Function& function, const LaunchSite& site) {
  if (function.is_device || function.is_kernel || site.kernel_name != none) return true;
  // Of several files the host code that calls it may be one that is no CUDA, and so was not read.
  if (program.analysed_files() > 1 && function.name != "main") return true;
  const Source& source = program.sources()[function.at.source];
  if (!reports_success(source, function, site.at.node)) return true;
  const auto& syntax = source.syntax;
  for (std::uint32_t n = function.body; n < syntax[function.body].last; ++n) {
    if (syntax.is(n, NodeKind::error)) return true;
    if (!syntax.is(n, NodeKind::call) || syntax.child(n, NodeKind::kernel_call_syntax) != none) continue;
    const std::uint32_t called = syntax.child(n, Role::function);
    const std::uint32_t name = called == none || syntax.is(called, NodeKind::field_expression) ? none : name_in(source, called);
    if (name == none || (!is_harmless(source.text_of(name)) && program.defined(source.text_of(name)) == none)) return true;
  }
  return false;
}

void note_unchecked(std::vector<model::cuda::Launch>& launches, bool is_never_asked) {
  const auto file_of = [](const model::cuda::Launch& launch) { return std::string_view(launch.place.file); };
  for (auto file = launches.begin(); file != launches.end();) {
    const auto end = std::find_if(file, launches.end(), [&](const auto& launch) { return file_of(launch) != file_of(*file); });
    const auto is_certain = [](const model::cuda::Launch& launch) { return !launch.may_be_checked; };
    const bool any_certain = is_never_asked && std::any_of(file, end, is_certain);
    model::cuda::Launch* first = nullptr;
    for (auto launch = file; launch != end; ++launch) {
      if (any_certain ? launch->may_be_checked : !launch->is_ignored) continue;
      if (!first) first = &*launch;
      first->unchecked.push_back(launch->place);
    }
    if (first) first->callers_may_check = !any_certain;
    file = end;
  }
}

}  // namespace frx::derive::cuda
