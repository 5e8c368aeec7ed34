// Facts about arithmetic: double precision that only literals ask for, and 64-bit divisions in loops.
//
// What becomes FP64 was compared with nvcc: an operation of floats and literals that float holds exactly, whose result goes into a float
// at once, is done in FP32 (`y = 0.5 * x`); one with 0.1, or one whose result is used in double first, is not.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "derive/cuda/arithmetic_hints.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

bool is_loop_node(NodeKind kind) {
  return kind == NodeKind::for_statement || kind == NodeKind::while_statement || kind == NodeKind::do_statement;
}

// The innermost loop around a node of a function, or none.
std::uint32_t loop_around(const Source& source, std::uint32_t node, std::uint32_t function) {
  for (std::uint32_t p = source.syntax[node].parent; p != none && p > function; p = source.syntax[p].parent) {
    if (is_loop_node(source.syntax.kind(p))) return p;
  }
  return none;
}

// One function of the kernel.
class DoubleOperations {
 public:
  DoubleOperations(const Source& source, const ValueTypes& types) : source_(source), types_(types) {}

  bool is_at(std::uint32_t node) const {
    switch (source_.syntax.kind(node)) {
      case NodeKind::binary: return is_operation(node) || is_comparison(node);
      case NodeKind::assignment: return is_compound(node);
      case NodeKind::call: return is_function(node);
      default: return false;
    }
  }

 private:
  static bool is_double(const ValueType& type) { return type.is(Arithmetic::float64); }
  static bool is_float_or_exact(const ValueType& type) {
    return (type.is(Arithmetic::float32) && !type.literal) || (type.literal && type.is_exact_in_float());
  }
  static bool is_one(const ValueType& type) { return type.literal && (*type.literal == 1 || *type.literal == -1); }
  // The other factor of a product with 1 or -1, which is no operation of its own; else the node itself.
  std::uint32_t without_ones(std::uint32_t node) const {
    const auto& syntax = source_.syntax;
    while (node != none) {
      std::uint32_t inner = none;
      if (syntax.is(node, NodeKind::parenthesized)) inner = syntax.first_child(node);
      if (syntax.is(node, NodeKind::binary) && op(node) == "*") {
        const std::uint32_t left = syntax.child(node, Role::left), right = syntax.child(node, Role::right);
        if (left != none && right != none && is_one(types_.of(left))) inner = right;
        if (left != none && right != none && is_one(types_.of(right))) inner = left;
      }
      if (inner == none) return node;
      node = inner;
    }
    return none;
  }
  bool can_be_float(std::uint32_t node, Role role) const {
    const std::uint32_t operand = without_ones(source_.syntax.child(node, role));
    return operand != none && is_float_or_exact(types_.of(operand));
  }
  const ValueType& side(std::uint32_t node, Role role) const {
    static const ValueType unknown;
    const std::uint32_t child = source_.syntax.child(node, role);
    return child == none ? unknown : types_.of(child);
  }
  std::string_view op(std::uint32_t node) const { return source_.text_of(source_.syntax.child(node, Role::op)); }

  bool is_operation(std::uint32_t node) const {
    const ValueType& result = types_.of(node);
    const std::string_view sign = op(node);
    if (!is_double(result) || result.literal || (sign != "+" && sign != "-" && sign != "*" && sign != "/")) return false;
    if (without_ones(node) != node) return false;
    return !(can_be_float(node, Role::left) && can_be_float(node, Role::right)) || stays_double(node);
  }

  // `x > 0.1`: nothing that float holds compares alike.
  bool is_comparison(std::uint32_t node) const {
    const std::string_view sign = op(node);
    if (sign != "<" && sign != ">" && sign != "<=" && sign != ">=" && sign != "==" && sign != "!=") return false;
    const ValueType &a = side(node, Role::left), &b = side(node, Role::right);
    const auto is_inexact = [](const ValueType& x) { return is_double(x) && x.literal && !x.is_exact_in_float(); };
    const auto is_float = [](const ValueType& x) { return x.is(Arithmetic::float32) && !x.literal; };
    return (is_float(a) && is_inexact(b)) || (is_float(b) && is_inexact(a));
  }

  // `x *= 0.1`
  bool is_compound(std::uint32_t node) const {
    const std::string_view sign = op(node);
    if (sign != "+=" && sign != "-=" && sign != "*=" && sign != "/=") return false;
    const ValueType& right = side(node, Role::right);
    return side(node, Role::left).is(Arithmetic::float32) && is_double(right) && !can_be_float(node, Role::right);
  }

