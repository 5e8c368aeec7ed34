// Facts about global memory: coalescing and reuse.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/constant_reads.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/gathers.h"
#include "derive/cuda/split_elements.h"
#include "derive/cuda/tags.h"
#include "derive/cuda/value_types.h"
#include "derive/cuda/windows.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

// "128 bytes apart", "300 elements apart" where the size of an element is unknown, "a run-time size apart" where a launch passes it, "an
// unknown size apart" where a template, a header or a copy to constant memory sets it, "at uneven distances"
std::string distance(const KernelView& view, const AccessPattern& pattern, const Access& access, bool knows_element) {
  const Expressions& e = view.trace.expressions;
  const bool is_tensor = view.trace.memories[access.memory].is_tensor;
  const auto is_parameter = [&](ExprId part) { return std::ranges::find(view.trace.parameters, part) != view.trace.parameters.end(); };
  constexpr int most_terms = 32;
  bool is_given_by_launch = pattern.is_own_row || e[access.address].sizes > 0;
  for_each_term(e, access.address, most_terms, [&](ExprId term, std::int64_t) {
    is_given_by_launch = is_given_by_launch || (e.uses(term, Uses::thread) && has_part(e, term, is_parameter));
    return true;
  });
  if (pattern.stride_is_symbolic && is_tensor) return "a run-time size apart (of a tensor that is contiguous)";
  if (pattern.stride_is_symbolic) return is_given_by_launch ? "a run-time size apart" : "an unknown size apart";
  if (!pattern.lane_stride) return "at uneven distances";
  const std::int64_t bytes = std::abs(*pattern.lane_stride), size = access.bytes;
  if (knows_element) return fmt::format("{} bytes apart", bytes);
  return size != 0 && bytes % size == 0 ? fmt::format("{} elements apart", bytes / size) : "several elements apart";
}

// Where the data choose the lanes that make the access, it may be few of them; and of what the data say twice, first[queue[i]], some may be
// the same.
bool is_of_some_lanes(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  const auto is_behind_load = [&](ExprId part) { return e[part].op == Op::load && e.uses(e[part].a, Uses::loaded); };
  return is_chosen_by_data(trace, access) || has_part(e, access.address, is_behind_load);
}

// Does a size that is not known multiply the number of a thread in it?
bool has_sizes(const Expressions& e, ExprId address) {
  constexpr int most_terms = 32;
  return !for_each_term(e, address, most_terms, [&](ExprId term, std::int64_t) {
    return !(e.uses(term, Uses::thread) && has_part(e, term, [&](ExprId part) { return e[part].op == Op::uniform; }));
  });
}

// In whole numbers: of all lanes at least so many, since a row that begins within a sector costs one more than an aligned one, which the
// sample may have or not; where lanes read the same up to so many, with that one, and where the data choose them up to those of a single
// lane. Elements whose size divides a sector lie in one each. In a block with rows that is only assumed, a warp may have fewer lanes along
// x.
std::string times_the_sectors(const KernelView& view, std::size_t i, bool knows_element) {
  if (!knows_element) return "several times";
  constexpr double rounding = 1e-6;
  const Access& access = view.trace.accesses[i];
  const AccessPattern& pattern = view.patterns.accesses[i];
  if (is_of_some_lanes(view.trace, access)) {
    const std::uint32_t bytes = std::max(access.bytes, 1u);
    double most = std::ceil(pattern.sector_ratio + 1.0 / bytes - rounding);
    const bool may_straddle = warp::sector_bytes % bytes != 0;  // two sectors
    if (is_chosen_by_data(view.trace, access)) most = std::max(most, std::ceil((may_straddle ? 2.0 : 1.0) * warp::sector_bytes / bytes));
    if (warp::sector_bytes % bytes == 0) most = std::min<double>(most, warp::sector_bytes / bytes);
    return fmt::format("up to {:.0f} times", most);
  }
  const double whole = std::floor(pattern.sector_ratio + rounding);
  const bool is_assumed = !view.is_block_launched && view.block.y * view.block.z > 1;
  if (is_assumed) return fmt::format("up to {:.0f} times", whole);
  const bool is_sector_each = whole * access.bytes >= warp::sector_bytes;
  // Of rows that a warp has several of, how many and where they begin differs from warp to warp.
  if (!pattern.stride_is_symbolic && !pattern.lane_stride)
    return fmt::format("about {:.0f} times{}", pattern.sector_ratio,
                       has_sizes(view.trace.expressions, access.address) ? ", unless a size is small," : "");
  if (pattern.stride_is_symbolic && is_sector_each) return fmt::format("{:.0f} times, unless that size is small,", whole);
  return pattern.stride_is_symbolic ? fmt::format("at least {:.0f} times, unless that size is small,", whole)
                                    : fmt::format("at least {:.0f} times", whole);
}

