// Facts about arithmetic: double precision that only literals ask for, and divisions of whole numbers.
//
// What becomes FP64 was compared with nvcc: an operation of floats and literals that float holds exactly, whose result goes into a float
// at once, is done in FP32 (`y = 0.5 * x`); one with 0.1, or one whose result is used in double first, is not.
#include <algorithm>
#include <string>
#include <utility>

#include "derive/cuda/arithmetic_hints.h"
#include "derive/cuda/constant_powers.h"
#include "derive/cuda/divisions.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;

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

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
  }
  return line.size() > most ? line.substr(0, most - 3) + "..." : line;
}

// Divisions of one width.
struct DivisionsOfWidth {
  explicit DivisionsOfWidth(const KernelView& view) : places(view) {}

  void add(const Source& source, NodeRef at) {
    if (text.empty()) text = shortened(source.text_of(at.node));
    places.add(at);
  }

  Places places;
  std::string text;  // of the first
};

// Powers whose exponent is a small number.
class Powers {
 public:
  explicit Powers(const KernelView& view) : view_(view), places_(view) {}

  void consider(const Source& source, const ValueTypes& types, const Function& function, std::uint32_t node) {
    const std::string_view way = way_of_power(view_.program, source, types, node);
    if (way.empty()) return;
    if (way_.empty()) text_ = shortened(source.text_of(node));
    if (way_.empty()) way_ = way;
    in_loop_ = in_loop_ || loop_around(source, node, function.at.node) != none;
    places_.add({function.at.source, node});
  }

  void add_to(CodeSubject& into) {
    into.set(Id::power_count, places_.count(), places_.take());
    into.set(Id::power_text, text_);
    into.set(Id::power_way, std::string(way_));
    into.set(Id::power_in_loop, in_loop_);
  }

 private:
  const KernelView& view_;
  Places places_;
  std::string text_;
  std::string_view way_;
  bool in_loop_ = false;
};

}  // namespace

void add_arithmetic_facts(const KernelView& view, CodeSubject& into) {
  Places doubles(view);
  Powers powers(view);
  DivisionsOfWidth wide(view), narrow(view);
  std::string double_text;
  constexpr std::size_t few_accesses = 12;
  const bool is_short = view.trace.loops.empty() && view.trace.accesses.size() <= few_accesses;
  bool in_loop = false, is_of_floats = false, may_be_of_floats = false, is_of_bytes = false;
  const bool any = std::ranges::any_of(view.trace.functions, [&](std::uint32_t function) {
    return may_have_arithmetic_facts(view.program, view.program.functions()[function]);
  });
  for (std::size_t i = 0; any && i < view.trace.functions.size(); ++i) {
    const Function& function = view.program.functions()[view.trace.functions[i]];
    const Source& source = view.program.sources()[function.at.source];
    const ValueTypes types(view.program, function);
    if (i == 0) {
      may_be_of_floats = !types.mentions_double();
      is_of_bytes = !types.has_float_pointer() && types.has_byte_pointer();
      is_of_floats = may_be_of_floats && (types.has_float_pointer() || is_of_bytes || types.computes_floats_of_integers());
    }
    // The data of the kernel may be objects of which nothing is known; a function that it calls with floats is of floats.
    const bool computes_floats = is_of_floats || (may_be_of_floats && i > 0 && types.has_float_parameter());
    const bool looks_for_doubles = computes_floats && !types.mentions_double();
    const DoubleOperations double_operations(source, types);
    Divisions found(source, types, function, is_short);
    for (std::uint32_t n = function.body; n < source.syntax[function.body].last; ++n) {
      if (looks_for_doubles && double_operations.is_at(n)) {
        if (double_text.empty()) double_text = shortened(source.text_of(n));
        in_loop = in_loop || loop_around(source, n, function.at.node) != none;
        doubles.add({function.at.source, n});
      }
      powers.consider(source, types, function, n);
      if (found.is_wide_at(n) && found.is_new(n)) wide.add(source, {function.at.source, n});
    }
    for (const DivisionSite& site : view.trace.divisions) {
      const bool is_here =
          site.at.source == function.at.source && site.at.node >= function.body && site.at.node < source.syntax[function.body].last;
      const int bits = is_here ? found.bits_in_loop(view.trace, site) : 0;
      if (bits != 0 && found.is_new(site.at.node)) (bits == 64 ? wide : narrow).add(source, site.at);
    }
  }
  into.set(Id::fp64_op_count, doubles.count(), doubles.take());
  into.set(Id::fp64_in_loop, in_loop);
  into.set(Id::fp64_text, double_text);
  into.set(Id::fp64_data, std::string(is_of_bytes ? "bytes" : "float"));
  powers.add_to(into);
  into.set(Id::wide_division_count, wide.places.count(), wide.places.take());
  into.set(Id::wide_division_text, wide.text);
  into.set(Id::wide_division_where, std::string(is_short ? "Each thread, which does little else," : "A loop"));
  into.set(Id::narrow_division_count, narrow.places.count(), narrow.places.take());
  into.set(Id::narrow_division_text, narrow.text);
}

}  // namespace frx::derive::cuda
