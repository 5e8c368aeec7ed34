#include "derive/cuda/fused_passes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "derive/cuda/access_cost.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/host_steps.h"

namespace frx::derive::cuda {
namespace {

using Id = model::CodeFactId;
using model::cuda::Launch;
using model::cuda::PreviousLaunch;
using model::cuda::SharedArgument;

// ---- The use of memory by a kernel

// Is an access to the element whose number is that of the thread in the grid: along x, or along x and y of rows of any length?
class ThreadElements {
 public:
  ThreadElements(const Trace& trace, const Shape& block)
      : trace_(trace),
        block_(block),
        now_(trace.expressions, {.kind = Sample::large_odd, .block = block, .iteration = 0}),
        further_(trace.expressions, {.kind = Sample::large_odd, .block = block, .iteration = 0, .more_blocks = 1}) {}

  bool has(const Access& access) const {
    if (block_.z != 1 || access.element == 0 || moves_on(access) || !now_.is_known(access.address) || !further_.is_known(access.address))
      return false;
    const std::int64_t bytes = access.element;
    const auto rest = [&](std::uint32_t lane) {
      return at(now_, access, lane) - bytes * (Lanes::sampled_block * std::int64_t{block_.x} + now_.thread_of(lane) % block_.x);
    };
    const auto row = [&](std::uint32_t lane) { return std::int64_t{now_.thread_of(lane) / block_.x}; };
    const std::uint32_t last = now_.count() - 1;
    const std::int64_t row_bytes = row(last) == row(0) ? 0 : (rest(last) - rest(0)) / (row(last) - row(0));
    if (block_.y > 1 && row_bytes == 0) return false;
    // In large samples blockIdx.y is 2.
    const std::int64_t first = rest(0) - row_bytes * (2 * std::int64_t{block_.y} + row(0));
    if (first < 0 || first >= bytes) return false;
    for (std::uint32_t lane = 0; lane <= last; ++lane) {
      if (rest(lane) - row_bytes * (2 * std::int64_t{block_.y} + row(lane)) != first && block_.y > 1) return false;
      if (block_.y == 1 && rest(lane) != first) return false;
      if (at(further_, access, lane) - at(now_, access, lane) != bytes * block_.x) return false;
    }
    return true;
  }

  bool is_one_value(const Access& access) const { return now_.is_known(access.address) && now_.is_same_for_all(access.address); }

 private:
  // To elements of other threads, in a loop: only one over the whole grid stays with those of the thread.
  bool moves_on(const Access& access) const {
    if (holds_loop_value(trace_.expressions, access.address)) return true;
    for (std::uint32_t l = access.loop; l != none; l = trace_.loops[l].parent) {
      const Loop& loop = trace_.loops[l];
      const auto is_iteration = [&](ExprId part) { return part == loop.iteration; };
      if (has_part(trace_.expressions, access.address, is_iteration) && !is_over_grid(trace_.expressions, loop)) return true;
    }
    return false;
  }

  static std::int64_t at(const Lanes& lanes, const Access& access, std::uint32_t lane) {
    return lanes.at(access.address, lane) << 3 >> 3;  // without the number of the memory
  }

  const Trace& trace_;
  Shape block_;
  Lanes now_, further_;
};

// a[blockIdx.x * length + threadIdx.x], or k * blockDim.x further in a loop, as far as the row goes: the name of the length, a parameter.
class BlockRows {
 public:
  BlockRows(const Trace& trace, const Shape& block) : trace_(trace), e_(trace.expressions), block_(block) {}