  bool is_function(std::uint32_t node) const {
    const std::uint32_t list = source_.syntax.child(node, Role::arguments);
    if (!is_double(types_.of(node)) || list == none) return false;
    for (std::uint32_t c = source_.syntax.first_child(list); c != none; c = source_.syntax.next_sibling(c)) {
      if (!source_.syntax.is(c, NodeKind::token) && !types_.of(c).literal) return true;
    }
    return false;
  }

  // Is the result used as a double, or made an integer? Where that is unknown, it is not.
  bool stays_double(std::uint32_t node) const {
    const auto& syntax = source_.syntax;
    std::uint32_t from = node, p = syntax[node].parent;
    for (; p != none && (syntax.is(p, NodeKind::parenthesized) || syntax.is(p, NodeKind::unary)); p = syntax[p].parent) from = p;
    if (p == none) return false;
    for (; syntax.is(p, NodeKind::binary) && without_ones(p) == without_ones(node); p = syntax[p].parent) from = p;
    if (syntax.is(p, NodeKind::binary)) return true;
    if (syntax.is(p, NodeKind::assignment)) return syntax[from].role == Role::right && op(p) != "=";
    if (syntax.is(p, NodeKind::cast)) return types_.of(p).is(Arithmetic::int32) || types_.of(p).is(Arithmetic::int64);
    return syntax.is(p, NodeKind::argument_list) && syntax.is(syntax[p].parent, NodeKind::call) && is_double(types_.of(syntax[p].parent));
  }

  const Source& source_;
  const ValueTypes& types_;
};

// What a node assigns to or counts up or down, or none.
std::uint32_t assigned_by(const Source& source, std::uint32_t node) {
  switch (source.syntax.kind(node)) {
    case NodeKind::assignment: return source.syntax.child(node, Role::left);
    case NodeKind::update: return source.syntax.child(node, Role::argument);
    default: return none;
  }
}

// Names that a loop declares or changes, so that what is computed from others can be computed before it.
std::unordered_set<std::string_view> changed_in(const Source& source, std::uint32_t loop) {
  std::unordered_set<std::string_view> names;
  for (std::uint32_t n = loop; n < source.syntax[loop].last; ++n) {
    const bool declares = source.syntax.is(n, NodeKind::init_declarator);
    const std::uint32_t target = declares ? name_in(source, source.syntax.child(n, Role::declarator)) : assigned_by(source, n);
    if (source.syntax.is(target, NodeKind::identifier)) names.insert(source.text_of(target));
  }
  return names;
}

// Local variables that are declared once, with a number, and not assigned afterwards.
std::unordered_set<std::string_view> numbers_in(const Source& source, const ValueTypes& types, std::uint32_t function) {
  std::unordered_map<std::string_view, bool> is_number;
  const auto& syntax = source.syntax;
  for (std::uint32_t n = function; n < syntax[function].last; ++n) {
    if (syntax.is(n, NodeKind::init_declarator)) {
      const std::uint32_t name = name_in(source, syntax.child(n, Role::declarator)), value = syntax.child(n, Role::value);
      if (name == none) continue;
      const auto [at, is_new] = is_number.emplace(source.text_of(name), value != none && types.of(value).literal.has_value());
      at->second = at->second && is_new;
    } else if (const std::uint32_t target = assigned_by(source, n); target != none) {
      is_number[source.text_of(target)] = false;
    }
  }
  std::unordered_set<std::string_view> names;
  for (const auto& [name, is] : is_number) {
    if (is) names.insert(name);
  }
  return names;
}

// Divisions of 64 bits by a value that is not known before: in a loop, of values that differ between iterations, or in a kernel in which
// each thread does little else.
class WideDivisions {
 public:
  WideDivisions(const Source& source, const ValueTypes& types, const Function& function, bool is_without_loops)
      : source_(source), types_(types), function_(function.at.node), is_without_loops_(is_without_loops) {
    for (const std::uint32_t p : function.parameters) parameters_.insert(source.text_of(name_in(source, p)));
  }

  bool is_at(std::uint32_t node) {
    const auto& syntax = source_.syntax;
    if (!syntax.is(node, NodeKind::binary) && !syntax.is(node, NodeKind::assignment)) return false;
    const std::string_view op = source_.text_of(syntax.child(node, Role::op));
    if (op != "/" && op != "%" && op != "/=" && op != "%=") return false;
    const std::uint32_t left = syntax.child(node, Role::left), right = syntax.child(node, Role::right);
    if (left == none || right == none) return false;
    const ValueType &a = types_.of(left), &b = types_.of(right);
    const auto is_integer = [](const ValueType& x) { return x.is(Arithmetic::int32) || x.is(Arithmetic::int64); };
    if (!is_integer(a) || !is_integer(b) || b.literal || (a.type != Arithmetic::int64 && b.type != Arithmetic::int64)) return false;
    if (!numbers_) numbers_ = numbers_in(source_, types_, function_);
    if (numbers_->contains(source_.text_of(right))) return false;
    const std::uint32_t loop = loop_around(source_, node, function_);
    return loop != none ? changes_in(node, loop) : is_without_loops_ && is_of_thread(left);
  }

