// The kernel as the report lists it: name, parameters, shared memory, barriers, and the documented tags.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "derive/cuda/facts.h"
#include "derive/cuda/live_scalars.h"
#include "derive/cuda/tags.h"
#include "derive/cuda/traffic.h"

namespace frx::derive::cuda {
namespace {

using model::TextPlace;
using model::cuda::Kernel;
using model::cuda::SharedArray;

// Collapses white space to one blank; comments and everything else stay as written.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : c;
  }
  return std::string(trim(line));
}

std::vector<model::cuda::Parameter> parameters_of(const KernelView& view) {
  std::vector<model::cuda::Parameter> parameters;
  const Source& source = view.source();
  for (const std::uint32_t p : view.function.parameters) {
    const std::uint32_t name = name_in(source, p);
    const auto& node = source.syntax[p];
    std::string_view all = source.text_of(p);
    if (name != none) all = all.substr(0, source.syntax[name].begin - node.begin);
    parameters.push_back({one_line(all), std::string(source.text_of(name))});
  }
  return parameters;
}

std::vector<std::string> template_parameters_of(const KernelView& view) {
  std::vector<std::string> names;
  const Source& source = view.source();
  const std::uint32_t parent = source.syntax[view.function.at.node].parent;
  if (!source.syntax.is(parent, NodeKind::template_declaration)) return names;
  const std::uint32_t list = source.syntax.child(parent, Role::parameters);
  for (std::uint32_t p = list == none ? none : source.syntax.first_child(list); p != none; p = source.syntax.next_sibling(p)) {
    if (!source.syntax.is(p, NodeKind::token)) names.push_back(one_line(source.text_of(p)));
  }
  return names;
}

SharedArray shared_array(const KernelView& view, std::uint32_t m) {
  const Memory& memory = view.trace.memories[m];
  SharedArray array;
  array.name = memory.is_dynamic ? "extern_dynamic_shared" : std::string(memory.name);
  array.type = std::string(memory.type);
  array.is_dynamic = memory.is_dynamic;
  array.place = view.place_of(memory.at);
  std::optional<std::uint64_t> bytes;
  if (memory.bytes != 0 && !memory.is_dynamic) bytes = memory.bytes;
  for (const ExprId dim : memory.dims) {
    const std::optional<std::int64_t> extent = view.trace.expressions.constant_of(dim);
    array.dims.push_back(memory.is_dynamic ? std::nullopt : extent);
    const bool fits = bytes && extent && *extent > 0 && *extent < (1 << 24) && *bytes < (std::uint64_t{1} << 32);
    bytes = fits ? std::optional(*bytes * static_cast<std::uint64_t>(*extent)) : std::nullopt;
  }
  array.bytes = bytes;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    if (view.trace.accesses[i].memory == m) array.conflict_ways = std::max(array.conflict_ways, view.patterns.accesses[i].bank_ways);
  }
  array.bank_conflict_risk = array.conflict_ways > 1;
  return array;
}

void read_shared_memory(const KernelView& view, Kernel& kernel) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // a function that is called twice has its arrays only once
  for (std::uint32_t m = 0; m < view.trace.memories.size(); ++m) {
    const Memory& memory = view.trace.memories[m];
    if (memory.space == Space::shared && seen.emplace(memory.at.source, memory.at.node).second) {
      kernel.shared_memory.push_back(shared_array(view, m));
    }
  }
}

void read_barriers(const KernelView& view, Kernel& kernel) {
  for (std::size_t i = 0; i < view.trace.barriers.size(); ++i) {
    const BarrierSite& barrier = view.trace.barriers[i];
    kernel.barriers.push_back({view.place_of(barrier.at), barrier.loop != none, view.patterns.barriers[i]});
  }
}

}  // namespace

TextPlace KernelView::place_of(NodeRef at) const { return program.sources()[at.source].place_of(at.node); }

std::optional<std::uint64_t> static_shared_bytes(const Kernel& kernel) {
  std::uint64_t bytes = 0;
  for (const SharedArray& array : kernel.shared_memory) {
    if (array.is_dynamic) continue;
    if (!array.bytes) return std::nullopt;
    bytes += *array.bytes;
  }
  return bytes;
}

Kernel kernel_of(const KernelView& view) {
  Kernel kernel;
  const Source& source = view.source();
  kernel.name = std::string(view.function.name);
  kernel.place = view.place_of({view.function.at.source, view.function.name_node});
  const std::uint32_t begin = source.syntax[view.function.at.node].begin;
  kernel.signature = one_line(source.written(begin, source.syntax[view.function.body].begin));
  kernel.parameters = parameters_of(view);
  kernel.template_parameters = template_parameters_of(view);
  kernel.max_threads = view.trace.launch_bounds[0];
  kernel.min_blocks = view.trace.launch_bounds[1];
  read_shared_memory(view, kernel);
  read_barriers(view, kernel);
  std::set<std::uint32_t> loops, unrolled;
  for (const Loop& loop : view.trace.loops) {
    loops.insert(loop.at.node);
    if (loop.is_unrolled) unrolled.insert(loop.at.node);
  }
  kernel.loops = static_cast<std::uint32_t>(loops.size());
  kernel.unrolled_loops = static_cast<std::uint32_t>(unrolled.size());
  std::set<std::string_view> in_memory;
  for (const std::uint32_t i : view.indexed_at_run_time) in_memory.insert(view.trace.memories[view.trace.accesses[i].memory].name);
  kernel.live_scalars = live_scalars(view.program, view.function, in_memory);
  kernel.is_complete = view.trace.is_complete;
  kernel.global_reads_per_write = global_reads_per_write(view.trace, view.block);
  add_tags(view, kernel);
  return kernel;
}

}  // namespace frx::derive::cuda