  std::string_view length_at(const Access& access) const {
    if (block_.y != 1 || block_.z != 1 || access.element == 0 || access.kind == Access::atomic) return {};
    constexpr int most_terms = 16;
    const std::int64_t bytes = access.element;
    ExprId length = none;
    bool has_thread = false, has_iteration = false;
    const bool is_place = for_each_term(e_, access.address, most_terms, [&](ExprId id, std::int64_t factor) {
      const bool steps = (steps_by_block(id) && factor == bytes) || (e_[id].op == Op::iteration && factor == bytes * block_.x);
      if (e_[id].op == Op::thread_x && factor == bytes) return !std::exchange(has_thread, true);
      if (steps) return !std::exchange(has_iteration, true);
      if (e_.constant_of(id) == 0) return true;
      if (factor != bytes || length != none) return false;
      length = factor_of_block(id);
      return length != none;
    });
    if (!is_place || !has_thread || length == none || !ends_with_row(access, length, has_iteration)) return {};
    return trace_.name_of_parameter(length);
  }

 private:
  bool steps_by_block(ExprId id) const {
    const Expr& x = e_[id];
    return x.op == Op::mul && ((e_[x.a].op == Op::iteration && is_extent(x.b)) || (e_[x.b].op == Op::iteration && is_extent(x.a)));
  }
  bool is_extent(ExprId id) const { return e_[id].op == Op::block_dim_x || e_.constant_of(id) == block_.x; }
  ExprId factor_of_block(ExprId id) const {
    const Expr& x = e_[id];
    if (x.op != Op::mul) return none;
    return e_[x.a].op == Op::block_x ? x.b : e_[x.b].op == Op::block_x ? x.a : none;
  }
  // Is there a condition around it that compares with the length, and with no other size? Rows that overlap have two sizes.
  bool ends_with_row(const Access& access, ExprId length, bool has_iteration) const {
    for (std::uint32_t c = access.context; c != none && c != 0; c = trace_.contexts[c].parent) {
      const Context& context = trace_.contexts[c];
      const bool may_limit = context.is_loop ? has_iteration : e_.uses(context.condition, Uses::thread_x);
      if (may_limit && is_only_size(context.condition, length)) return true;
    }
    return false;
  }
  bool is_only_size(ExprId condition, ExprId length) const {
    const auto is_length = [&](ExprId id) { return id == length; };
    const auto is_other = [&](ExprId id) { return id != length && e_[id].op == Op::uniform; };
    return has_part(e_, condition, is_length) && !has_part(e_, condition, is_other);
  }

  const Trace& trace_;
  const Expressions& e_;
  Shape block_;
};

// a[i * length + k], k below the length; a[k * length + i] and a[x * length + y], i and y compared with something: elements of which each
// thread has its own.
class OwnSets {
 public:
  OwnSets(const Trace& trace, const Shape& block) : trace_(trace), e_(trace.expressions), block_(block) {}

  struct Found {
    Ownership::Kind kind;
    ExprId length;  // none: `number`
    std::int64_t number = 0;
  };

  std::optional<Found> at(const Access& access) const {
    constexpr int most_terms = 16;
    if (access.element == 0 || block_.z != 1) return std::nullopt;
    Parts parts;
    const std::int64_t bytes = access.element;
    const bool is_sum = for_each_term(e_, access.address, most_terms, [&](ExprId id, std::int64_t factor) {
      for (const std::size_t axis : {0, 1}) {
        Along& along = axis == 0 ? parts.x : parts.y;
        if (e_[id].op == (axis == 0 ? Op::thread_x : Op::thread_y)) return !std::exchange(along.thread, factor);
        if (is_first_of_block(id, axis)) return !std::exchange(along.block, factor);
        if (e_[id].op == (axis == 0 ? Op::block_x : Op::block_y) && factor % extent(axis) == 0)
          return !std::exchange(along.block, factor / extent(axis));
      }
      const ExprId length = length_of_row(id);
      if (length != none) return factor == bytes && std::exchange(parts.row, length) == none;
      parts.others.emplace_back(id, factor);
      return !e_.uses(id, Uses::block | Uses::thread | Uses::loaded | Uses::varying | Uses::opaque);
    });
    return is_sum ? found_in(parts, access) : std::nullopt;
  }

