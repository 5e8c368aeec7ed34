#include "derive/cuda/divisions.h"

#include "derive/cuda/barrier_conditions.h"

namespace frx::derive::cuda {
namespace {

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

bool is_integer(const ValueType& type) { return type.is(Arithmetic::int32) || type.is(Arithmetic::int64); }

}  // namespace

bool is_loop_node(NodeKind kind) {
  return kind == NodeKind::for_statement || kind == NodeKind::while_statement || kind == NodeKind::do_statement;
}

std::uint32_t first_statement(const model::cuda::Syntax& syntax, std::uint32_t statement) {
  while (syntax.is(statement, NodeKind::compound_statement)) {
    statement = syntax.first_child(statement);
    while (statement != none && syntax.is(statement, NodeKind::token)) statement = syntax.next_sibling(statement);
  }
  return statement;
}

std::uint32_t loop_around(const Source& source, std::uint32_t node, std::uint32_t function) {
  return innermost_around(source.syntax, node, function, [&](std::uint32_t p) { return is_loop_node(source.syntax.kind(p)); });
}

Divisions::Divisions(const Source& source, const ValueTypes& types, const Function& function, bool is_without_loops)
    : source_(source), types_(types), function_(function.at.node), is_without_loops_(is_without_loops) {
  for (const std::uint32_t p : function.parameters) parameters_.insert(source.text_of(name_in(source, p)));
}

bool Divisions::is_wide_at(std::uint32_t node) {
  const auto& syntax = source_.syntax;
  if (!syntax.is(node, NodeKind::binary) && !syntax.is(node, NodeKind::assignment)) return false;
  const std::string_view op = source_.text_of(syntax.child(node, Role::op));
  if (op != "/" && op != "%" && op != "/=" && op != "%=") return false;
  const std::uint32_t left = syntax.child(node, Role::left), right = syntax.child(node, Role::right);
  if (left == none || right == none) return false;
  const ValueType &a = types_.of(left), &b = types_.of(right);
  if (!is_integer(a) || !is_integer(b) || b.literal || (a.type != Arithmetic::int64 && b.type != Arithmetic::int64)) return false;
  if (!numbers_) numbers_ = numbers_in(source_, types_, function_);
  if (numbers_->contains(source_.text_of(right))) return false;
  const std::uint32_t loop = loop_around(source_, node, function_);
  return loop != none ? changes_in(node, loop) : is_without_loops_ && is_of_thread(left);
}

int Divisions::bits_in_loop(const Trace& trace, const DivisionSite& site) const {
  constexpr auto changing = Uses::iteration | Uses::varying | Uses::opaque;
  const Expressions& e = trace.expressions;
  if (!e.uses(site.dividend, changing) && !e.uses(site.divisor, changing)) return 0;
  if (!e.uses(site.divisor, Uses::uniform | Uses::loaded | changing) || is_of_template(trace, site.divisor)) return 0;
  const auto& syntax = source_.syntax;
  const ValueType &a = types_.of(syntax.child(site.at.node, Role::left)), &b = types_.of(syntax.child(site.at.node, Role::right));
  const bool is_rest = source_.text_of(syntax.child(site.at.node, Role::op)).starts_with('%');
  if (b.literal || (!is_rest && !(is_integer(a) && is_integer(b)))) return 0;
  return a.is(Arithmetic::int64) || b.is(Arithmetic::int64) ? 64 : 32;
}

bool Divisions::is_new(std::uint32_t node) {
  const auto& syntax = source_.syntax;
  const std::string_view left = source_.text_of(syntax.child(node, Role::left)), right = source_.text_of(syntax.child(node, Role::right));
  return seen_.emplace(left, right).second;
}

// Is it of a variable, rather than of parameters alone?
bool Divisions::is_of_thread(std::uint32_t operand) const {
  for (std::uint32_t n = operand; n < source_.syntax[operand].last; ++n) {
    if (source_.syntax.is(n, NodeKind::identifier) && !parameters_.contains(source_.text_of(n))) return true;
  }
  return false;
}

bool Divisions::changes_in(std::uint32_t node, std::uint32_t loop) {
  constexpr std::size_t most_loops = 64;  // of a function: nested ones are read again for each that is around them
  if (!changed_.contains(loop) && changed_.size() >= most_loops) return false;
  const auto [at, is_new] = changed_.try_emplace(loop);
  if (is_new) at->second = changed_in(source_, loop);
  for (std::uint32_t n = node; n < source_.syntax[node].last; ++n) {
    if (source_.syntax.is(n, NodeKind::identifier) && at->second.contains(source_.text_of(n))) return true;
  }
  return false;
}

}  // namespace frx::derive::cuda
