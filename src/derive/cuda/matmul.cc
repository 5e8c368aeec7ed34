#include "derive/cuda/matmul.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {
namespace {

// What distinguishes the elements of one input: coordinates of threads and blocks, their quotients and remainders, and loops other
// than the one over k.
class Atoms {
 public:
  Atoms(const Expressions& e, ExprId iteration) : e_(e), iteration_(iteration) {}

  // The loop is bounded: an index has few terms.
  void add(ExprId root) {
    constexpr int most = 256;
    walk_parts(e_, root, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      const bool is_part = x.op == Op::div || x.op == Op::mod || x.op == Op::shr || x.op == Op::bit_and;
      if (id == iteration_) {
        has_iteration_ = true;
      } else if ((is_part && e_.uses(id, Uses::thread)) || (x.op >= Op::thread_x && x.op <= Op::block_z) || x.op == Op::iteration) {
        atoms.insert(id);
      } else if (x.op >= Op::add) {
        return Operands::all_of(x);
      }
      return Operands();
    });
  }

  bool has_iteration() const { return has_iteration_; }
  std::set<ExprId> atoms;

 private:
  const Expressions& e_;
  ExprId iteration_;
  bool has_iteration_ = false;
};

// Is one computed from the other? A channel that a filter belongs to is no row or column of its own: (i / hw) % c beside i / hw.
bool are_related(const Expressions& e, ExprId one, ExprId other) {
  const auto contains = [&](ExprId whole, ExprId sought) { return has_part(e, whole, [&](ExprId part) { return part == sought; }); };
  return contains(one, other) || contains(other, one);
}

bool each_has_its_own(const Expressions& e, const std::set<ExprId>& a, const std::set<ExprId>& b) {
  const auto has_own = [&](const std::set<ExprId>& of, const std::set<ExprId>& beside) {
    return std::ranges::any_of(of, [&](ExprId x) { return std::ranges::none_of(beside, [&](ExprId y) { return are_related(e, x, y); }); });
  };
  return has_own(a, b) && has_own(b, a);
}

// Half precision could not replace doubles and integers.
bool is_exact(const Program& program, const Memory& memory) {
  const TypeInfo type = program.type(memory.type);
  if (type.bytes == 0 || type.is_half) return false;
  return type.bytes / type.parts != 4 || memory.type.find("int") != memory.type.npos;
}

bool is_matrix_product(const Program& program, const Trace& trace, const MultiplyAdd& product, bool in_shared_memory) {
  if (product.loop == none) return false;
  const Access& a = trace.accesses[product.a];
  const Access& b = trace.accesses[product.b];
  const auto fits = [&](const Access& access) {
    const Space space = trace.memories[access.memory].space;
    return in_shared_memory ? space == Space::shared : space == Space::global || space == Space::constant;
  };
  // A place that was read from memory belongs to a gather.
  if (trace.expressions.uses(a.address, Uses::loaded) || trace.expressions.uses(b.address, Uses::loaded)) return false;
  if (!fits(a) || !fits(b) || is_exact(program, trace.memories[a.memory]) || is_exact(program, trace.memories[b.memory])) return false;
  Atoms left(trace.expressions, trace.loops[product.loop].iteration), right(trace.expressions, trace.loops[product.loop].iteration);
  left.add(a.address);
  right.add(b.address);
  return left.has_iteration() && right.has_iteration() && each_has_its_own(trace.expressions, left.atoms, right.atoms);
}

// Is the variable that a node assigns declared in that loop, or set there by more than sums?
bool begins_in(const Program& program, const MultiplyAdd& product, const Loop& loop) {
  const Source& source = program.sources()[product.at.source];
  const std::uint32_t left = source.syntax.child(product.at.node, Role::left);
  if (left == none || loop.at.source != product.at.source) return true;
  const std::string_view name = source.text_of(left);
  for (std::uint32_t n = loop.at.node; n < source.syntax[loop.at.node].last; ++n) {
    if (n == product.at.node) continue;
    const bool is_declared =
        source.syntax.is(n, NodeKind::init_declarator) && source.text_of(source.syntax.child(n, Role::declarator)) == name;
    const bool is_set = source.syntax.is(n, NodeKind::assignment) && source.text_of(source.syntax.child(n, Role::left)) == name;
    if (is_declared || is_set) return true;
  }
  return false;
}

// A loop around it, in which the block waits, brings one tile after the other, of which the sum goes on. A small matrix that lies in shared
// memory has no such loop, or one over several matrices.
bool is_over_tile(const Program& program, const Trace& trace, const MultiplyAdd& product) {
  const std::uint32_t around = product.loop == none ? none : trace.loops[product.loop].parent;
  if (around == none || trace.loops[around].first_order == trace.loops[around].last_order) return false;
  const auto is_in_same = [&](const MultiplyAdd& other) {
    return other.loop != none && trace.loops[other.loop].parent == around && !(other.at == product.at);
  };
  return std::ranges::none_of(trace.multiply_adds, is_in_same) && !begins_in(program, product, trace.loops[around]);
}

}  // namespace

std::vector<NodeRef> matrix_products(const Program& program, const Trace& trace, bool in_shared_memory) {
  std::vector<NodeRef> found;
  for (const MultiplyAdd& product : trace.multiply_adds) {
    if (is_matrix_product(program, trace, product, in_shared_memory)) found.push_back(product.at);
  }
  return found;
}

std::vector<NodeRef> single_element_products(const Program& program, const Trace& trace) {
  std::map<std::pair<std::uint32_t, ExprId>, std::uint32_t> uses;  // of an address, by loop
  for (const MultiplyAdd& product : trace.multiply_adds) {
    for (const std::uint32_t access : {product.a, product.b}) ++uses[{product.loop, trace.accesses[access].address}];
  }
  const auto is_used_once = [&](const MultiplyAdd& product, std::uint32_t access) {
    return uses[{product.loop, trace.accesses[access].address}] == 1;
  };
  std::vector<NodeRef> found;
  for (const MultiplyAdd& product : trace.multiply_adds) {
    if (!is_used_once(product, product.a) || !is_used_once(product, product.b) || !is_over_tile(program, trace, product)) continue;
    if (is_matrix_product(program, trace, product, true)) found.push_back(product.at);
  }
  return found;
}

}  // namespace frx::derive::cuda