 private:
  // Bytes from one thread to the next, and from one block, per thread of it.
  struct Along {
    std::int64_t thread = 0, block = 0;
    bool is_none() const { return thread == 0 && block == 0; }
    bool is_index(std::int64_t bytes) const { return thread == bytes && block == bytes; }
  };
  struct Parts {
    Along x, y;
    ExprId row = none;                                    // the length by which the number of the thread is multiplied
    std::vector<std::pair<ExprId, std::int64_t>> others;  // terms, and what multiplies them
  };

  std::optional<Found> found_in(const Parts& parts, const Access& access) const {
    const std::int64_t bytes = access.element;
    const bool is_line = block_.y == 1 && parts.y.is_none();
    if (parts.row != none && is_line && parts.x.is_none() && stays_in_row(parts, access, parts.row, 0))
      return Found{Ownership::rows, parts.row};
    if (parts.row != none && parts.x.is_none() && parts.y.is_index(bytes) && parts.others.empty() && is_compared(access, Uses::thread_y))
      return Found{Ownership::plane, parts.row};
    if (parts.row != none || !is_line) return std::nullopt;
    const std::int64_t number = parts.x.thread / bytes;
    if (number > 1 && parts.x.is_index(number * bytes))
      return stays_in_row(parts, access, none, number) ? std::optional(Found{Ownership::rows, none, number}) : std::nullopt;
    if (!parts.x.is_index(bytes) || parts.others.empty() || !is_compared(access, Uses::thread_x)) return std::nullopt;
    ExprId length = none;
    for (const auto& [other, factor] : parts.others) {
      if (e_.constant_of(other) == 0) continue;
      const ExprId here = e_[other].op != Op::mul ? none : is_size(e_[other].b) ? e_[other].b : is_size(e_[other].a) ? e_[other].a : none;
      if (here == none || (length != none && length != here) || e_.uses(other, Uses::thread)) return std::nullopt;
      length = here;
    }
    return length == none ? std::nullopt : std::optional(Found{Ownership::columns, length});
  }

  std::int64_t extent(std::size_t axis) const { return axis == 0 ? block_.x : block_.y; }
  bool is_size(ExprId id) const { return e_[id].op == Op::uniform; }

  // The place in the row is a number, or one more in each iteration of a loop that ends with the row.
  bool stays_in_row(const Parts& parts, const Access& access, ExprId length, std::int64_t number) const {
    std::int64_t first = 0;
    const Loop* loop = nullptr;
    for (const auto& [id, factor] : parts.others) {
      const auto known = e_.constant_of(id);
      const bool is_near = known && std::abs(*known) <= largest_place && std::abs(factor) / access.element <= largest_place;
      if (is_near && factor % access.element == 0) {
        first += *known * (factor / access.element);
      } else if (e_[id].op == Op::iteration && factor == access.element && !loop) {
        loop = loop_of(access, id);
        if (!loop) return false;
      } else {
        return false;
      }
    }
    if (first < 0 || first > largest_place) return false;
    if (!loop) return length == none && first < number;
    // start + iteration < end
    const Expr& test = e_[loop->condition];
    if (test.op != Op::lt && test.op != Op::le) return false;
    std::int64_t start = 0;
    const bool counts = for_each_term(e_, test.a, 4, [&](ExprId id, std::int64_t factor) {
      const auto known = e_.constant_of(id);
      if (known && *known >= 0 && *known <= largest_place && factor == 1) start += *known;
      return (known && factor == 1) || (id == loop->iteration && factor == 1);
    });
    if (!counts || !e_.uses(test.a, Uses::iteration) || first > start) return false;
    if (length != none) return test.op == Op::lt && test.b == length;
    const auto end = e_.constant_of(test.b);
    return end && (test.op == Op::le ? *end < number : *end <= number);
  }

  const Loop* loop_of(const Access& access, ExprId iteration) const {
    for (std::uint32_t l = access.loop; l != none; l = trace_.loops[l].parent) {
      if (trace_.loops[l].iteration == iteration) return &trace_.loops[l];
    }
    return nullptr;
  }