// The place that the message quotes comes first.
std::vector<model::TextPlace> with_first(std::vector<model::TextPlace> places, const model::TextPlace& first) {
  const auto at = std::ranges::find_if(places, [&](const model::TextPlace& one) {
    return one.line == first.line && one.column == first.column && std::string_view(one.file) == std::string_view(first.file);
  });
  if (at != places.end()) {
    std::rotate(places.begin(), at, at + 1);
  } else if (first.line != 0) {
    places.insert(places.begin(), first);
  }
  return places;
}

void add_worst_access(const KernelView& view, std::size_t worst, CodeSubject& into) {
  const Access& access = view.trace.accesses[worst];
  const AccessPattern& pattern = view.patterns.accesses[worst];
  into.set(Id::access_text, access_text(view, access));
  const bool knows_element = access.bytes != 0 && !access.is_guess;
  into.set(Id::lane_distance, distance(view, pattern, access, knows_element));
  into.set(Id::sector_bound, times_the_sectors(view, worst, knows_element));
  into.set(Id::rows_from_memory, pattern.is_own_row && view.trace.expressions.uses(access.address, Uses::loaded | Uses::varying));
  into.set(Id::sector_ratio, pattern.sector_ratio);
  into.set(Id::wasted_sector_share, wasted_share(view));
  into.set(Id::lone_stride, is_lone_stride(view.trace.expressions, pattern, access.address));
}

// Does a warp touch several times the sectors that its bytes fill, of which its other accesses use the rest: a structure of arrays whose
// members are read one by one, a few elements of each thread? A compiler joins the parts of a float4 into one access.
bool is_of_record(const KernelView& view, std::size_t i) {
  constexpr double least = 2.5;
  const Access& access = view.trace.accesses[i];
  const AccessPattern& pattern = view.patterns.accesses[i];
  if (!pattern.is_record || pattern.sector_ratio < least || access.is_recast) return false;
  const std::string_view name = view.trace.memories[access.memory].type;
  const Struct* const record = view.program.struct_named(name);
  if (record && record->is_of_library && !access.is_state) return false;  // copied as a whole
  const TypeInfo type = view.program.type(name);
  return type.parts <= 1 || type.parts == 3;
}

// One member of a class that no file defines, or whose size is unknown, of another object for each lane: the others lie between.
// `p[i].length` where other code names p[i].type, p[i].rate and p[i].capacity as well.
class UnknownRecords {
 public:
  explicit UnknownRecords(const KernelView& view) : view_(view) {}

  void consider(std::size_t i) {
    const Access& access = view_.trace.accesses[i];
    const AccessPattern& pattern = view_.patterns.accesses[i];
    if (!access.is_vague || !access.is_guess || pattern.lane_stride.value_or(0) == 0 || pattern.threads < warp::lane_count) return;
    const std::string_view member = member_at(access.at);
    if (member.empty()) return;
    touched_[access.memory].insert(member);
    first_.try_emplace(access.memory, i);
  }

  // The first access to a class of which the kernel touches few members, and how many there are at least.
  std::optional<std::pair<std::size_t, std::size_t>> found() const {
    constexpr std::size_t fewest = 4;
    for (const auto& [memory, members] : touched_) {
      const std::string_view type = view_.trace.memories[memory].type;
      const Struct* const record = view_.program.struct_named(type);
      const bool is_declared = record && record->bytes == 0;  // with members of types that no file declares
      const std::size_t all = is_declared ? record->types.size() : view_.program.named_members(type);
      if (all >= fewest && 2 * members.size() <= all) return std::pair(first_.at(memory), all);
    }
    return std::nullopt;
  }

 private:
  // The one that is nearest to the object.
  std::string_view member_at(NodeRef at) const {
    const Source& source = view_.program.sources()[at.source];
    constexpr int deepest = 16;
    std::uint32_t node = at.node;
    std::string_view member;
    for (int depth = 0; depth < deepest && node != none; ++depth) {
      if (source.syntax.is(node, NodeKind::field_expression)) {
        member = source.text_of(source.syntax.child(node, Role::field));
      } else if (!source.syntax.is(node, NodeKind::subscript)) {
        break;
      }
      node = source.syntax.child(node, Role::argument);
    }
    return member;
  }

