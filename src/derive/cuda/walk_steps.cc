// How the variables that a loop changes change: by the same step in each iteration, by a shift, or in no simple way.
//
//   for (int i = first; i < n; i += step)              by step
//   for (...) if (i < n) { a[i] = 0; i += step; }      by step, as long as the guard holds
//   for (...) for (...) *p++ = 0                       by as many steps in all threads
#include <algorithm>
#include <bit>
#include <utility>

#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

// The variable that a node assigns, if it does nothing else.
std::uint32_t Walker::changed_name(std::uint32_t node) const {
  std::uint32_t target = none;
  switch (syntax().kind(node)) {
    case NodeKind::assignment: target = syntax().child(node, Role::left); break;
    case NodeKind::update: target = syntax().child(node, Role::argument); break;
    case NodeKind::pointer_expression:
      if (text(node).starts_with('&')) target = syntax().child(node, Role::argument);
      break;
    default: break;
  }
  if (syntax().is(target, NodeKind::field_expression)) {  // p.x += 1, of a record that is followed
    target = syntax().child(target, Role::argument);
    const auto slot = syntax().is(target, NodeKind::identifier) ? slot_named(text(target)) : std::nullopt;
    return slot && slots_[*slot].value.kind == Value::triple && !slots_[*slot].value.type.empty() ? target : none;
  }
  return syntax().is(target, NodeKind::identifier) ? target : none;
}

// Without brackets around it.
std::uint32_t Walker::unwrapped(std::uint32_t node) const {
  for (int depth = 0; depth < 8 && syntax().is(node, NodeKind::parenthesized); ++depth) node = syntax().first_child(node);
  return node;
}

std::vector<Walker::Change> Walker::changes_in(std::uint32_t node) {
  std::vector<Change> changes;
  std::unordered_map<std::uint32_t, std::size_t> by_slot;
  std::vector<std::uint32_t> names;
  // `for (j = first; ...)` sets j before the loop, not in it.
  const std::uint32_t before = syntax().is(node, NodeKind::for_statement) ? syntax().child(node, Role::initializer) : none;
  for (std::uint32_t n = node; n < syntax()[node].last; ++n) {
    if (n == before) {
      n = syntax()[n].last - 1;
      continue;
    }
    names.clear();
    if (const std::uint32_t name = changed_name(n); name != none) names.push_back(name);
    if (syntax().is(n, NodeKind::call)) add_referred(n, names);
    for (const std::uint32_t name : names) {
      const std::optional<std::uint32_t> slot = slot_named(text(name));
      if (!slot) continue;
      if (is_in_memory(slots_[*slot].value)) continue;  // it stays where it is
      const auto [at, is_new] = by_slot.try_emplace(*slot, changes.size());
      if (is_new) changes.push_back({*slot, 0, n, n});
      changes[at->second].last = n;
      changes[at->second].count += syntax().is(n, NodeKind::call) ? 2 : 1;  // by a call: in no simple way
    }
  }
  steps_ += (syntax()[node].last - node) / 4;
  return changes;
}

// The variables that a call may change through references.
void Walker::add_referred(std::uint32_t call, std::vector<std::uint32_t>& names) const {
  const std::uint32_t name = name_in(source(), syntax().child(call, Role::function));
  const std::uint32_t list = name == none ? none : syntax().child(call, Role::arguments);
  if (list == none) return;
  for (std::uint32_t f = program_.first_device_function(text(name)); f != none; f = program_.functions()[f].next) {
    const Function& callee = program_.functions()[f];
    if (program_.sources().is_released(callee.at.source)) continue;
    std::size_t i = 0;
    for (std::uint32_t c = syntax().first_child(list); c != none && i < callee.parameters.size(); c = syntax().next_sibling(c)) {
      if (syntax().is(c, NodeKind::token)) continue;
      const std::uint32_t parameter = callee.parameters[i++];
      const bool is_name = syntax().is(c, NodeKind::identifier);
      if (is_name && is_changeable_reference(program_.sources()[callee.at.source], parameter)) names.push_back(c);
    }
    return;  // overloads seldom differ in this
  }
}