  // Threads beyond the end of a row would reach into the next one.
  bool is_compared(const Access& access, std::uint16_t coordinate) const {
    const auto others = static_cast<std::uint16_t>(Uses::thread & ~coordinate);
    return is_decided_by(trace_, access, [&](ExprId condition) {
      bool found = false;
      for_each_conjunct(e_, condition, [&](ExprId id, bool is_not) {
        const Expr& x = e_[id];
        const bool is_limit = is_not ? x.op == Op::le || x.op == Op::lt : x.op == Op::lt || x.op == Op::le || x.op == Op::eq;
        found = found || (is_limit && e_.uses(id, coordinate) && !e_.uses(id, others));
      });
      return found;
    });
  }

  // blockIdx.x * blockDim.x
  bool is_first_of_block(ExprId id, std::size_t axis) const {
    const Op block = axis == 0 ? Op::block_x : Op::block_y, extent = axis == 0 ? Op::block_dim_x : Op::block_dim_y;
    const Expr& x = e_[id];
    return x.op == Op::mul && ((e_[x.a].op == block && e_[x.b].op == extent) || (e_[x.b].op == block && e_[x.a].op == extent));
  }
  // Of the number of the thread in the grid times a size, the size.
  ExprId length_of_row(ExprId product) const {
    const Expr& x = e_[product];
    if (x.op != Op::mul || is_size(x.a) == is_size(x.b)) return none;
    const ExprId number = is_size(x.a) ? x.b : x.a;
    Along along;
    const bool is_sum = for_each_term(e_, number, 4, [&](ExprId id, std::int64_t factor) {
      if (e_[id].op == Op::thread_x) return !std::exchange(along.thread, factor);
      if (is_first_of_block(id, 0)) return !std::exchange(along.block, factor);
      if (e_[id].op == Op::block_x && factor % extent(0) == 0) return !std::exchange(along.block, factor / extent(0));
      return e_.constant_of(id) == 0;
    });
    return is_sum && along.is_index(1) ? (is_size(x.a) ? x.a : x.b) : none;
  }

