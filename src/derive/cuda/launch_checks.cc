// A launch returns nothing: a wrong block or grid, too much shared memory or a missing architecture shows only in cudaGetLastError(). What
// other files do is unknown unless they are given, so that by default only a program that never asks counts.
#include "derive/cuda/launch_checks.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace frx::derive::cuda {
namespace {

// The node behind the last place where a function says that all is well. Callers of one that says nothing may look at the error.
std::uint32_t end_of_success(const Source& source, const Function& function) {
  constexpr std::array<std::string_view, 5> success = {"return true;", "return 0;", "return 1;", "return EXIT_SUCCESS;",
                                                       "return cudaSuccess;"};
  const auto& syntax = source.syntax;
  const std::uint32_t end = syntax[function.body].last;
  if (function.name == "main") return end;
  for (std::uint32_t n = end; n-- > function.body;) {
    if (syntax.is(n, NodeKind::return_statement) && std::ranges::find(success, source.text_of(n)) != success.end()) return n + 1;
  }
  return function.body;
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
    if (!syntax.is(at, NodeKind::argument_list)) continue;
    const std::string_view runs = callee_name(source, syntax[at].parent);
    if (!contains_ignoring_case(runs, "dispatch") && !contains_ignoring_case(runs, "visit")) return false;
  }
  return true;
}

}  // namespace

Ignored ignored_by(const Program& program, const Function& function, const LaunchSite& site, const LookEnds& ends,
                   const ErrorLooks& of_file) {
  if (function.is_device || function.is_kernel || !is_statement(program, site) || of_file.checked_by_callers.contains(function.name))
    return {};
  const std::uint32_t last = program.sources()[site.at.source].syntax[site.at.node].last;
  return {.is_ignored = last >= ends.of_launch, .is_checked_later = last < ends.of_any};
}

std::uint32_t end_of_unchecked(const Program& program, const Function& function) {
  // Of several files the host code that calls it may be one that is no CUDA, and so was not read.
  if (function.is_device || function.is_kernel || (program.analysed_files() > 1 && function.name != "main")) return function.body;
  const Source& source = program.sources()[function.at.source];
  const auto& syntax = source.syntax;
  const std::uint32_t end = end_of_success(source, function);
  for (std::uint32_t n = function.body; end != function.body && n < syntax[function.body].last; ++n) {
    if (syntax.is(n, NodeKind::error)) return function.body;
    // CHECK_LAUNCH;
    if (syntax.is(n, NodeKind::identifier) && syntax.is(syntax[n].parent, NodeKind::expression_statement)) return function.body;
    if (!syntax.is(n, NodeKind::call) || syntax.child(n, NodeKind::kernel_call_syntax) != none) continue;
    const std::uint32_t called = syntax.child(n, Role::function);
    const std::uint32_t name = called == none || syntax.is(called, NodeKind::field_expression) ? none : name_in(source, called);
    if (name == none || (!is_harmless(source.text_of(name)) && program.defined(source.text_of(name)) == none)) return function.body;
  }
  return end;
}

void note_unchecked(std::vector<model::cuda::Launch>& launches, bool is_never_asked) {
  const auto file_of = [](const model::cuda::Launch& launch) { return std::string_view(launch.place.file); };
  for (auto file = launches.begin(); file != launches.end();) {
    const auto end = std::find_if(file, launches.end(), [&](const auto& launch) { return file_of(launch) != file_of(*file); });
    const auto is_certain = [](const model::cuda::Launch& launch) { return !launch.may_be_checked; };
    const bool any_certain = is_never_asked && std::any_of(file, end, is_certain);
    model::cuda::Launch* first = nullptr;
    bool any_without_later = false;
    for (auto launch = file; launch != end; ++launch) {
      if (any_certain ? launch->may_be_checked : !launch->is_ignored) continue;
      if (!first) first = &*launch;
      first->unchecked.push_back(launch->place);
      any_without_later = any_without_later || !launch->is_checked_later;
    }
    if (first) first->callers_may_check = !any_certain;
    if (first) first->is_checked_later = !any_without_later;
    file = end;
  }
}

}  // namespace frx::derive::cuda