bool Walker::is_in_each_iteration(std::uint32_t node, std::uint32_t loop) const {
  for (std::uint32_t p = syntax()[node].parent; p != loop; p = syntax()[p].parent) {
    const NodeKind kind = syntax().kind(p);
    if (kind == NodeKind::if_statement || kind == NodeKind::conditional || kind == NodeKind::for_statement ||
        kind == NodeKind::while_statement || kind == NodeKind::do_statement || kind == NodeKind::case_statement ||
        kind == NodeKind::for_range_loop || kind == NodeKind::lambda) {
      return false;
    }
  }
  return true;
}

// The first `continue` of that loop itself, or none: what stands behind it is not done in each iteration.
std::uint32_t Walker::first_continue(std::uint32_t loop) {
  const std::uint32_t last = syntax()[loop].last;
  steps_ += (last - loop) / nodes_of_a_step;
  for (std::uint32_t n = loop + 1; n < last; ++n) {
    switch (syntax().kind(n)) {
      case NodeKind::continue_statement: return n;
      case NodeKind::for_statement:
      case NodeKind::while_statement:
      case NodeKind::do_statement:
      case NodeKind::for_range_loop:
      case NodeKind::lambda: n = syntax()[n].last - 1; break;
      default: break;
    }
  }
  return none;
}

// By how many bits a variable is shifted in each iteration: 1 for `s *= 2`, `s <<= 1` and `s += s`, -1 for `s /= 2`, `s >>= 1` and `s = s /
// 2`.
std::optional<std::int64_t> Walker::shift_of(const Change& change, std::uint32_t loop) {
  if (change.count != 1 || !syntax().is(change.node, NodeKind::assignment) || !is_in_each_iteration(change.node, loop)) return std::nullopt;
  std::string_view op = text(syntax().child(change.node, Role::op));
  std::uint32_t by = syntax().child(change.node, Role::right);
  by = unwrapped(by);
  if (op == "=" && syntax().is(by, NodeKind::binary)) {
    if (text(syntax().child(by, Role::left)) != text(syntax().child(change.node, Role::left))) return std::nullopt;
    op = text(syntax().child(by, Role::op));
    by = unwrapped(syntax().child(by, Role::right));
  } else {
    op.remove_suffix(op.ends_with('=') ? 1 : 0);
  }
  if (op == "+" && text(by) == text(syntax().child(change.node, Role::left))) return 1;
  if (op != "*" && op != "/" && op != "<<" && op != ">>") return std::nullopt;
  if (!syntax().is(by, NodeKind::number)) return std::nullopt;
  const std::optional<std::int64_t> amount = e_.constant_of(eval_number(by).expr);
  if (!amount || *amount < 1 || *amount > 16) return std::nullopt;
  const bool is_factor = op == "*" || op == "/", is_up = op == "*" || op == "<<";
  const auto value = static_cast<std::uint64_t>(*amount);
  if (is_factor && !std::has_single_bit(value)) return std::nullopt;
  const std::int64_t bits = is_factor ? std::countr_zero(value) : *amount;
  return is_up ? bits : -bits;
}

// The amount by which a variable grows in each iteration; nothing when it cannot be determined.
std::optional<ExprId> Walker::step_of(const Change& change, std::uint32_t loop, const std::vector<Change>& all) {
  if (change.count != 1 || syntax().is(change.node, NodeKind::pointer_expression)) return std::nullopt;
  if (!is_in_each_iteration(change.node, loop) && !is_guarded_by_itself(change.node, loop)) return std::nullopt;
  return step_by(change, all);
}

// if (i < n) { a[i] = 0; i += step; }: threads that no longer pass the guard never pass it again, and the others have taken all steps.
bool Walker::is_guarded_by_itself(std::uint32_t node, std::uint32_t loop) const {
  const std::string_view op = text(syntax().child(node, Role::op));
  const std::uint32_t right = op == "=" ? unwrapped(syntax().child(node, Role::right)) : none;
  const bool is_sum = right != none && syntax().is(right, NodeKind::binary) && text(syntax().child(right, Role::op)) == "+";
  if (op != "++" && op != "+=" && !is_sum) return false;
  std::uint32_t guard = none;
  for (std::uint32_t p = syntax()[node].parent; p != loop; p = syntax()[p].parent) {
    const NodeKind kind = syntax().kind(p);
    if (kind == NodeKind::if_statement && guard == none) {
      guard = p;
    } else if (kind != NodeKind::compound_statement && kind != NodeKind::expression_statement) {
      return false;
    }
  }
  if (guard == none || syntax().child(guard, Role::alternative) != none) return false;
  const std::uint32_t clause = syntax().child(guard, Role::condition);
  const std::uint32_t test = clause == none ? none : syntax().child(clause, NodeKind::binary);
  if (test == none) return false;
  const std::string_view sign = text(syntax().child(test, Role::op));
  const bool is_turned = sign == ">" || sign == ">=";
  const std::uint32_t smaller = syntax().child(test, is_turned ? Role::right : Role::left);
  return (is_turned || sign == "<" || sign == "<=") && text(smaller) == text(changed_name(node));
}

