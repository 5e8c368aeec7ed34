// Rows of data that belong to one lane each, whose lengths the data decides:
//
//   for (j = start[row]; j < start[row + 1]; ++j) sum += values[j];     row = the thread's number along x
//   if (threadIdx.y < start[row + 1] - start[row]) values[start[row] + threadIdx.y]
//
// Or whose elements it decides: tours[i * cities + next[i]]
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"
#include "derive/cuda/patterns.h"

namespace frx::derive::cuda {
namespace {

// An address as a sum: the bytes by which an iteration of the loop moves it, or a step of a variable that the loop moves as data say, and
// whether it begins at a place that each thread has read.
struct WalkedRow {
  std::int64_t step = 0, step_of_y = 0;  // the latter from one thread along y to the next
  bool begins_at_loaded = false, is_simple = true;
  ExprId start = none;   // what each thread has read, or a product of it
  ExprId length = none;  // then: by which that was multiplied
};

constexpr std::int64_t fewest_rows = 8;  // of a warp

// What is read at places of each thread's own.
class OwnIndices {
 public:
  OwnIndices(const Expressions& expressions, const Lanes& lanes) : e_(expressions), lanes_(lanes) {}

  // `start[row]`, of another element for each thread; `row > 0 ? end[row - 1] + 1 : 0` as well, and `start[queue[i]]`, which may be the
  // same one for some threads.
  bool is_loaded(ExprId id) const {
    for (int loads = 0; loads < 2; ++loads) {
      while (e_[id].op == Op::select && e_.constant_of(e_[id].c)) id = e_[id].b;
      if (e_[id].op == Op::add && e_.constant_of(e_[id].b)) id = e_[id].a;
      if (e_[id].op != Op::load) return false;
      id = e_[id].a;
      if (is_of_each_thread(id)) return true;
      // Bytes from a number of elements.
      if (e_[id].op == Op::mul && e_.constant_of(e_[id].b)) id = e_[id].a;
      if (e_[id].op == Op::mul && e_.constant_of(e_[id].a)) id = e_[id].b;
    }
    return false;
  }

  // The product of what each thread has read with a size, from which on a thread walks: `points[index[i] * dim + k]`, k below dim; with a
  // plane before it, `(b * n + index[i]) * dim`.
  ExprId length_of_row(ExprId product) const {
    const Expr& x = e_[product];
    constexpr auto differs = Uses::index | Uses::varying | Uses::opaque | Uses::loaded;
    if (x.op != Op::mul) return none;
    if (holds_loaded(x.a) && !e_.uses(x.b, differs)) return without_bytes(x.b);
    return holds_loaded(x.b) && !e_.uses(x.a, differs) ? without_bytes(x.a) : none;
  }

  // The plane of a warp: i / (rows * length).
  bool is_of_warp(ExprId id) const {
    return e_.uses(id, Uses::thread) && !e_.uses(id, Uses::loaded | Uses::varying | Uses::opaque | Uses::iteration) && values_of(id) == 1;
  }

 private:
  // A length in elements of one in bytes.
  ExprId without_bytes(ExprId length) const {
    const Expr& x = e_[length];
    if (x.op != Op::mul) return length;
    return e_.constant_of(x.b) ? x.a : e_.constant_of(x.a) ? x.b : length;
  }

  // One for each warp is a quotient. Of sums and products alone neighbouring threads have different ones; of others the sample says it.
  bool is_of_each_thread(ExprId id) const {
    constexpr int most = 32;
    const auto consider = [](ExprId, const Expr& x) -> std::optional<Operands> {
      if ((x.op > Op::mul && x.op != Op::shl) || x.op == Op::load) return std::nullopt;
      return Operands::all_of(x);
    };
    if (!e_.uses(id, Uses::thread_x) || e_.uses(id, Uses::loaded | Uses::varying | Uses::opaque)) return false;
    return walk_parts(e_, id, most, consider) || values_of(id) >= fewest_rows;
  }

  // Of the first warp of the sample; 0: unknown.
  std::int64_t values_of(ExprId id) const {
    constexpr std::uint32_t warp = 32;
    if (!lanes_.is_known(id)) return 0;
    std::array<std::int64_t, warp> values{};
    const std::uint32_t count = std::min(warp, lanes_.count());
    for (std::uint32_t lane = 0; lane < count; ++lane) values[lane] = lanes_.at(id, lane);
    std::sort(values.begin(), values.begin() + count);
    return std::unique(values.begin(), values.begin() + count) - values.begin();
  }

  bool holds_loaded(ExprId sum) const {
    constexpr int most_terms = 8;
    if (is_loaded(sum)) return true;
    int loaded = 0;
    const bool is_sum = for_each_term(e_, sum, most_terms, [&](ExprId id, std::int64_t factor) {
      if (factor == 1 && is_loaded(id)) return ++loaded == 1;
      return !e_.uses(id, Uses::loaded | Uses::varying | Uses::opaque | Uses::iteration);
    });
    return is_sum && loaded == 1;
  }

