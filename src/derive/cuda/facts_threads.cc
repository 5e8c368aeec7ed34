// Facts about what all threads do alike: local arrays with indices that registers do not have, and atomics at one address.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "derive/cuda/access_cost.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/large_arrays.h"

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
  std::string name, cause = "by a value that is known at run time only: registers have no index, so all of the array lies in local memory";
  for (const std::uint32_t i : view.indexed_at_run_time) {
    const Access& access = view.trace.accesses[i];
    const Memory& memory = view.trace.memories[access.memory];
    if (name.empty()) name = memory.name;
    if (name != memory.name) continue;
    places.add(access.at);
    adds = adds || adds_by_data(view.trace, i);
  }
  if (!places.any()) {
    const LargeArray large = large_local_array(view.trace);
    for (const std::uint32_t i : large.accesses) places.add(view.trace.accesses[i].at);
    if (large.memory != none) {
      name = view.trace.memories[large.memory].name;
      cause = fmt::format("of {} bytes, more than all registers of a thread hold, so that it lies in local memory", large.bytes);
    }
  }
  const bool any = places.any();
  into.set(Id::has_runtime_indexed_array, any, places.take());
  into.set(Id::runtime_indexed_array, name);
  into.set(Id::local_array_cause, cause);
  into.set(Id::runtime_indexed_sum, adds);
}

// Of 32-bit integers nvcc makes one atomic per warp (VOTE and REDUX, since Volta by shuffles), and of 64-bit ones where all threads add
// the same number; of others, and of floating-point types, one per thread.
enum class Aggregation : std::uint8_t { unknown, none, of_warps };

Aggregation aggregation_of(const Program& program, std::string_view operation, std::string_view type, const Access& access) {
  if (const std::string_view alias = program.alias(type); !alias.empty()) type = alias;
  if (operation != "atomicAdd" && operation != "atomicMax" && operation != "atomicMin") return Aggregation::unknown;
  constexpr std::array<std::string_view, 5> floating{"float", "double", "half", "__half", "__nv_bfloat16"};
  constexpr std::array<std::string_view, 6> integers{"int", "unsigned", "unsigned int", "uint", "int32_t", "uint32_t"};
  constexpr std::array<std::string_view, 4> wide{"unsigned long long", "unsigned long long int", "uint64_t", "ulonglong"};
  if (std::ranges::find(floating, type) != floating.end()) return Aggregation::none;
  if (std::ranges::find(wide, type) != wide.end()) {
    if (access.is_same) return operation == "atomicAdd" ? Aggregation::of_warps : Aggregation::unknown;
    return access.is_own ? Aggregation::none : Aggregation::unknown;
  }
  return std::ranges::find(integers, type) != integers.end() ? Aggregation::of_warps : Aggregation::unknown;
}

// The name of the function that is called there.
std::string_view called_at(const KernelView& view, NodeRef at) {
  const Source& source = view.program.sources()[at.source];
  const std::uint32_t name =
      source.syntax.is(at.node, NodeKind::call) ? name_in(source, source.syntax.child(at.node, Role::function)) : none;
  return name == none ? "" : source.text_of(name);
}

// atomicAdd(&flag, 0) reads, as a rule again and again.
bool adds_nothing(const KernelView& view, NodeRef at) {
  const Source& source = view.program.sources()[at.source];
  const std::string_view call = source.text_of(at.node);
  const std::size_t comma = call.rfind(',');
  const std::string_view last = comma == call.npos ? "" : trim(call.substr(comma + 1, call.rfind(')') - comma - 1));
  return last == "0" || last == "0u" || last == "0U";
}

// if (i % size == 0) atomicAdd(...): one thread of so many, which a launch says.
bool is_of_every_so_many(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  const auto is_rest = [&](ExprId part) {
    const Expr& x = e[part];
    return x.op == Op::mod && e.uses(x.a, Uses::thread) && e.uses(x.b, Uses::uniform);
  };
  return any_branch_around(trace, access.context, [&](ExprId condition) {
    bool found = false;
    for_each_conjunct(e, condition, [&](ExprId part, bool is_not) {
      const Expr& x = e[part];
      found = found || (is_not ? is_rest(part) || (x.op == Op::ne && (is_rest(x.a) || is_rest(x.b)))
                               : x.op == Op::eq && (is_rest(x.a) || is_rest(x.b)));
    });
    return found;
  });
}