  static constexpr std::int64_t largest_place = 1 << 20;  // elements
  const Trace& trace_;
  const Expressions& e_;
  Shape block_;
};

std::map<std::string_view, std::size_t> numbers_of_parameters(const KernelView& view) {
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t p = 0; p < view.function.parameters.size(); ++p) {
    const std::uint32_t name = name_in(view.source(), view.function.parameters[p]);
    if (name != none) numbers.emplace(view.source().text_of(name), p);
  }
  return numbers;
}

// Which bytes of its element an access touches.
std::pair<std::int64_t, std::int64_t> bytes_in_element(const Expressions& e, const Access& access) {
  constexpr int most_terms = 32;
  constexpr std::int64_t largest = 1 << 16;
  const std::int64_t element = access.element;
  const std::pair<std::int64_t, std::int64_t> whole(0, std::max<std::int64_t>(element, 1));
  if (element == 0 || element > largest || access.bytes == 0) return whole;
  std::int64_t first = 0;
  const bool is_place = for_each_term(e, access.address, most_terms, [&](ExprId id, std::int64_t factor) {
    const auto number = e.constant_of(id);
    if (number) first += *number % element * (factor % element);
    return number || factor % element == 0;  // an array in a record
  });
  if (!is_place) return whole;
  first = (first % element + element) % element;
  return {first, first + access.bytes};
}

void add(const Access& access, std::pair<std::int64_t, std::int64_t> bytes, bool is_own, const std::optional<Ownership>& owned,
         ParameterUse& use) {
  const bool is_first = !use.loads && !use.stores;
  use.owned = is_first || use.owned == owned ? owned : std::nullopt;
  use.bytes = is_first || use.bytes == access.element ? access.element : 0;
  use.loads = use.loads || access.kind != Access::store;
  use.stores = use.stores || access.kind != Access::load;
  use.is_elsewhere = use.is_elsewhere || !is_own || access.kind == Access::atomic;
  for (auto* const ranges : {&use.loaded, &use.stored}) {
    const bool is_of_it = access.kind == Access::atomic || (access.kind == Access::store) == (ranges == &use.stored);
    if (is_of_it && std::ranges::find(*ranges, bytes) == ranges->end()) ranges->push_back(bytes);
  }
}

// ---- Both together

ParameterUse use_of(const MemoryUse& kernel, const std::vector<std::uint32_t>& parameters) {
  ParameterUse all;
  for (const std::uint32_t p : parameters) {
    if (p >= kernel.parameters.size()) continue;
    const ParameterUse& one = kernel.parameters[p];
    if (!one.loads && !one.stores) continue;
    const bool is_first = !all.loads && !all.stores;
    all.bytes = is_first || all.bytes == one.bytes ? one.bytes : 0;
    all.owned = is_first || all.owned == one.owned ? one.owned : std::nullopt;
    all.loads = all.loads || one.loads;
    all.stores = all.stores || one.stores;
    all.is_elsewhere = all.is_elsewhere || one.is_elsewhere;
    all.loaded.insert(all.loaded.end(), one.loaded.begin(), one.loaded.end());
    all.stored.insert(all.stored.end(), one.stored.begin(), one.stored.end());
  }
  return all;
}

// The same elements of each thread: by one length, which both launches pass.
bool have_equal_owners(const PreviousLaunch& previous, const ParameterUse& there, const ParameterUse& here) {
  if (!there.owned || !here.owned || there.owned->kind != here.owned->kind) return false;
  if (!there.owned->parameter || !here.owned->parameter) return *there.owned == *here.owned;
  return std::ranges::any_of(previous.arguments, [&](const SharedArgument& argument) {
    return std::ranges::find(argument.there, *there.owned->parameter) != argument.there.end() &&
           std::ranges::find(argument.here, *here.owned->parameter) != argument.here.end();
  });
}

// Not another member of the same records.
bool loads_what_is_stored(const ParameterUse& first, const ParameterUse& second) {
  return std::ranges::any_of(first.stored, [&](const auto& stored) {
    return std::ranges::any_of(second.loaded,
                               [&](const auto& loaded) { return stored.first < loaded.second && loaded.first < stored.second; });
  });
}

// What the first kernel stores and the second one loads, each thread its own elements; null where the threads of the second one may need
// or overwrite what is of other threads of the first.
const SharedArgument* handed_on(const PreviousLaunch& previous, const MemoryUse& there, const MemoryUse& here) {
  const SharedArgument* found = nullptr;
  for (const SharedArgument& argument : previous.arguments) {
    const ParameterUse first = use_of(there, argument.there), second = use_of(here, argument.here);
    const bool is_used = (first.loads || first.stores) && (second.loads || second.stores);
    if (!is_used || (!first.stores && !second.stores)) continue;
    const bool are_by_thread = !first.is_elsewhere && !second.is_elsewhere;
    if (!are_by_thread && !have_equal_owners(previous, first, second)) return nullptr;
    if (first.bytes == 0 || first.bytes != second.bytes) return nullptr;
    if (!found && loads_what_is_stored(first, second)) found = &argument;
  }
  return found;
}

}  // namespace