  const Expressions& e_;
  const Lanes& lanes_;
};

WalkedRow row_of(const Expressions& e, const OwnIndices& indices, ExprId address, ExprId iteration) {
  constexpr int most_terms = 32;
  WalkedRow row;
  const bool is_sum = for_each_term(e, address, most_terms, [&](ExprId id, std::int64_t factor) {
    if (id == iteration || (e[id].op == Op::loop_value && factor == 1)) {
      row.step += factor;
    } else if (e[id].op == Op::thread_y) {
      row.step_of_y += factor;
    } else if (indices.is_loaded(id)) {
      row.is_simple = !std::exchange(row.begins_at_loaded, true);  // end[row] - begin[row] is a length
      row.start = id;
    } else if (const ExprId length = indices.length_of_row(id); length != none) {
      row.is_simple = !std::exchange(row.begins_at_loaded, true);
      row.start = id;
      row.length = length;
    } else if (e.uses(id, Uses::thread | Uses::varying | Uses::opaque | Uses::iteration) && !indices.is_of_warp(id)) {
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

// i * cities, i the number of the thread along x in the grid or block: what multiplies it.
struct RowOfThread {
  std::vector<ExprId> sizes;  // in order; none: `bytes`
  std::int64_t bytes = 0;     // the factor
};

std::optional<RowOfThread> row_of_thread(const Expressions& e, ExprId term, std::int64_t factor) {
  constexpr int most_terms = 4;
  constexpr auto others = Uses::loaded | Uses::varying | Uses::opaque | Uses::iteration;
  if (e[term].op == Op::thread_x) return RowOfThread{{}, factor};
  std::vector<ExprId> factors = factors_of(e, term);
  const auto number = std::ranges::find_if(factors, [&](ExprId id) { return e.uses(id, Uses::thread); });
  if (number == factors.end() || factors.size() < 2) return std::nullopt;
  bool has_thread = false;
  const bool is_number = for_each_term(e, *number, most_terms, [&](ExprId id, std::int64_t times) {
    has_thread = has_thread || (e[id].op == Op::thread_x && times == 1);
    return !e.uses(id, others) && (e[id].op == Op::thread_x || !e.uses(id, Uses::thread));
  });
  if (!is_number || !has_thread) return std::nullopt;
  factors.erase(number);
  if (!std::ranges::all_of(factors, [&](ExprId id) { return e[id].op == Op::uniform; })) return std::nullopt;
  return RowOfThread{std::move(factors), factor};
}

// How many bytes the rows have that belong to one thread each, 0 where a size says it; nothing where the place within them may be one of
// another row, or where nothing is read to find it.
std::optional<std::int64_t> bytes_of_own_row(const Expressions& e, ExprId address, std::int64_t element) {
  constexpr int most_terms = 32;
  std::optional<RowOfThread> row;
  bool is_of_data = false;
  std::vector<ExprId> places;
  const bool is_sum = for_each_term(e, address, most_terms, [&](ExprId id, std::int64_t factor) {
    if (e.uses(id, Uses::loaded | Uses::varying)) {
      is_of_data = true;
    } else if (e.uses(id, Uses::thread)) {
      if (row) return false;
      row = row_of_thread(e, id, factor);
      return row.has_value();
    }
    places.push_back(id);
    return !e.uses(id, Uses::opaque);
  });
  if (!is_sum || !row || !is_of_data) return std::nullopt;
  if (row->sizes.empty()) return row->bytes;
  const auto reaches_beyond = [&](ExprId place) { return std::ranges::includes(factors_of(e, place), row->sizes); };
  if (row->bytes != element || std::ranges::any_of(places, reaches_beyond)) return std::nullopt;
  return 0;
}

}  // namespace

// The bytes of a row that no other thread of the warp has, 0 for a size, where the data choose an element of it; nothing elsewhere, nor
// where a few lanes of the warp may do it.
std::optional<std::int64_t> Patterns::own_row_of_data(const Access& access, const Shape& block) const {
  constexpr std::int64_t shortest_row = 64;
  constexpr std::uint32_t widest = 8;
  const Expressions& e = trace_.expressions;
  if (block.x < fewest_rows || access.bytes == 0 || access.bytes > widest || access.bytes != access.element) return std::nullopt;
  const auto may_choose_few = [&](ExprId condition) {
    return e.uses(condition, Uses::thread) && (!e.uses(condition, Uses::block) || e.uses(condition, Uses::clamped));
  };
  if (is_decided_by(trace_, access, may_choose_few)) return std::nullopt;
  const std::optional<std::int64_t> bytes = bytes_of_own_row(e, access.address, access.element);
  return bytes && (*bytes == 0 || *bytes >= shortest_row) ? bytes : std::nullopt;
}

// Neighbouring threads are a row apart, while each thread moves by one element, or the threads along y do.
void Patterns::spread_own_rows(const Lanes& lanes, const Shape& block) {
  constexpr std::uint32_t usual_bytes = 4;
  const Expressions& e = trace_.expressions;
  const OwnIndices indices(e, lanes);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    if (accesses[i].kind != AccessPattern::data_dependent || trace_.memories[access.memory].space != Space::global) continue;
    if (const std::optional<std::int64_t> row = own_row_of_data(access, block)) {
      accesses[i].kind = AccessPattern::spread;
      accesses[i].sector_ratio = 32.0 / access.bytes;
      accesses[i].stride_is_symbolic = *row == 0;
      continue;
    }
    const bool is_in_loop = access.loop != none && !is_short(trace_, access.loop);
    if (!is_in_loop && block.x < fewest_rows) continue;
    const WalkedRow row = row_of(e, indices, access.address, is_in_loop ? trace_.loops[access.loop].iteration : none);
    const bool is_pointer = row.start != none && e[row.start].op == Op::load && trace_.memories[e[row.start].b].holds_pointers;
    // Two tensors say one extent by names of their own.
    const bool is_of_length = row.length != none && is_in_loop &&
                              (counted_length(e, trace_.loops[access.loop]) == row.length || trace_.memories[access.memory].is_tensor);
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
