#include "derive/cuda/host_loops.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t fewest_iterations = 16;
constexpr std::uint32_t most_nodes = 4096;  // of a loop that is looked through

bool allocates(std::string_view name) {
  constexpr std::array<std::string_view, 8> calls{"Malloc",     "MallocManaged", "MallocPitch", "Malloc3D",
                                                  "MallocHost", "HostAlloc",     "Free",        "FreeHost"};
  return std::ranges::find(calls, runtime_name(name)) != calls.end();
}

// Not behind `if (n > capacity)`; a call in the condition itself, as macros that look at errors have it, is made always.
bool is_in_each_iteration(const model::cuda::Syntax& syntax, std::uint32_t call, std::uint32_t loop) {
  for (std::uint32_t at = call; at != none && at != loop; at = syntax[at].parent) {
    const std::uint32_t around = syntax[at].parent;
    if (syntax.is(around, NodeKind::if_statement) && syntax[at].role != Role::condition) return false;
    if (syntax.is(around, NodeKind::switch_statement)) return false;
  }
  return true;
}

// The first call in a loop that allocates or frees memory of the GPU; none where there is none, or the loop is one over devices.
std::uint32_t allocation_in(const Source& source, std::uint32_t loop) {
  const model::cuda::Syntax& syntax = source.syntax;
  std::uint32_t found = none;
  if (syntax[loop].last - loop > most_nodes) return none;
  for (std::uint32_t n = loop; n < syntax[loop].last; ++n) {
    if (!syntax.is(n, NodeKind::call)) continue;
    const std::string_view name = callee_name(source, n);
    if (runtime_name(name) == "SetDevice" || runtime_name(name) == "StreamCreate") return none;
    if (found == none && allocates(name) && is_in_each_iteration(syntax, n, loop)) found = n;
  }
  return found;
}

}  // namespace

std::shared_ptr<const model::cuda::HostLoop> host_loop_around(const Program& program, const Trace& trace, const LaunchSite& site) {
  if (site.loop == none) return nullptr;
  const Loop& loop = trace.loops[site.loop];
  if (constant_iterations(trace.expressions, loop, fewest_iterations)) return nullptr;
  const Source& source = program.sources()[loop.at.source];
  auto found = std::make_shared<model::cuda::HostLoop>();
  if (const std::uint32_t call = allocation_in(source, loop.at.node); call != none) {
    found->allocation_at = source.place_of(call);
    found->allocation = std::string(callee_name(source, call));
  }
  return found;
}

}  // namespace frx::derive::cuda