  const KernelView& view_;
  std::map<std::uint32_t, std::set<std::string_view>> touched_;  // by memory
  std::map<std::uint32_t, std::size_t> first_;
};

void add_unknown_record(const KernelView& view, const UnknownRecords& records, CodeSubject& into) {
  const auto found = records.found();
  if (!found) return;
  const auto [access, members] = *found;
  Places places(view);
  places.add(view.trace.accesses[access].at);
  into.set(Id::only_records, true);
  into.set(Id::strided_or_pitched, true, places.take());
  add_worst_access(view, access, into);
  into.set(Id::lane_distance, fmt::format("one object apart, which has {} members or more,", members));
  into.set(Id::sector_bound, std::string("several times"));
  into.set(Id::repeated_access, is_repeated(view.trace, view.trace.accesses[access]));
}

// Where the data choose who makes it, a wider store would change its neighbours.
bool is_of_narrow_numbers(const KernelView& view, std::size_t i) {
  const Access& access = view.trace.accesses[i];
  const bool is_number = !access.is_guess || view.trace.memories[access.memory].is_of_numbers;
  if (access.kind == Access::atomic) return false;
  return access.bytes <= 4 && is_number && is_flat(view, i) && !is_chosen_by_data(view.trace, access);
}

// Loads and stores of narrow elements. `a[i] *= 2` alone counts once.
class NarrowAccesses {
 public:
  void add(const Access& access) {
    places_.emplace(access.at.source, access.at.node);
    accesses_.emplace(access.memory, access.address, access.kind);
  }
  double count() const { return static_cast<double>(places_.size() == 1 ? 1 : accesses_.size()); }

 private:
  std::set<std::pair<std::uint32_t, std::uint32_t>> places_;  // files and nodes
  std::set<std::tuple<std::uint32_t, ExprId, Access::Kind>> accesses_;
};

void add_coalescing(const KernelView& view, CodeSubject& into) {
  Places spread(view), flat(view), all(view);
  NarrowAccesses narrow;
  bool any_narrow_load = false;      // gathered elements cannot be read in wider pieces
  std::optional<std::size_t> worst;  // of the accesses: one that is repeated before one that is not
  bool worst_repeats = false, any_repeats = false;
  Places records(view);
  UnknownRecords unknown(view);
  std::optional<std::size_t> widest;  // of the records
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    if (!is_global(view, i)) continue;
    const Access& access = view.trace.accesses[i];
    all.add(access.at);
    const bool repeats = is_repeated(view.trace, access);
    any_repeats = any_repeats || repeats;
    if (is_flat(view, i)) flat.add(access.at);
    if (is_of_narrow_numbers(view, i)) {
      narrow.add(access);
      any_narrow_load = any_narrow_load || access.kind == Access::load;
    }
    const AccessPattern& pattern = view.patterns.accesses[i];
    const bool is_spread = pattern.kind == AccessPattern::spread, is_record = is_of_record(view, i);
    if (is_of_one_thread(view.trace, access)) continue;
    if (!is_spread && !is_record) {
      unknown.consider(i);
      continue;
    }
    if (is_record) {
      records.add(access.at);
      if (!widest || view.patterns.accesses[*widest].sector_ratio < pattern.sector_ratio) widest = i;
    }
    if (!is_spread) continue;
    spread.add(access.at);
    const bool is_worse =
        !worst || (repeats != worst_repeats ? repeats : view.patterns.accesses[*worst].sector_ratio < pattern.sector_ratio);
    if (!is_worse) continue;
    worst = i;
    worst_repeats = repeats;
  }
  into.set(Id::global_access_count, all.count());
  into.set(Id::coalesced_access_count, flat.count());
  into.set(Id::narrow_access_count, any_narrow_load ? narrow.count() : 0.0);
  const bool any_flat = flat.any(), any_spread = spread.any(), only_records = !any_spread && records.any();
  into.set(Id::likely_coalesced_1d, any_flat, flat.take());
  into.set(Id::only_records, only_records);
  if (only_records) worst = widest;
  Places& shown = only_records ? records : spread;
  const NodeRef worst_at = worst ? view.trace.accesses[*worst].at : NodeRef();
  into.set(Id::strided_or_pitched, any_spread || only_records, worst ? with_first(shown.take(), view.place_of(worst_at)) : shown.take());
  if (!worst) {
    add_unknown_record(view, unknown, into);
    return;
  }
  add_worst_access(view, *worst, into);
  if (only_records) into.set(Id::sector_bound, "in each instruction " + times_the_sectors(view, *worst, true));
  // A state that is used once is read and written word by word as well, but half of its lines are used.
  into.set(Id::repeated_access, worst_repeats || (!any_repeats && !view.trace.accesses[*worst].is_state));
}

