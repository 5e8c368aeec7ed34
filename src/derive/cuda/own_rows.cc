// Rows of data that belong to one lane each, whose lengths the data decides:
//
//   for (j = start[row]; j < start[row + 1]; ++j) sum += values[j];     row = the thread's number along x
//   if (threadIdx.y < start[row + 1] - start[row]) values[start[row] + threadIdx.y]
#include <cstdlib>
#include <utility>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"
#include "derive/cuda/patterns.h"

namespace frx::derive::cuda {
namespace {

// An address as a sum: the bytes by which an iteration of the loop moves it, and whether it begins at a place that each thread has read.
struct WalkedRow {
  std::int64_t step = 0, step_of_y = 0;  // the latter from one thread along y to the next
  bool begins_at_loaded = false, is_simple = true;
  ExprId start = none;   // what each thread has read, or a product of it
  ExprId length = none;  // then: by which that was multiplied
};

// Is a number made of sums and products alone, so that neighbouring threads have different ones? One for each warp is a quotient.
bool is_of_each_thread(const Expressions& e, ExprId id) {
  constexpr int most = 32;
  const auto consider = [](ExprId, const Expr& x) -> std::optional<Operands> {
    if ((x.op > Op::mul && x.op != Op::shl) || x.op == Op::load) return std::nullopt;
    return Operands::all_of(x);
  };
  return walk_parts(e, id, most, consider) && e.uses(id, Uses::thread_x) && !e.uses(id, Uses::varying | Uses::opaque);
}

// `start[row]`, of another element for each thread; `row < rows ? start[row] : 0` as well, and `start[queue[i]]`, which may be the same one
// for some threads.
bool is_loaded_by_thread(const Expressions& e, ExprId id) {
  for (int loads = 0; loads < 2; ++loads) {
    while (e[id].op == Op::select && e.constant_of(e[id].c)) id = e[id].b;
    if (e[id].op != Op::load) return false;
    id = e[id].a;
    if (is_of_each_thread(e, id)) return true;
    // Bytes from a number of elements.
    if (e[id].op == Op::mul && e.constant_of(e[id].b)) id = e[id].a;
    if (e[id].op == Op::mul && e.constant_of(e[id].a)) id = e[id].b;
  }
  return false;
}

// The product of what each thread has read with a size, from which on a thread walks: `points[index[i] * dim + k]`, k below dim.
ExprId length_of_row(const Expressions& e, ExprId product) {
  const Expr& x = e[product];
  constexpr auto differs = Uses::index | Uses::varying | Uses::opaque | Uses::loaded;
  if (x.op != Op::mul) return none;
  if (is_loaded_by_thread(e, x.a) && !e.uses(x.b, differs)) return x.b;
  return is_loaded_by_thread(e, x.b) && !e.uses(x.a, differs) ? x.a : none;
}

WalkedRow row_of(const Expressions& e, ExprId address, ExprId iteration) {
  constexpr int most_terms = 32;
  WalkedRow row;
  const bool is_sum = for_each_term(e, address, most_terms, [&](ExprId id, std::int64_t factor) {
    if (id == iteration) {
      row.step += factor;
    } else if (e[id].op == Op::thread_y) {
      row.step_of_y += factor;
    } else if (is_loaded_by_thread(e, id)) {
      row.is_simple = !std::exchange(row.begins_at_loaded, true);  // end[row] - begin[row] is a length
      row.start = id;
    } else if (length_of_row(e, id) != none) {
      row.is_simple = !std::exchange(row.begins_at_loaded, true);
      row.start = id;
      row.length = length_of_row(e, id);
    } else if (e.uses(id, Uses::thread | Uses::varying | Uses::opaque | Uses::iteration)) {
      row.is_simple = false;
    }
    return row.is_simple;
  });
  row.is_simple = row.is_simple && is_sum;
  return row;
}

// Does the data say where the row of a thread ends? How many elements there are, each thread has read as well.
bool ends_where_read(const Trace& trace, const Access& access) {
  const auto decides = [&](ExprId condition) {
    return trace.expressions.uses(condition, Uses::loaded) && trace.expressions.uses(condition, Uses::thread);
  };
  if (access.loop != none && decides(trace.loops[access.loop].condition)) return true;
  for (std::uint32_t c = access.context; c != none; c = trace.contexts[c].parent) {
    if (decides(trace.contexts[c].condition) && trace.expressions.uses(trace.contexts[c].condition, Uses::thread_y)) return true;
  }
  return false;
}

}  // namespace

// Neighbouring threads are a row apart, while each thread moves by one element, or the threads along y do.
void Patterns::spread_own_rows(const Shape& block) {
  constexpr std::uint32_t usual_bytes = 4;
  constexpr std::uint32_t fewest_rows = 8;  // of a warp
  const Expressions& e = trace_.expressions;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    if (accesses[i].kind != AccessPattern::data_dependent || trace_.memories[access.memory].space != Space::global) continue;
    const bool is_in_loop = access.loop != none && !is_short(trace_, access.loop);
    if (!is_in_loop && block.x < fewest_rows) continue;
    const WalkedRow row = row_of(e, access.address, is_in_loop ? trace_.loops[access.loop].iteration : none);
    const bool is_pointer = row.start != none && e[row.start].op == Op::load && trace_.memories[e[row.start].b].holds_pointers;
    const bool is_of_length = row.length != none && is_in_loop && counted_length(e, trace_.loops[access.loop]) == row.length;
    if (row.length != none ? !is_of_length : !is_pointer && !ends_where_read(trace_, access)) continue;
    const std::uint32_t bytes = access.bytes == 0 ? usual_bytes : access.bytes;
    const bool is_by_loop = is_in_loop && std::abs(row.step) == bytes && row.step_of_y == 0;
    const bool is_by_threads = row.step == 0 && std::abs(row.step_of_y) == bytes && block.x >= fewest_rows;
    if (!row.is_simple || !row.begins_at_loaded || !(is_by_loop || is_by_threads) || bytes > 8) continue;
    accesses[i].kind = AccessPattern::spread;
    accesses[i].sector_ratio = 32.0 / bytes;
    accesses[i].stride_is_symbolic = accesses[i].is_own_row = true;
  }
}

}  // namespace frx::derive::cuda
