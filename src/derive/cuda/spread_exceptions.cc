// Accesses whose single instructions look spread, but which are not, or not known to be (own_elements.cc has some more):
//
//   p[i].x + p[i].y + p[i].z              the lines stay in L1 until all their bytes are used
//   x[i * incx], y[i * incy]              increments, most often one
//   in[(y * sy + j) * w + (x * sx + i)]   steps of a window: x * sx + i is compared with w
//   a[i * CHANNELS]                       a constant whose value is unknown
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/patterns.h"
#include "derive/cuda/size_names.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

constexpr auto differs = Uses::thread | Uses::block | Uses::iteration | Uses::varying | Uses::opaque;

// One term of a sum: a value that differs between threads or iterations, and the size that it is multiplied by.
struct Term {
  ExprId what = 0;
  bool has_size = false, is_often_one = false;
  ExprId size = 0;
};

// The terms of an address that differ between threads, blocks or iterations. The loop is bounded: an address has few terms.
std::vector<Term> terms_of(const Trace& trace, ExprId root) {
  const Expressions& e = trace.expressions;
  std::vector<Term> open{{root, false, false}}, terms;
  for (int steps = 0; !open.empty() && steps < 128; ++steps) {
    const Term term = open.back();
    open.pop_back();
    const Expr& x = e[term.what];
    if (!e.uses(term.what, differs)) continue;
    if (!term.has_size && (x.op == Op::add || x.op == Op::sub || x.op == Op::max || x.op == Op::min)) {
      open.push_back({x.a, term.has_size, term.is_often_one, term.size});
      open.push_back({x.b, term.has_size, term.is_often_one, term.size});
    } else if (!term.has_size && x.op == Op::mul && e.uses(x.a, differs) != e.uses(x.b, differs)) {
      const ExprId size = e.uses(x.a, differs) ? x.b : x.a;
      open.push_back(
          {size == x.b ? x.a : x.b, term.has_size || e.uses(size, Uses::uniform), term.is_often_one || trace.is_often_one(size), size});
    } else {
      terms.push_back(term);
    }
  }
  return terms;
}

// The terms of a sum, or of what limits it: products of a thread's coordinate and a size with that size, and all others.
struct SizedTerms {
  std::unordered_map<ExprId, ExprId> sizes;  // by product
  std::unordered_set<ExprId> others;

  // y * width + x: x, which is another coordinate of the thread, stays below the width.
  bool is_row(const Expressions& e) const {
    return std::ranges::any_of(others, [&](ExprId other) { return e[other].op >= Op::thread_x && e[other].op <= Op::thread_z; });
  }

  bool reaches_to_the_next(ExprId product, ExprId size) const {
    if (size == 0) return false;
    const auto is_next = [&](const auto& term) { return term.first != product && term.second == size; };
    return others.contains(size) || std::ranges::any_of(sizes, is_next);
  }
};

// Of 2 * width: width.
ExprId without_constant_factor(const Expressions& e, ExprId id) {
  for (int steps = 0; e[id].op == Op::mul && steps < 16; ++steps) {
    if (e.constant_of(e[id].a)) {
      id = e[id].b;
    } else if (e.constant_of(e[id].b)) {
      id = e[id].a;
    } else {
      break;
    }
  }
  return id;
}

// Of thread * width * 2: width. 0: it is no such product.
ExprId size_in(const Expressions& e, ExprId product) {
  const Expr& x = e[without_constant_factor(e, product)];
  return x.op == Op::mul ? without_constant_factor(e, e.uses(x.a, Uses::thread) ? x.b : x.a) : 0;
}

SizedTerms sized_terms(const Expressions& e, ExprId root) {
  constexpr int most = 16;
  SizedTerms found;
  walk_parts(e, root, most, [&](ExprId here, const Expr& x) -> std::optional<Operands> {
    if (x.op == Op::add || x.op == Op::sub || x.op == Op::min || x.op == Op::max) return Operands{x.a, x.b};
    if (x.op == Op::mul && e.uses(here, Uses::thread) && e.uses(here, Uses::uniform)) {
      found.sizes.emplace(here, size_in(e, here));
    } else {
      found.others.insert(without_constant_factor(e, here));
    }
    return Operands();
  });
  return found;
}

// What the iterations of loops are compared with.
std::unordered_set<ExprId> loop_ends(const Trace& trace) {
  std::unordered_set<ExprId> ends;
  const Expressions& e = trace.expressions;
  for (const Loop& loop : trace.loops) {
    const Expr& test = e[loop.condition];
    if ((test.op != Op::lt && test.op != Op::le) || !e.uses(test.a, Uses::iteration)) continue;
    ExprId end = test.b;
    while (test.op == Op::le && (e[end].op == Op::add || e[end].op == Op::sub))
      end = e.constant_of(e[end].a) ? e[end].b : e[end].a;  // n - 1
    if (e[end].sizes > 0) ends.insert(end);                 // a constant of unknown value is a few elements, as a rule
  }
  return ends;
}

// A size of run time that is not called the step of a window.
bool may_be_share(const Trace& trace, ExprId size) {
  if (trace.expressions[size].sizes == 0) return false;
  const std::string_view name = trace.name_of_parameter(size);
  return !contains_ignoring_case(name, "stride") && !contains_ignoring_case(name, "step");
}