MemoryUse memory_use(const KernelView& view) {
  MemoryUse use;
  const Trace& trace = view.trace;
  if (!trace.is_complete || trace.calls_unknown || trace.uses_assembly || !trace.heap_allocations.empty()) return use;
  const auto numbers = numbers_of_parameters(view);
  use.parameters.resize(view.function.parameters.size());
  use.is_known = true;
  use.is_pass = trace.barriers.empty() && trace.collectives.empty() && trace.warp_collectives.empty();
  const ThreadElements elements(trace, view.block);
  const BlockRows rows(trace, view.block);
  const OwnSets sets(trace, view.block);
  const auto of_length = [&](Ownership::Kind kind, std::string_view name) {
    const auto number = numbers.find(name);
    return number != numbers.end() ? Ownership{.kind = kind, .parameter = number->second}
                                   : Ownership{.kind = kind, .variable = std::string(name)};
  };
  const auto owned_at = [&](const Access& access) -> std::optional<Ownership> {
    if (const std::string_view length = rows.length_at(access); !length.empty()) return of_length(Ownership::of_block, length);
    const std::optional<OwnSets::Found> found = access.kind == Access::atomic ? std::nullopt : sets.at(access);
    if (!found) return std::nullopt;
    if (found->length == none) return Ownership{.kind = found->kind, .number = found->number};
    const std::string_view length = trace.name_of_parameter(found->length);
    return length.empty() ? std::nullopt : std::optional(of_length(found->kind, length));
  };
  for (const Access& access : trace.accesses) {
    const Memory& memory = trace.memories[access.memory];
    if (memory.space == Space::local || memory.space == Space::constant) continue;
    if (memory.space == Space::shared) {
      use.is_pass = false;
      continue;
    }
    const auto number = numbers.find(memory.name);
    if (number == numbers.end()) return {};
    const bool is_own = elements.has(access);
    const std::optional<Ownership> owned = is_own ? std::nullopt : owned_at(access);
    use.is_pass =
        use.is_pass && access.kind != Access::atomic && (is_own || owned || (access.kind == Access::load && elements.is_one_value(access)));
    add(access, bytes_in_element(trace.expressions, access), is_own, owned, use.parameters[number->second]);
  }
  return use;
}

FusedPasses::FusedPasses(const std::vector<Launch>& launches, const std::function<std::string(const model::TextPlace&)>& line_of)
    : launches_(launches) {
  for (const Launch& launch : launches) {
    if (!launch.previous) continue;
    asked_.insert({launch.kernel, launch.previous->kernel});
    lines_.emplace(&launch, line_of(launch.place));
  }
}

void FusedPasses::add(std::string_view kernel, MemoryUse use) {
  const auto [at, is_new] = uses_.emplace(*asked_.find(kernel), std::move(use));
  if (!is_new) at->second = {};
}

const SharedArgument* FusedPasses::joined_by(const Launch& launch) const {
  if (!launch.previous) return nullptr;
  const auto there = uses_.find(launch.previous->kernel), here = uses_.find(launch.kernel);
  if (there == uses_.end() || here == uses_.end() || !there->second.is_known || !here->second.is_known) return nullptr;
  if (!there->second.is_pass && !here->second.is_pass) return nullptr;
  return handed_on(*launch.previous, there->second, here->second);
}

std::vector<FusedPasses::Found> FusedPasses::found() const {
  struct Sequence {
    const Launch* second = nullptr;
    std::string_view array;
    std::vector<model::TextPlace> places;
  };
  std::vector<Sequence> sequences;
  std::map<std::pair<std::string_view, std::uint64_t>, std::size_t> sequence_of;  // by file and line of the last launch of it
  for (const Launch& launch : launches_) {
    const SharedArgument* const argument = joined_by(launch);
    if (!argument) continue;
    const auto at = sequence_of.find({launch.previous->place.file, launch.previous->place.line});
    const std::size_t which = at == sequence_of.end() ? sequences.size() : at->second;
    if (which == sequences.size()) sequences.push_back({.second = &launch, .array = argument->text, .places = {}});
    sequences[which].places.push_back(launch.place);
    sequence_of[{launch.place.file, launch.place.line}] = which;
  }
  std::vector<Found> all;
  for (Sequence& sequence : sequences) {
    all.push_back({{}, lines_.at(sequence.second)});
    model::CodeSubject& subject = all.back().subject;
    subject.scope = model::CodeSubject::Scope::launch;
    subject.kernel = sequence.second->kernel;
    subject.place = sequence.second->place;
    const auto count = static_cast<double>(sequence.places.size());
    constexpr std::size_t most = 8;
    if (sequence.places.size() > most) sequence.places.resize(most);
    subject.set(Id::joinable_launch_count, count, std::move(sequence.places));
    subject.set(Id::previous_kernel, sequence.second->previous->kernel);
    subject.set(Id::stored_and_loaded, std::string(sequence.array));
  }
  return all;
}

}  // namespace frx::derive::cuda