// Which threads of a block get to an atomic, but for those beyond the end of the data. Those that the data choose count where each of them
// repeats it; of a single one it is unknown how often it is done.
enum class Reach : std::uint8_t { unknown, once_of_chosen, of_chosen, of_all };

Reach reach_of(const KernelView& view, const Access& access, const AccessPattern& pattern) {
  constexpr auto by_data = Uses::loaded | Uses::varying | Uses::opaque;
  const Expressions& e = view.trace.expressions;
  if (is_of_one_thread(view.trace, access) || is_of_every_so_many(view.trace, access)) return Reach::unknown;
  bool is_chosen = e.uses(access.alive, by_data), repeats = false;
  const bool is_of_few = pattern.threads < std::min<std::uint32_t>(view.block.threads(), 128) / 2;
  const Reach once = is_of_few ? Reach::unknown : Reach::once_of_chosen;
  std::uint32_t loop = access.loop;
  for (std::uint32_t c = access.context; c != none && c != 0; c = view.trace.contexts[c].parent) {
    const Context& context = view.trace.contexts[c];
    if (context.is_loop) {
      repeats = repeats || (loop != none && !is_over_grid(e, view.trace.loops[loop]));
      loop = loop == none ? none : view.trace.loops[loop].parent;
    } else if (e.uses(context.condition, by_data)) {
      if (!repeats) return once;
      is_chosen = true;
    }
  }
  if (is_chosen) return is_repeated(view.trace, access) ? Reach::of_chosen : once;
  return is_of_few ? Reach::unknown : Reach::of_all;
}

// The same for all threads, in each iteration of the loops around.
bool is_one_address(const Expressions& e, ExprId address) {
  constexpr auto differs = Uses::thread | Uses::varying | Uses::opaque | Uses::loaded;
  return !e.uses(address, differs) && (!e.uses(address, Uses::iteration) || !holds_loop_value(e, address));
}

// What is said of those at one address: each thread does one before each warp does, and all of them before some.
struct AtomicKind {
  std::string_view threads;
  bool is_pedantic = true;
};
constexpr std::array<AtomicKind, 4> atomic_kinds{{{"Every thread", false},
                                                  {"Each thread that the data choose"},
                                                  {"Every warp (the compiler joins the atomics of its threads)"},
                                                  {"Each warp with threads that the data choose (the compiler joins their atomics)"}}};

// What seldom happens, by the name of what counts it.
bool is_of_errors(std::string_view name) {
  constexpr std::array<std::string_view, 9> words{"skip", "err", "fail", "overflow", "invalid", "bad", "warn", "nan", "debug"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(name, word); });
}

// Atomics on an array at fixed places, by the array and the condition that they stand behind, which compares data: if (x > k) {
// atomicAdd(&s[0], x); ... }. Several sums are statistics, of what many threads have found; a single one may be of what seldom happens.
class Statistics {
 public:
  explicit Statistics(const Trace& trace) {
    const Expressions& e = trace.expressions;
    for (const Access& access : trace.accesses) {
      if (access.kind != Access::atomic || !is_one_address(e, access.address) || is_of_errors(trace.memories[access.memory].name)) continue;
      if (compares_data(e, trace.contexts[access.context].condition)) places_[{access.memory, access.context}].insert(access.address);
    }
  }
  bool hold(const Access& access) const {
    constexpr std::size_t fewest = 3;
    const auto at = places_.find({access.memory, access.context});
    return at != places_.end() && at->second.size() >= fewest;
  }

