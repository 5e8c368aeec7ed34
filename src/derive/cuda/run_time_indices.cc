#include "derive/cuda/run_time_indices.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {
namespace {

constexpr int most_leaves = 256;

bool is_parameter(const Trace& trace, ExprId id) { return std::ranges::find(trace.parameters, id) != trace.parameters.end(); }

// Does a part of what an iteration makes of a variable have a property? Loops within may have made that part.
template <class IsIt>
bool is_made_of(const Trace& trace, ExprId id, IsIt&& is_it) {
  constexpr std::size_t most_values = 8;
  const Expressions& e = trace.expressions;
  std::vector<const LoopValue*> values{trace.loop_value(id)};
  for (std::size_t i = 0; i < values.size() && values[i]; ++i) {
    const bool found = has_part(e, values[i]->made, [&](ExprId part) {
      const LoopValue* const inner = e[part].op == Op::loop_value && values.size() < most_values ? trace.loop_value(part) : nullptr;
      if (inner && std::ranges::find(values, inner) == values.end()) values.push_back(inner);
      return is_it(part);
    });
    if (found) return true;
  }
  return false;
}

// Does an iteration choose the next value of a variable by what was read?
bool is_made_of_data(const Trace& trace, ExprId id) {
  const Expressions& e = trace.expressions;
  return is_made_of(trace, id, [&](ExprId part) { return e.uses(part, Uses::loaded | Uses::varying) || e.is_data_value(part); });
}

// Is a value known at run time only, whatever is unrolled? Only what must be so counts: a number of the thread or block, something read
// from global or shared memory, a parameter of the kernel, a variable that depends on such. What is read from memory of the thread's own
// is looked at by PrivateMemories.
bool is_leaf_of_run_time(const Trace& trace, ExprId id) {
  const Expressions& e = trace.expressions;
  const Expr& x = e[id];
  if (x.op >= Op::thread_x && x.op <= Op::grid_dim_z) return true;
  if (x.op == Op::uniform) return is_parameter(trace, id);
  if (x.op == Op::varying || e.is_data_value(id)) return true;
  if (x.op == Op::loop_value) return e.uses(id, Uses::thread | Uses::loaded | Uses::varying) || is_made_of_data(trace, id);
  if (x.op != Op::load) return false;
  const Memory& memory = trace.memories[x.b];
  return memory.space == Space::global || memory.space == Space::shared || (memory.space == Space::constant && !memory.is_fixed);
}

// The terms of a sum, without those that cancel out: `(d - 2 + k) - d` leaves k.
class Terms {
 public:
  explicit Terms(const Expressions& e) : e_(e) {}
  Terms&& plus(ExprId sum) && { return add(sum, 1), std::move(*this); }
  Terms&& minus(ExprId sum) && { return add(sum, -1), std::move(*this); }
  const std::unordered_map<ExprId, std::int64_t>& all() const { return factors_; }
  bool is_complete() const { return steps_ < most_steps; }

 private:
  void add(ExprId root, std::int64_t factor) {
    std::vector<std::pair<ExprId, std::int64_t>> open{{root, factor}};
    for (; !open.empty() && steps_ < most_steps; ++steps_) {
      const auto [id, times] = open.back();
      open.pop_back();
      const Expr& x = e_[id];
      const auto a = e_.constant_of(x.a), b = e_.constant_of(x.b);
      if (x.op == Op::add || x.op == Op::sub) {
        open.emplace_back(x.a, times);
        open.emplace_back(x.b, x.op == Op::add ? times : -times);
      } else if (x.op == Op::mul && (a || b)) {
        open.emplace_back(a ? x.b : x.a, times * (a ? *a : *b));
      } else if (x.op == Op::neg) {
        open.emplace_back(x.a, -times);
      } else if (x.op != Op::constant) {
        factors_[id] += times;
      }
    }
  }

