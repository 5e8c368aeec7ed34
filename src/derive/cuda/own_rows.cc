// Rows of data that each thread walks by itself: for (j = start[row]; j < start[row + 1]; ++j) sum += values[j];
#include <cstdlib>

#include "derive/cuda/patterns.h"

namespace frx::derive::cuda {
namespace {

// An address as a sum: the bytes by which an iteration of the loop moves it, and whether it begins at a place that each thread has read.
struct WalkedRow {
  std::int64_t step = 0;
  bool begins_at_loaded = false, is_simple = true;
};

// Is a number made of sums and products alone, so that neighbouring threads have different ones? One for each warp is a quotient.
bool is_of_each_thread(const Expressions& e, ExprId id) {
  constexpr int most_looked_at = 32;
  std::vector<ExprId> open{id};
  for (int looked_at = 0; !open.empty(); ++looked_at) {
    const Expr& x = e[open.back()];
    open.pop_back();
    if (looked_at > most_looked_at || (x.op > Op::mul && x.op != Op::shl)) return false;
    if (x.op == Op::load) return false;
    if (x.op < Op::add) continue;
    open.push_back(x.a);
    open.push_back(x.b);
  }
  return e.uses(id, Uses::thread_x) && !e.uses(id, Uses::varying | Uses::opaque);
}

// `start[row]`, of another element for each thread.
bool is_loaded_by_thread(const Expressions& e, ExprId id) { return e[id].op == Op::load && is_of_each_thread(e, e[id].a); }

WalkedRow row_of(const Expressions& e, ExprId address, ExprId iteration) {
  constexpr int most_terms = 32;
  WalkedRow row;
  std::vector<std::pair<ExprId, std::int64_t>> open{{address, 1}};
  for (int terms = 0; !open.empty(); ++terms) {
    const auto [id, factor] = open.back();
    open.pop_back();
    const Expr& x = e[id];
    if (terms > most_terms) row.is_simple = false;
    if (id == iteration) {
      row.step += factor;
    } else if (x.op == Op::add) {
      open.insert(open.end(), {{x.a, factor}, {x.b, factor}});
    } else if (x.op == Op::mul && (e.constant_of(x.a) || e.constant_of(x.b))) {
      const bool first = e.constant_of(x.a).has_value();
      open.emplace_back(first ? x.b : x.a, factor * *e.constant_of(first ? x.a : x.b));
    } else if (is_loaded_by_thread(e, id)) {
      row.begins_at_loaded = true;
    } else if (e.uses(id, Uses::thread | Uses::varying | Uses::opaque | Uses::iteration)) {
      row.is_simple = false;
    }
    if (!row.is_simple) return row;
  }
  return row;
}

}  // namespace

// Neighbouring threads are a row apart, whose length the data decides, while each thread moves by one element.
void Patterns::spread_own_rows() {
  constexpr std::uint32_t usual_bytes = 4;
  const Expressions& e = trace_.expressions;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    if (accesses[i].kind != AccessPattern::data_dependent || access.loop == none) continue;
    if (trace_.memories[access.memory].space != Space::global || is_short(trace_, access.loop)) continue;
    const Loop& loop = trace_.loops[access.loop];
    // How many elements a thread has, it has read as well.
    if (!e.uses(loop.condition, Uses::loaded) || !e.uses(loop.condition, Uses::thread)) continue;
    const WalkedRow row = row_of(e, access.address, loop.iteration);
    const std::uint32_t bytes = access.bytes == 0 ? usual_bytes : access.bytes;
    if (!row.is_simple || !row.begins_at_loaded || std::abs(row.step) != bytes || bytes > 8) continue;
    accesses[i].kind = AccessPattern::spread;
    accesses[i].sector_ratio = 32.0 / bytes;
    accesses[i].stride_is_symbolic = accesses[i].is_own_row = true;
  }
}

}  // namespace frx::derive::cuda