 private:
  // Not which lane is the first one, or whether a number is none.
  static bool compares_data(const Expressions& e, ExprId condition) {
    const Expr& x = e[condition];
    return (x.op == Op::lt || x.op == Op::le) && e.uses(condition, Uses::loaded);
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<ExprId>> places_;
};

// The index of its kind; nothing where nothing is said. Of integers, one of each warp is much where it hands out places in an array, or in
// a loop, unless it counts errors.
std::optional<std::size_t> kind_of(const Trace& trace, const Access& access, Reach reach, Aggregation aggregation, bool is_of_block,
                                   const Statistics& statistics) {
  const Memory& memory = trace.memories[access.memory];
  const Space space = memory.space;
  if (aggregation == Aggregation::none && (reach == Reach::of_all || reach == Reach::of_chosen)) return reach == Reach::of_all ? 0 : 1;
  if (aggregation == Aggregation::none && reach == Reach::once_of_chosen && statistics.hold(access)) return 1;
  if (aggregation != Aggregation::of_warps || space != Space::global || reach == Reach::unknown || is_of_block) return std::nullopt;
  const bool is_frequent = access.is_asked || (is_repeated(trace, access) && !is_of_errors(memory.name));
  if (reach == Reach::once_of_chosen && !is_frequent) return std::nullopt;
  return reach == Reach::of_all ? 2 : 3;
}

// How many values an expression may have at most, where a byte that was read or an operation says so: in[i], in[i] >> 2, x % 16.
std::optional<std::int64_t> most_values(const Trace& trace, ExprId id, int depth = 0) {
  constexpr int deepest = 8;
  constexpr std::int64_t of_byte = 256, most = 1 << 20;
  const Expressions& e = trace.expressions;
  const Expr& x = e[id];
  if (depth > deepest || x.op == Op::constant) return x.op == Op::constant ? std::optional<std::int64_t>(1) : std::nullopt;
  const auto right = e.constant_of(x.b);
  const auto of = [&](ExprId part) { return most_values(trace, part, depth + 1); };
  switch (x.op) {
    case Op::load: return trace.memories[x.b].bytes == 1 ? std::optional(of_byte) : std::nullopt;
    case Op::mod: return right && *right > 0 ? std::optional(*right) : std::nullopt;
    case Op::bit_and: return right && *right >= 0 ? std::optional(*right + 1) : std::nullopt;
    case Op::shr:
    case Op::div: return right && *right > 0 ? of(x.a) : std::nullopt;
    case Op::min:
    case Op::max: {  // max(0, min(47, x))
      const auto bound = [&](const Expr& of_two) { return e.constant_of(of_two.a) ? e.constant_of(of_two.a) : e.constant_of(of_two.b); };
      const Expr& inner = e[e.constant_of(x.a) ? x.b : x.a];
      const auto one = bound(x), other = bound(inner);
      const bool is_clamp = one && other && inner.op == (x.op == Op::min ? Op::max : Op::min);
      const bool is_small = is_clamp && std::min(*one, *other) > -most && std::max(*one, *other) < most;
      const std::int64_t span = is_small ? (x.op == Op::min ? *one - *other : *other - *one) : -1;
      return span >= 0 && span < most ? std::optional(span + 1) : std::nullopt;
    }
    case Op::add:
    case Op::sub:
    case Op::mul: {
      const auto a = of(x.a), b = of(x.b);
      return a && b && *a * *b <= most ? std::optional(*a * *b) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

// Does neither the data nor the number of a thread choose who makes an access, but for the end of the data?
bool is_of_all_threads(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  return !is_decided_by(trace, access, [&](ExprId condition) {
    bool chooses = e.uses(condition, Uses::loaded | Uses::varying | Uses::opaque);
    for_each_conjunct(e, condition, [&](ExprId part, bool is_not) {
      const bool is_one = e[part].op == Op::eq || (e[part].op == Op::ne && is_not);
      chooses = chooses || (is_one && e.uses(part, Uses::thread));
    });
    return chooses;
  });
}

// At how many addresses an atomic is done at most, if they are so few that threads meet there: those of the grid in global memory, those of
// one warp in shared memory.
std::optional<std::int64_t> few_addresses(const Trace& trace, const Access& access) {
  constexpr std::int64_t few_of_grid = 1024, few_of_warp = 16;
  const Memory& memory = trace.memories[access.memory];
  auto values = most_values(trace, access.address);
  if (memory.space == Space::shared && memory.dims.size() == 1) {
    const auto elements = trace.expressions.constant_of(memory.dims[0]);
    if (elements && (!values || *elements < *values)) values = elements;
  }
  const std::int64_t few = memory.space == Space::global ? few_of_grid : memory.space == Space::shared ? few_of_warp : 0;
  return values && *values >= 2 && *values <= few ? values : std::nullopt;
}

// atomicAdd(&bins[in[i]], 1) of bytes in[i]: every thread of the grid, and one of a few addresses. Those in global memory are said before
// those in shared memory.
void add_atomics_on_few(const KernelView& view, CodeSubject& into) {
  constexpr auto by_data = Uses::loaded | Uses::varying | Uses::opaque;
  std::array<Places, 2> places{Places(view), Places(view)};
  std::array<std::string, 2> texts;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const Expressions& e = view.trace.expressions;
    if (access.kind != Access::atomic || !e.uses(access.address, by_data)) continue;
    const auto values = few_addresses(view.trace, access);
    if (!values || adds_nothing(view, access.at) || !is_of_all_threads(view.trace, access)) continue;
    const Memory& memory = view.trace.memories[access.memory];
    const bool is_shared = memory.space == Space::shared;
    if (!places[is_shared].any()) {
      texts[is_shared] = fmt::format("{} of {} at one of at most {} addresses in {} memory", called_at(view, access.at), memory.type,
                                     *values, is_shared ? "shared" : "global");
    }
    places[is_shared].add(access.at);
  }
  const bool is_shared = !places[0].any();
  into.set(Id::has_atomics_on_few_addresses, places[is_shared].any(), places[is_shared].take());
  into.set(Id::few_are_shared, is_shared);
  into.set(Id::atomic_on_few_addresses, texts[is_shared]);
}

void add_atomics(const KernelView& view, CodeSubject& into) {
  std::array<Places, 4> found{Places(view), Places(view), Places(view), Places(view)};  // by kind
  std::array<std::string, 4> texts;
  std::array<bool, 4> is_shared{};
  const Statistics statistics(view.trace);
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const Memory& memory = view.trace.memories[access.memory];
    if (access.kind != Access::atomic || (memory.space != Space::global && memory.space != Space::shared)) continue;
    if (!is_one_address(view.trace.expressions, access.address)) continue;
    const std::string_view operation = called_at(view, access.at);
    if (adds_nothing(view, access.at)) continue;
    const Aggregation aggregation = aggregation_of(view.program, operation, memory.type, access);
    const bool is_of_block = view.trace.expressions.uses(access.address, Uses::block);
    const auto kind = kind_of(view.trace, access, reach_of(view, access, view.patterns.accesses[i]), aggregation, is_of_block, statistics);
    if (!kind) continue;
    if (!found[*kind].any()) {
      texts[*kind] = fmt::format("{} of {}", operation, memory.type);
      is_shared[*kind] = memory.space == Space::shared;
    }
    found[*kind].add(access.at);
  }
  const auto first = std::ranges::find_if(found, [](const Places& places) { return places.any(); });
  const bool any = first != found.end();
  const std::size_t kind = any ? static_cast<std::size_t>(first - found.begin()) : 0;
  into.set(Id::has_atomics_on_one_address, any, found[kind].take());
  into.set(Id::atomics_of_some, any && atomic_kinds[kind].is_pedantic);
  into.set(Id::atomic_threads, std::string(atomic_kinds[kind].threads));
  into.set(Id::atomic_on_one_address, texts[kind]);
  into.set(Id::atomic_memory, std::string(is_shared[kind] ? "shared" : "global"));
}

}  // namespace

void add_thread_facts(const KernelView& view, CodeSubject& into) {
  add_local_arrays(view, into);
  add_atomics(view, into);
  add_atomics_on_few(view, into);
}

}  // namespace frx::derive::cuda