  static constexpr int most_steps = 256;
  const Expressions& e_;
  int steps_ = 0;
  std::unordered_map<ExprId, std::int64_t> factors_;
};

// Does one that stays in a sum hold a leaf of run time? Comparisons and selections choose between elements, which a compiler may do without
// an address.
bool holds_run_time(const Trace& trace, ExprId term) {
  const Expressions& e = trace.expressions;
  bool found = false;
  walk_parts(e, term, most_leaves, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
    found = is_leaf_of_run_time(trace, id);
    if (found) return std::nullopt;
    const bool computes = (x.op >= Op::add && x.op <= Op::max) || x.op == Op::neg || x.op == Op::bit_not;
    return computes ? Operands::all_of(x) : Operands();
  });
  return found;
}

bool any_of_run_time(const Trace& trace, const Terms& terms) {
  return terms.is_complete() &&
         std::ranges::any_of(terms.all(), [&](const auto& term) { return term.second != 0 && holds_run_time(trace, term.first); });
}

// Which addresses depend on a value of run time. Each address, each loop and each memory of a thread's own is looked at once.
class RunTimeAddresses {
 public:
  explicit RunTimeAddresses(const Trace& trace) : trace_(trace) {
    for (const Loop& loop : trace.loops) loops_.emplace(loop.iteration, &loop);
  }

  bool contain(ExprId address) {
    const auto [at, is_new] = known_.try_emplace(address, false);
    if (is_new) at->second = depends(address) || is_read_from_private(address) || is_chosen_by_private(address);
    return at->second;
  }

