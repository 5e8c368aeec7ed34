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

// Is something done with what stands at a place? Behind `;`, `{`, `}` or a line that is blank, nothing is.
bool is_used(std::string_view before) {
  while (!before.empty() && (before.back() == ' ' || before.back() == '\t' || before.back() == '\n' || before.back() == '\r'))
    before.remove_suffix(1);
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
      const bool is_runtime = name.starts_with("cuda") || name.starts_with("cu") || name.starts_with("hip");
      // Any other name with this part in it may be a function or a macro around it.
      if (!is_runtime || is_used(text.substr(0, begin))) return true;
    }
  }
  return false;
}

// Functions that look at no error of a launch.
bool is_harmless(std::string_view name) {
  constexpr std::array<std::string_view, 14> known = {"ceil", "ceilf",  "dim3",   "exit", "fprintf", "free", "malloc",
                                                      "max",  "memcpy", "memset", "min",  "printf",  "rand", "sqrt"};
  const bool is_runtime = name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
  return is_runtime || std::ranges::find(known, name) != known.end();
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

}  // namespace

bool looks_at_launch_errors(const Sources& sources) {
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources.without_syntax(i);
    if (looks_at_errors(source.text)) return true;
    for (const model::cuda::Macro& macro : source.macros) {
      if (looks_at_errors(macro.body)) return true;
    }
  }
  return false;
}

bool may_be_checked(const Program& program, const Function& function, const LaunchSite& site) {
  if (function.is_device || function.is_kernel || site.kernel_name != none) return true;
  // Of several files the host code that calls it may be one that is no CUDA, and so was not read.
  if (program.sources().size() > 1 && function.name != "main") return true;
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

void note_unchecked(std::vector<model::cuda::Launch>& launches) {
  model::cuda::Launch* first = nullptr;
  for (model::cuda::Launch& launch : launches) {
    if (launch.may_be_checked) continue;
    if (!first || std::string_view(first->place.file) != std::string_view(launch.place.file)) first = &launch;
    first->unchecked.push_back(launch.place);
  }
}

}  // namespace frx::derive::cuda
