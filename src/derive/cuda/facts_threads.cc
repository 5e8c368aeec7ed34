// Facts about what all threads do alike: local arrays with indices that registers do not have, and atomics at one address.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/idle_barriers.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// `bins[b] += w`: what is stored there was read there just before, and b is chosen by the data.
bool adds_by_data(const Trace& trace, std::uint32_t store) {
  constexpr std::uint32_t most_between = 8;
  const Access& access = trace.accesses[store];
  if (access.kind != Access::store || !trace.expressions.uses(access.address, Uses::loaded | Uses::varying)) return false;
  for (std::uint32_t i = store; i-- > 0 && store - i <= most_between;) {
    const Access& before = trace.accesses[i];
    if (before.kind == Access::load && before.memory == access.memory && before.at == access.at) return true;
  }
  return false;
}

void add_local_arrays(const KernelView& view, CodeSubject& into) {
  Places places(view);
  bool adds = false;
  std::string name;
  for (const std::uint32_t i : view.indexed_at_run_time) {
    const Access& access = view.trace.accesses[i];
    const Memory& memory = view.trace.memories[access.memory];
    if (name.empty()) name = memory.name;
    if (name != memory.name) continue;
    places.add(access.at);
    adds = adds || adds_by_data(view.trace, i);
  }
  const bool any = places.any();
  into.set(Id::has_runtime_indexed_array, any, places.take());
  into.set(Id::runtime_indexed_array, name);
  into.set(Id::runtime_indexed_sum, adds);
}

// Of 32-bit integers nvcc makes one atomic per warp (VOTE and REDUX, since Volta by shuffles); of these types it makes one per thread.
bool is_never_aggregated(const Program& program, std::string_view operation, std::string_view type) {
  if (const std::string_view alias = program.alias(type); !alias.empty()) type = alias;
  if (operation != "atomicAdd" && operation != "atomicMax" && operation != "atomicMin") return false;
  return type == "float" || type == "double" || type == "half" || type == "__half" || type == "__nv_bfloat16";
}

// The name of the function that is called there.
std::string_view called_at(const KernelView& view, NodeRef at) {
  const Source& source = view.program.sources()[at.source];
  const std::uint32_t name =
      source.syntax.is(at.node, NodeKind::call) ? name_in(source, source.syntax.child(at.node, Role::function)) : none;
  return name == none ? "" : source.text_of(name);
}

// Which threads of a block get to an atomic, but for those beyond the end of the data. Those that the data choose count where each of them
// repeats it; of a single one it is unknown how often it is done.
enum class Reach : std::uint8_t { unknown, of_chosen, of_all };

Reach reach_of(const KernelView& view, const Access& access, const AccessPattern& pattern) {
  constexpr auto by_data = Uses::loaded | Uses::varying | Uses::opaque;
  const Expressions& e = view.trace.expressions;
  bool is_chosen = e.uses(access.alive, by_data), repeats = false;
  std::uint32_t loop = access.loop;
  for (std::uint32_t c = access.context; c != none && c != 0; c = view.trace.contexts[c].parent) {
    const Context& context = view.trace.contexts[c];
    if (context.is_loop) {
      repeats = repeats || (loop != none && !is_over_grid(e, view.trace.loops[loop]));
      loop = loop == none ? none : view.trace.loops[loop].parent;
    } else if (e.uses(context.condition, by_data)) {
      if (!repeats) return Reach::unknown;
      is_chosen = true;
    }
  }
  if (is_chosen) return is_repeated(view.trace, access) ? Reach::of_chosen : Reach::unknown;
  return pattern.threads < std::min<std::uint32_t>(view.block.threads(), 128) / 2 ? Reach::unknown : Reach::of_all;
}

// The same for all threads, in each iteration of the loops around.
bool is_one_address(const Expressions& e, ExprId address) {
  constexpr auto differs = Uses::thread | Uses::varying | Uses::opaque | Uses::loaded;
  return !e.uses(address, differs) && (!e.uses(address, Uses::iteration) || !holds_loop_value(e, address));
}

void add_atomics(const KernelView& view, CodeSubject& into) {
  Places of_all(view), of_chosen(view);
  std::string text;
  bool is_shared = false;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const Memory& memory = view.trace.memories[access.memory];
    if (access.kind != Access::atomic || (memory.space != Space::global && memory.space != Space::shared)) continue;
    if (!is_one_address(view.trace.expressions, access.address)) continue;
    const Reach reach = reach_of(view, access, view.patterns.accesses[i]);
    const std::string_view operation = called_at(view, access.at);
    if (reach == Reach::unknown || !is_never_aggregated(view.program, operation, memory.type)) continue;
    if (text.empty() || (reach == Reach::of_all && !of_all.any())) {
      text = fmt::format("{} of {}", operation, memory.type);
      is_shared = memory.space == Space::shared;
    }
    (reach == Reach::of_all ? of_all : of_chosen).add(access.at);
  }
  const bool is_of_all = of_all.any(), any = is_of_all || of_chosen.any();
  into.set(Id::has_atomics_on_one_address, any, (is_of_all ? of_all : of_chosen).take());
  into.set(Id::atomics_by_data, any && !is_of_all);
  into.set(Id::atomic_threads, std::string(is_of_all ? "Every thread" : "Each thread that the data choose"));
  into.set(Id::atomic_on_one_address, text);
  into.set(Id::atomic_memory, std::string(is_shared ? "shared" : "global"));
}

}  // namespace

void add_thread_facts(const KernelView& view, CodeSubject& into) {
  add_local_arrays(view, into);
  add_atomics(view, into);
}

}  // namespace frx::derive::cuda