// The same for a change within inner loops.
std::optional<ExprId> Walker::step_of_inner(const Change& change, std::uint32_t loop, const std::vector<Change>& all) {
  if (change.count != 1 || syntax().is(change.node, NodeKind::pointer_expression)) return std::nullopt;
  steps_ += (syntax()[loop].last - loop) / nodes_of_a_step;
  return loops_around(change.node, loop).empty() ? std::nullopt : step_by(change, all);
}

// By how much a change makes a variable grow, where that is the same for all threads and in all iterations.
std::optional<ExprId> Walker::step_by(const Change& change, const std::vector<Change>& all) {
  const std::string_view op = text(syntax().child(change.node, Role::op));
  if (op == "++") return e_.constant(1);
  if (op == "--") return e_.constant(-1);
  std::uint32_t step = unwrapped(syntax().child(change.node, Role::right));
  bool minus = op == "-=";
  if (op == "=" && syntax().is(step, NodeKind::binary)) {  // i = i + step
    const std::string_view sign = text(syntax().child(step, Role::op));
    if (text(syntax().child(step, Role::left)) != text(syntax().child(change.node, Role::left))) return std::nullopt;
    minus = sign == "-";
    if (!minus && sign != "+") return std::nullopt;
    step = syntax().child(step, Role::right);
  } else if (op != "+=" && op != "-=") {
    return std::nullopt;
  }
  for (std::uint32_t n = step; n < syntax()[step].last; ++n) {
    if (!syntax().is(n, NodeKind::identifier)) continue;
    const std::optional<std::uint32_t> slot = slot_named(text(n));
    if (slot && std::ranges::find(all, *slot, &Change::slot) != all.end()) return std::nullopt;
  }
  const bool was_quiet = std::exchange(quiet_, true);
  is_ahead_ = false;
  const Value value = eval(step);
  quiet_ = was_quiet;
  if (is_ahead_ || value.kind != Value::number || e_.uses(value.expr, Uses::varying | Uses::opaque)) return std::nullopt;
  return minus ? e_.unary(Op::neg, value.expr) : value.expr;
}

// The loops within `loop` around a change that nothing else surrounds, if no thread leaves them early; else empty.
std::vector<std::uint32_t> Walker::loops_around(std::uint32_t node, std::uint32_t loop) const {
  std::vector<std::uint32_t> loops;
  for (std::uint32_t p = syntax()[node].parent; p != loop; p = syntax()[p].parent) {
    const NodeKind kind = syntax().kind(p);
    const bool is_loop = kind == NodeKind::for_statement || kind == NodeKind::while_statement || kind == NodeKind::do_statement;
    if (is_loop) loops.push_back(p);
    if (!is_loop && kind != NodeKind::compound_statement && kind != NodeKind::expression_statement) return {};
  }
  for (std::uint32_t n = loops.empty() ? 0 : loops.back(); !loops.empty() && n < syntax()[loops.back()].last; ++n) {
    const NodeKind kind = syntax().kind(n);
    if (kind == NodeKind::break_statement || kind == NodeKind::continue_statement || kind == NodeKind::return_statement) return {};
  }
  return loops;
}

// Do all threads make as many iterations of these loops, which have been followed?
bool Walker::have_equal_counts(const std::vector<std::uint32_t>& loops, std::uint32_t first) const {
  for (std::size_t l = first; l < trace_.loops.size(); ++l) {
    const bool is_one = trace_.loops[l].at.source == source_ && std::ranges::find(loops, trace_.loops[l].at.node) != loops.end();
    if (is_one && e_.uses(trace_.loops[l].condition, Uses::thread | Uses::varying | Uses::opaque)) return false;
  }
  return true;
}

}  // namespace frx::derive::cuda