// Products of a thread's coordinate and a size that are compared or clamped.
std::unordered_set<ExprId> compared_steps(const Trace& trace) {
  const Expressions& e = trace.expressions;
  const std::unordered_set<ExprId> ends = loop_ends(trace);
  std::unordered_set<ExprId> found, own;
  for (ExprId id = 0; id < e.size(); ++id) {
    const Op op = e[id].op;
    if (op != Op::lt && op != Op::le && op != Op::min && op != Op::max) continue;
    const SizedTerms left = sized_terms(e, e[id].a), right = sized_terms(e, e[id].b);
    for (const auto& [product, size] : left.sizes) {
      // i < min(begin + share, n) with begin = t * share: all elements up to those of the next thread, however many. A window overlaps
      // others: min(begin + width, n) with begin = t * step.
      // So does for (i = 0; i < share; ++i) if (begin + i < n).
      // So does if (begin + share > n), where the share is no constant of a few elements.
      const bool reaches = right.reaches_to_the_next(product, size) || ends.contains(size) || left.is_row(e) ||
                           (left.reaches_to_the_next(product, size) && may_be_share(trace, size));
      (reaches ? own : found).insert(product);
    }
    // while (i < begin + share)
    for (const auto& [product, size] : right.sizes)
      (right.reaches_to_the_next(product, size) && may_be_share(trace, size) ? own : found).insert(product);
  }
  for (const ExprId step : own) found.erase(step);
  return found;
}

bool holds_any(const Expressions& e, ExprId root, const std::unordered_set<ExprId>& of) {
  return !of.empty() && has_part(e, root, [&](ExprId part) { return of.contains(part); });
}

// max(0, x - radius): which operand is the result depends on sizes.
bool is_kept_within_sizes(const Expressions& e, ExprId root) {
  return has_part(e, root, [&](ExprId part) {
    const Op op = e[part].op;
    return (op == Op::min || op == Op::max) && e.uses(part, Uses::thread) && e.uses(part, Uses::uniform);
  });
}

constexpr std::size_t most_pieces = 65536;
constexpr std::uint32_t most_of_record = 1024;  // bytes

}  // namespace

// Exempts accesses to one memory in one loop that together use most of the sectors that a warp touches. Bytes and halves that are moved one
// by one touch no more sectors than floats would, and are parts of a record in the same way.
void Patterns::exempt_used_sectors(const Lanes& lanes) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    const bool is_narrow = accesses[i].kind == AccessPattern::packed && accesses[i].sector_ratio >= 2 && lanes.is_known(access.address);
    if (trace_.memories[access.memory].space != Space::global) continue;
    if (accesses[i].kind == AccessPattern::spread || is_narrow) groups[{access.memory, access.loop}].push_back(i);
  }
  if (groups.empty()) return;
  const std::uint32_t lanes_of_warp = std::min(lanes.count(), warp::lane_count);
  for (const auto& [key, group] : groups) {
    std::vector<warp::ByteRange> pieces;
    for (const std::size_t i : group) {
      const Access& access = trace_.accesses[i];
      for (std::uint32_t lane = 0; lane < lanes_of_warp && pieces.size() < most_pieces; ++lane) {
        const std::int64_t from = lanes.at(access.address, lane) << 3 >> 3;
        pieces.push_back({from, from + std::clamp(access.bytes, 1u, access.piece != 0 ? most_of_record : warp::most_bytes)});
      }
    }
    const warp::Footprint together = warp::footprint(pieces);
    const double ratio = static_cast<double>(warp::sector_bytes * together.sectors) / static_cast<double>(together.bytes);
    for (const std::size_t i : group) {
      if (ratio < 2) {
        accesses[i].kind = AccessPattern::packed;
        accesses[i].is_record = true;  // its own ratio is kept
      } else {
        accesses[i].sector_ratio = std::min(accesses[i].sector_ratio, ratio);
      }
    }
  }
}

// Marks accesses as unknown where the distance of lanes is an unknown size, and the code suggests that it is small.
void Patterns::exempt_unknown_strides() {
  const Expressions& e = trace_.expressions;
  std::optional<std::unordered_set<ExprId>> steps;  // few kernels need them
  std::vector<std::size_t> increments;
  std::set<ExprId> increment_sizes;
  std::unordered_set<std::uint32_t> packed_in;  // loops
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    if (trace_.memories[access.memory].space != Space::global) continue;
    if (accesses[i].kind == AccessPattern::packed) packed_in.insert(access.loop);
    if (accesses[i].kind != AccessPattern::spread) continue;
    const std::vector<Term> terms = terms_of(trace_, access.address);
    const auto of_thread = [&](const Term& t) { return e.uses(t.what, Uses::thread); };
    const auto is_constant_step = [&](const Term& t) { return of_thread(t) && t.is_often_one; };
    if (terms.size() > 1 && !steps) steps = compared_steps(trace_);
    const bool is_window = terms.size() > 1 && holds_any(e, access.address, *steps);
    const bool all_sized = std::ranges::all_of(terms, &Term::has_size);
    if (is_window || is_kept_within_sizes(e, access.address) || std::ranges::any_of(terms, is_constant_step) ||
        (all_sized && terms.size() > 1)) {
      accesses[i].kind = AccessPattern::unknown;
    } else if (all_sized) {
      if (std::ranges::any_of(terms, [&](const Term& term) { return is_count(trace_.name_of_parameter(term.size)); })) continue;
      increments.push_back(i);
      for (const Term& term : terms) increment_sizes.insert(term.size);
    }
  }
  // An increment beside an array without one is a real stride. So is one that all arrays share, of which there may be a single one, and a
  // size that is called a number of something.
  if (packed_in.empty() && increment_sizes.size() < 2) return;
  for (const std::size_t i : increments) {
    if (!packed_in.contains(trace_.accesses[i].loop)) accesses[i].kind = AccessPattern::unknown;
  }
}

}  // namespace frx::derive::cuda