  // while (j >= 0 && own[j] > x) --j;   own[j + 1] = x: how far a loop came that the data end.
  bool is_behind_search(const Access& access) {
    bool found = false;
    walk_parts(trace_.expressions, access.address, most_leaves, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      const auto loop = x.op == Op::iteration ? loops_.find(id) : loops_.end();
      found = loop != loops_.end() && !is_within(access, *loop->second) && is_ended_by_data(*loop->second);
      return found ? std::nullopt : std::optional(Operands::all_of(x));
    });
    return found;
  }

 private:
  bool is_read_from_private(ExprId value) {
    const std::optional<std::uint32_t> memory = trace_.expressions.private_memory(value);
    return memory && holds_run_time_value(*memory);
  }

  // best = k where own[k] < own[best], in a loop before: a variable that is made of what the thread keeps.
  bool is_chosen_by_private(ExprId address) {
    const Expressions& e = trace_.expressions;
    return has_part(e, address, [&](ExprId part) {
      return e[part].op == Op::loop_value && is_made_of(trace_, part, [&](ExprId of) {
               const std::optional<std::uint32_t> memory = e.private_memory(of);
               return memory && holds_run_time_value(*memory);
             });
    });
  }

  // Does the thread keep something there that is known at run time only? A number of an object may also be counted up by a loop as long as
  // the data say, or where they say so: `c.data[c.length++] = in[i]`.
  bool holds_run_time_value(std::uint32_t memory) {
    if (stores_.empty()) {
      stores_.resize(trace_.memories.size());
      for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
        const Access& access = trace_.accesses[i];
        if (access.kind == Access::store && trace_.memories[access.memory].space == Space::local) stores_[access.memory].push_back(i);
      }
    }
    const auto [at, is_new] = private_.try_emplace(memory, trace_.memories[memory].holds_data);
    if (!is_new || at->second) return at->second;
    const bool is_number = trace_.memories[memory].dims.empty();
    const bool holds = std::ranges::any_of(stores_[memory], [&](std::uint32_t store) {
      const Access& access = trace_.accesses[store];
      if (trace_.expressions.private_memory(access.value) == memory) return is_number && is_repeated_by_data(access);
      return contain(access.value);
    });
    return private_[memory] = holds;
  }

  bool is_within(const Access& access, const Loop& loop) const {
    const auto number = static_cast<std::uint32_t>(&loop - trace_.loops.data());
    std::uint32_t around = access.loop;
    while (around != none && around != number) around = trace_.loops[around].parent;
    return around == number;
  }

  // Does a part of its condition compare what was read, or what the thread keeps?
  bool is_ended_by_data(const Loop& loop) {
    const auto [at, is_new] = ended_.try_emplace(loop.condition, false);
    if (!is_new) return at->second;
    bool found = false;
    for_each_conjunct(trace_.expressions, loop.condition, [&](ExprId part, bool) {
      found =
          found || holds_run_time(trace_, part) || has_part(trace_.expressions, part, [&](ExprId of) { return is_read_from_private(of); });
    });
    return ended_[loop.condition] = found;
  }

  bool is_repeated_by_data(const Access& access) {
    const auto is_of_data = [&](ExprId condition) { return holds_run_time(trace_, condition); };
    if (access.loop != none && is_decided_by(trace_, access, is_of_data)) return true;
    for (std::uint32_t loop = access.loop; loop != none; loop = trace_.loops[loop].parent) {
      if (ends_at_run_time(trace_.loops[loop])) return true;
    }
    return false;
  }

  bool depends(ExprId address) {
    const Terms terms = Terms(trace_.expressions).plus(address);
    if (any_of_run_time(trace_, terms)) return true;
    return terms.is_complete() && std::ranges::any_of(terms.all(), [&](const auto& term) {
             const auto loop = loops_.find(term.first);
             return term.second != 0 && loop != loops_.end() && ends_at_run_time(*loop->second);
           });
  }

  // At such a value alone: with a constant bound besides, the loop may be unrolled.
  bool ends_at_run_time(const Loop& loop) {
    const auto [at, is_new] = ends_.try_emplace(loop.condition, false);
    const Expr& test = trace_.expressions[loop.condition];
    if (is_new && trace_.expressions.is_data_value(loop.condition)) return at->second = true;
    if (is_new && (test.op == Op::lt || test.op == Op::le) && !is_bound_by_constant(test.b))
      at->second = any_of_run_time(trace_, Terms(trace_.expressions).plus(test.b).minus(test.a));
    return at->second;
  }

  // min(8, n), min(SIZE, n)
  bool is_bound_by_constant(ExprId limit) const {
    const Expr& x = trace_.expressions[limit];
    const auto is_of_run_time = [&](ExprId side) { return any_of_run_time(trace_, Terms(trace_.expressions).plus(side)); };
    return x.op == Op::min && (!is_of_run_time(x.a) || !is_of_run_time(x.b));
  }

  const Trace& trace_;
  std::unordered_map<ExprId, const Loop*> loops_;  // by iteration
  std::unordered_map<ExprId, bool> known_, ends_, ended_;
  std::vector<std::vector<std::uint32_t>> stores_;   // by memory
  std::unordered_map<std::uint32_t, bool> private_;  // memories of the thread's own
};

// The single element of an array needs no index.
bool has_one_element(const Expressions& e, const Memory& memory) {
  return std::ranges::all_of(memory.dims, [&](ExprId extent) { return e.constant_of(extent) == 1; });
}

}  // namespace

std::vector<std::uint32_t> run_time_indexed_accesses(const Trace& trace) {
  std::vector<std::uint32_t> found;
  RunTimeAddresses of_run_time(trace);
  // The compiler leaves out what is written and not read.
  std::vector<bool> is_read(trace.memories.size(), trace.calls_unknown);
  for (const Access& access : trace.accesses) {
    if (access.kind != Access::store) is_read[access.memory] = true;
  }
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    const Memory& memory = trace.memories[access.memory];
    if (memory.space != Space::local || memory.dims.empty() || !is_read[access.memory] || has_one_element(trace.expressions, memory))
      continue;
    if (access.loop != none && (of_run_time.contain(access.address) || of_run_time.is_behind_search(access))) found.push_back(i);
  }
  return found;
}

}  // namespace frx::derive::cuda