// Arrays of which neighbouring threads read overlapping windows, in place of those that were found.
Windows add_windows(const KernelView& view, std::set<std::uint32_t>& reused, Places& places) {
  const auto is_shared = [](const Memory& memory) { return memory.space == Space::shared; };
  if (std::ranges::any_of(view.trace.memories, is_shared)) return {};  // tiles, most likely
  Windows windows = windowed_loads(view.trace, view.block);
  if (!windows.loads.empty()) reused.clear();
  for (const std::size_t i : windows.loads) {
    reused.insert(view.trace.accesses[i].memory);
    places.add(view.trace.accesses[i].at);
  }
  return windows;
}

// Does each iteration of the innermost loop load another element? One that stays the same is loaded once.
bool is_moved_by_its_loop(const Trace& trace, const Access& access) {
  const ExprId iteration = trace.loops[access.loop].iteration;
  return has_part(trace.expressions, access.address, [&](ExprId part) { return part == iteration; });
}

// Arrays that a loop reads and that many threads of a block read at the same places.
void add_reuse(const KernelView& view, CodeSubject& into) {
  std::set<std::uint32_t> reused;
  Places places(view), windows(view);
  bool is_shared_out = false;  // not the same for all lanes of a warp, which a single load would serve
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Access& access = view.trace.accesses[i];
    const AccessPattern& pattern = view.patterns.accesses[i];
    if (!is_global(view, i) || access.kind != Access::load || access.loop == none || pattern.distinct == 0) continue;
    if (is_short(view.trace, access.loop) || !is_moved_by_its_loop(view.trace, access)) continue;
    if (pattern.threads < 32 || pattern.distinct * 4 > pattern.threads) continue;
    reused.insert(access.memory);
    is_shared_out = is_shared_out || pattern.kind != AccessPattern::uniform;
    places.add(access.at);
  }
  const Windows found = !is_shared_out || reused.size() < 2 ? add_windows(view, reused, windows) : Windows();
  const bool only_windows = !found.loads.empty();
  is_shared_out = is_shared_out || only_windows;
  into.set(Id::only_windows, only_windows);
  into.set(Id::reusing_code, std::string(found.are_written_out ? "Each thread reads" : "Loops read"));
  into.set(Id::reused_global_arrays, is_shared_out ? static_cast<double>(reused.size()) : 0.0,
           only_windows ? windows.take() : places.take());
}

bool has_narrow_parameters(const KernelView& view) {
  const Source& source = view.source();
  for (const std::uint32_t p : view.function.parameters) {
    const std::uint32_t declarator = source.syntax.child(p, Role::declarator);
    const TypeInfo type = view.program.type(source.text_of(source.syntax.child(p, Role::type)));
    if (indirections(source, declarator) == 1 && type.parts == 1 && type.bytes > 0 && type.bytes <= 4) return true;
  }
  return false;
}

// What is moved in narrower pieces than it could be. To be called behind add_coalescing().
void add_narrow_accesses(const KernelView& view, CodeSubject& into) {
  const std::optional<SplitElements> split = split_elements(view);
  if (!split) {
    if (const std::optional<std::size_t> byte = bytes_one_by_one(view)) {
      Places bytes(view);
      const Access& access = view.trace.accesses[*byte];
      bytes.add(access.at);
      into.set(Id::has_split_elements, true);
      into.set(Id::narrow_access_reason,
               fmt::format("Each thread {} bytes of its own in accesses of one byte, as in `{}`",
                           access.kind == Access::load ? "loads" : "stores", access_text(view, access)),
               bytes.take());
      return;
    }
    into.set(Id::has_split_elements, false);
    const std::string accesses = fmt::format("{}", into.number(Id::narrow_access_count).value_or(0));
    into.set(Id::narrow_access_reason,
             "Neighbouring threads move neighbouring elements, but only one narrow element each, in " + accesses + " accesses or more",
             into.find(Id::likely_coalesced_1d)->places);
    return;
  }
  into.set(Id::has_split_elements, true);
  Places places(view);
  const Access &first = view.trace.accesses[split->first], &second = view.trace.accesses[split->second];
  places.add(first.at);
  places.add(second.at);
  // Accesses of a function that is called stand at the call.
  const std::string one = access_text(view, first), other = access_text(view, second);
  const std::string what = one == other ? fmt::format("two elements in `{}`", one) : fmt::format("`{}` and `{}`", one, other);
  into.set(
      Id::narrow_access_reason,
      fmt::format(
          "Each thread moves {}, which lie side by side, in two accesses of {} {}, since nothing says that they are aligned to {} bytes",
          what, split->bytes, split->bytes == 1 ? "byte" : "bytes", 2 * split->bytes),
      places.take());
}