  // Quotient and remainder of the same operands are one division.
  bool is_new(std::uint32_t node) {
    const auto& syntax = source_.syntax;
    const std::string_view left = source_.text_of(syntax.child(node, Role::left)), right = source_.text_of(syntax.child(node, Role::right));
    return seen_.emplace(left, right).second;
  }

 private:
  // Is it of a variable, rather than of parameters alone?
  bool is_of_thread(std::uint32_t operand) const {
    for (std::uint32_t n = operand; n < source_.syntax[operand].last; ++n) {
      if (source_.syntax.is(n, NodeKind::identifier) && !parameters_.contains(source_.text_of(n))) return true;
    }
    return false;
  }

  bool changes_in(std::uint32_t node, std::uint32_t loop) {
    constexpr std::size_t most_loops = 64;  // of a function: nested ones are read again for each that is around them
    if (!changed_.contains(loop) && changed_.size() >= most_loops) return false;
    const auto [at, is_new] = changed_.try_emplace(loop);
    if (is_new) at->second = changed_in(source_, loop);
    for (std::uint32_t n = node; n < source_.syntax[node].last; ++n) {
      if (source_.syntax.is(n, NodeKind::identifier) && at->second.contains(source_.text_of(n))) return true;
    }
    return false;
  }

  const Source& source_;
  const ValueTypes& types_;
  std::uint32_t function_;
  bool is_without_loops_;
  std::unordered_set<std::string_view> parameters_;
  std::optional<std::unordered_set<std::string_view>> numbers_;                      // numbers_in(), for few functions divide so
  std::unordered_map<std::uint32_t, std::unordered_set<std::string_view>> changed_;  // by loop
  std::set<std::pair<std::string_view, std::string_view>> seen_;
};

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
  }
  return line.size() > most ? line.substr(0, most - 3) + "..." : line;
}

}  // namespace

void add_arithmetic_facts(const KernelView& view, CodeSubject& into) {
  Places doubles(view), divisions(view);
  std::string double_text, division_text;
  constexpr std::size_t few_accesses = 12;
  const bool is_short = view.trace.loops.empty() && view.trace.accesses.size() <= few_accesses;
  bool in_loop = false, is_of_floats = false, may_be_of_floats = false;
  const bool any = std::ranges::any_of(view.trace.functions, [&](std::uint32_t function) {
    return may_have_arithmetic_facts(view.program, view.program.functions()[function]);
  });
  for (std::size_t i = 0; any && i < view.trace.functions.size(); ++i) {
    const Function& function = view.program.functions()[view.trace.functions[i]];
    const Source& source = view.program.sources()[function.at.source];
    const ValueTypes types(view.program, function);
    if (i == 0) {
      may_be_of_floats = !types.mentions_double();
      is_of_floats = may_be_of_floats && types.has_float_pointer();
    }
    // The data of the kernel may be objects of which nothing is known; a function that it calls with floats is of floats.
    const bool computes_floats = is_of_floats || (may_be_of_floats && i > 0 && types.has_float_parameter());
    const bool looks_for_doubles = computes_floats && !types.mentions_double();
    const DoubleOperations double_operations(source, types);
    WideDivisions wide_divisions(source, types, function, is_short);
    for (std::uint32_t n = function.body; n < source.syntax[function.body].last; ++n) {
      if (looks_for_doubles && double_operations.is_at(n)) {
        if (double_text.empty()) double_text = shortened(source.text_of(n));
        in_loop = in_loop || loop_around(source, n, function.at.node) != none;
        doubles.add({function.at.source, n});
      }
      if (wide_divisions.is_at(n) && wide_divisions.is_new(n)) {
        if (division_text.empty()) division_text = shortened(source.text_of(n));
        divisions.add({function.at.source, n});
      }
    }
  }
  into.set(Id::fp64_op_count, doubles.count(), doubles.take());
  into.set(Id::fp64_in_loop, in_loop);
  into.set(Id::fp64_text, double_text);
  into.set(Id::wide_division_count, divisions.count(), divisions.take());
  into.set(Id::wide_division_text, division_text);
  into.set(Id::wide_division_where, std::string(is_short ? "Each thread, which does little else," : "A loop"));
}

}  // namespace frx::derive::cuda