// Elements that the data choose. Those of one thread alone, and those that lie as evenly as they can, are none.
void add_gathers(const KernelView& view, CodeSubject& into) {
  Gathers gathers(view);
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const bool is_other = !is_global(view, i) || view.patterns.accesses[i].kind == AccessPattern::spread || is_of_record(view, i);
    if (!is_other && !is_of_one_thread(view.trace, view.trace.accesses[i])) gathers.consider(i);
  }
  const std::vector<std::size_t>& found = gathers.found();
  Places places(view);
  for (const std::size_t i : found) places.add(view.trace.accesses[i].at);
  into.set(Id::has_gathers, !found.empty(), places.take());
  if (found.empty()) return;
  const Access& first = view.trace.accesses[found.front()];
  into.set(Id::gather_text, access_text(view, first));
  const bool knows_element = first.bytes != 0 && !first.is_guess;
  into.set(Id::gather_sectors, knows_element ? fmt::format("up to {} times", (warp::sector_bytes + first.bytes - 1) / first.bytes)
                                             : std::string("several times"));
}

// `if (i < *size)`: whole numbers of which a kernel reads one alone behind a pointer.
void add_numbers_behind_pointers(const KernelView& view, CodeSubject& into) {
  const Trace& trace = view.trace;
  std::vector<bool> is_number(trace.memories.size());
  for (std::size_t m = 0; m < is_number.size(); ++m) {
    const Memory& memory = trace.memories[m];
    const ValueType type = arithmetic_type_named(memory.type);
    const bool is_whole = type.type == Arithmetic::int32 || type.type == Arithmetic::int64;
    is_number[m] =
        memory.space == Space::global && is_whole && !type.is_vector && memory.bytes >= 4 && !memory.is_passed && !memory.is_scalar;
  }
  Places places(view);
  std::string text;
  for (const Access& access : trace.accesses) {
    is_number[access.memory] =
        is_number[access.memory] && access.kind == Access::load && trace.expressions.constant_of(access.address) == 0;
  }
  for (const Access& access : trace.accesses) {
    if (!is_number[access.memory]) continue;
    if (text.empty()) text = access_text(view, access);
    places.add(access.at);
  }
  into.set(Id::has_number_behind_pointer, places.any(), places.take());
  into.set(Id::number_behind_pointer, text);
}

void add_heap(const KernelView& view, CodeSubject& into) {
  const std::vector<NodeRef>& found = view.trace.heap_allocations;
  Places places(view);
  for (const NodeRef at : found) places.add(at);
  into.set(Id::heap_allocation_count, static_cast<double>(found.size()), places.take());
}

void add_constant_reads(const KernelView& view, CodeSubject& into) {
  const std::vector<std::uint32_t> found = spread_constant_reads(view.trace, view.block);
  Places places(view);
  for (const std::uint32_t i : found) places.add(view.trace.accesses[i].at);
  into.set(Id::has_spread_constant_reads, !found.empty(), places.take());
  if (found.empty()) return;
  const auto is_costly = [&](std::uint32_t i) {
    const Access& access = view.trace.accesses[i];
    return view.trace.expressions.uses(access.address, Uses::loaded) || is_repeated(view.trace, access);
  };
  into.set(Id::spread_constant_read, access_text(view, view.trace.accesses[found.front()]));
  into.set(Id::spread_constant_repeats, std::ranges::any_of(found, is_costly));
}

}  // namespace

std::string access_text(const KernelView& view, const Access& access) {
  constexpr std::size_t longest = 60;
  const std::string text = view.program.sources()[access.at.source].written(access.at.node);
  return text.size() > longest ? text.substr(0, longest - 3) + "..." : text;
}

void add_memory_facts(const KernelView& view, CodeSubject& into) {
  add_coalescing(view, into);
  add_narrow_accesses(view, into);
  add_gathers(view, into);
  add_reuse(view, into);
  add_constant_reads(view, into);
  add_heap(view, into);
  add_numbers_behind_pointers(view, into);
  into.set(Id::vectorized, view.names.vector_types);
  into.set(Id::has_scalar_params, has_narrow_parameters(view));
  into.set(Id::read_only_or_constant_cache, view.names.read_only_cache);
}

}  // namespace frx::derive::cuda
