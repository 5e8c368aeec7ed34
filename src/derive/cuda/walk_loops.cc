// Loops: the body is followed once, with the changed variables as expressions of the iteration.
//
//   for (int i = first; i < n; i += step)     i = first + iteration * step
//   for (int s = 128; s > 0; s >>= 1)         s = 128 >> iteration
//   while (s > 0) s = next(s)                 s = some value, the same for all threads
#include <algorithm>
#include <cstdlib>

#include "derive/cuda/divisions.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

std::uint32_t Walker::begin_loop(std::uint32_t node) {
  Loop loop;
  loop.at = ref(node);
  loop.parent = loop_;
  loop.context = context_;
  loop.iteration = e_.fresh(Op::iteration);
  loop.unbroken = e_.constant(1);
  loop.first_access = static_cast<std::uint32_t>(trace_.accesses.size());
  loop.first_order = static_cast<std::uint32_t>(trace_.orders.size());
  note_unroll(loop, node);
  trace_.loops.push_back(std::move(loop));
  return static_cast<std::uint32_t>(trace_.loops.size() - 1);
}

// A pragma belongs to the loop that directly follows it.
void Walker::note_unroll(Loop& loop, std::uint32_t node) {
  const std::uint32_t in_text = syntax()[node].begin;
  if (in_text >= source().size) return;
  const std::uint32_t begin = source().in_file(in_text);
  const auto& pragmas = source().unrolls;
  const auto after = std::ranges::upper_bound(pragmas, begin, {}, &model::cuda::Unroll::end);
  if (after == pragmas.begin()) return;
  const model::cuda::Unroll& pragma = *(after - 1);
  const std::uint32_t lines = source().line_of(begin) - source().line_of(pragma.end);
  if (lines > 2) return;
  loop.is_unrolled = pragma.factor != "1";
  loop.factor = pragma.factor;
}

// s >>= 1, s /= 2, s *= 2, s <<= 1, and nothing else in the loop that changes s.
void Walker::note_tree(Loop& loop, const Change& change, ExprId value) {
  if (change.count != 1 || !syntax().is(change.node, NodeKind::assignment)) return;
  const std::string_view op = text(syntax().child(change.node, Role::op)), by = text(syntax().child(change.node, Role::right));
  if ((op == ">>=" && by == "1") || (op == "/=" && by == "2")) loop.halved = value;
  if ((op == "<<=" && by == "1") || (op == "*=" && by == "2")) loop.doubled = value;
}

// A variable that changes in no simple way, with its value before the loop.
ExprId Walker::loop_value_of(ExprId before) {
  const ExprId guess = e_.fresh(Op::loop_value);
  if (e_.uses(before, Uses::varying | Uses::thread)) e_.mark(guess, Uses::varying);
  if (!e_.is_unknown(guess)) trace_.loop_values.push_back({guess, before, e_.opaque()});
  return guess;
}

// What the body made of the variables that change in no simple way.
void Walker::settle(const std::vector<Guess>& guesses) {
  for (const auto& [slot, guess, may_be_skipped] : guesses) {
    if (slot >= slots_.size() || e_.is_unknown(guess)) continue;
    const ExprId behind = slots_[slot].value.expr, made = may_be_skipped ? e_.select(left_, behind, guess) : behind;
    const auto known = std::ranges::lower_bound(trace_.loop_values, guess, {}, &LoopValue::id);
    if (known != trace_.loop_values.end() && known->id == guess) known->made = made;
    if (e_.uses(made, Uses::varying | Uses::thread)) e_.mark(guess, Uses::varying);
    if (e_.uses(made, Uses::opaque)) e_.mark(guess, Uses::opaque);
  }
}

void Walker::assign_all(const std::vector<std::pair<std::uint32_t, Value>>& values) {
  for (const auto& [slot, value] : values) {
    if (slot < slots_.size()) assign(slot, value);
  }
}

void Walker::walk_loop(std::uint32_t node, std::uint32_t test, std::uint32_t update, std::uint32_t body) {
  const std::uint32_t loop = begin_loop(node), outer_loop = std::exchange(loop_, loop);
  const ExprId outer_left = left_;
  const std::vector<Change> changes = changes_in(node);
  const std::uint32_t skips = first_continue(node);
  std::vector<Guess> guesses;
  std::vector<std::pair<std::uint32_t, Value>> after;
  std::vector<std::pair<ExprId, std::vector<std::uint32_t>>> inner_steps;  // how many were taken, and the loops that take them
  for (const Change& change : changes) {
    Value value = slots_[change.slot].value;
    if (forget_record(change.slot)) after.emplace_back(change.slot, slots_[change.slot].value);
    if (value.kind == Value::triple || value.kind == Value::group) continue;
    const bool may_be_skipped = change.last > skips && !(syntax().is(node, NodeKind::do_statement) && change.last > test);
    const std::optional<ExprId> step = may_be_skipped ? std::nullopt : step_of(change, node, changes);
    if (step) {
      const std::int64_t size = value.kind == Value::pointer ? std::max(value.bytes, 1u) : 1;
      const ExprId gone = e_.binary(Op::mul, trace_.loops[loop].iteration, e_.binary(Op::mul, *step, e_.constant(size)));
      value.expr = e_.binary(Op::add, value.expr, gone);
    } else if (const auto bits = value.kind == Value::number && !may_be_skipped ? shift_of(change, node) : std::nullopt) {
      const ExprId gone = e_.binary(Op::mul, trace_.loops[loop].iteration, e_.constant(std::abs(*bits)));
      value.expr = e_.binary(*bits > 0 ? Op::shl : Op::shr, value.expr, gone);
      trace_.loops[loop].shift = static_cast<std::int32_t>(*bits);
    } else if (const auto inner = may_be_skipped ? std::nullopt : step_of_inner(change, node, changes); inner) {
      // for (y...) { for (x...) *p++ = 0; }: as many steps in all threads, if the inner loops have as many iterations.
      const std::int64_t size = value.kind == Value::pointer ? std::max(value.bytes, 1u) : 1;
      const ExprId steps = e_.fresh(Op::loop_value);
      inner_steps.emplace_back(steps, loops_around(change.node, node));
      const ExprId gone = e_.binary(Op::mul, steps, e_.binary(Op::mul, *inner, e_.constant(size)));
      value.expr = e_.binary(Op::add, value.expr, gone);
    } else {
      guesses.push_back({change.slot, loop_value_of(value.expr), may_be_skipped});
      value.expr = guesses.back().value;
      note_tree(trace_.loops[loop], change, value.expr);
    }
    value.access = value.factor = none;
    assign(change.slot, value);
    // Behind the loop, each thread has taken the steps that its guard allowed.
    if (change.count == 1 && is_guarded_by_itself(change.node, node)) value.expr = e_.varying();
    after.emplace_back(change.slot, value);
  }
  const ExprId again = test == none ? e_.constant(1) : condition(test);
  trace_.loops[loop].condition = e_.constant_of(again).value_or(0) != 0 ? unless_left_at_once(body, again) : again;
  breakables_.push_back({true, context_});
  under(again, true, node, [&] {
    breakables_.back().context = context_;
    walk(body);
    if (update != none) eval(update);
  });
  breakables_.pop_back();
  trace_.loops[loop].last_access = static_cast<std::uint32_t>(trace_.accesses.size());
  trace_.loops[loop].last_order = static_cast<std::uint32_t>(trace_.orders.size());
  for (const auto& [steps, loops] : inner_steps) {
    if (!have_equal_counts(loops, loop)) e_.mark(steps, Uses::varying);
  }
  settle(guesses);
  assign_all(after);
  left_ = outer_left;
  loop_ = outer_loop;
}

// `while (true) { if (i >= n) break; ... }` runs as long as i < n.
ExprId Walker::unless_left_at_once(std::uint32_t body, ExprId again) {
  const std::uint32_t first = first_statement(syntax(), body);
  if (first == none || !syntax().is(first, NodeKind::if_statement) || syntax().child(first, Role::alternative) != none) return again;
  const std::uint32_t leaves = first_statement(syntax(), syntax().child(first, Role::consequence));
  if (leaves == none || !syntax().is(leaves, NodeKind::break_statement)) return again;
  const bool was_quiet = std::exchange(quiet_, true);
  const ExprId left = condition(syntax().child(first, Role::condition));
  quiet_ = was_quiet;
  return e_.unary(Op::logical_not, left);
}

void Walker::walk_for(std::uint32_t node) {
  const Scope scope(*this);
  const std::uint32_t first = syntax().child(node, Role::initializer);
  if (first != none) walk(first);
  walk_loop(node, syntax().child(node, Role::condition), syntax().child(node, Role::update), syntax().child(node, Role::body));
}

void Walker::walk_while(std::uint32_t node) {
  const Scope scope(*this);
  walk_loop(node, syntax().child(node, Role::condition), none, syntax().child(node, Role::body));
}

void Walker::walk_range_for(std::uint32_t node) {
  const Scope scope(*this);
  const std::uint32_t name = name_in(source(), syntax().child(node, Role::declarator));
  // The elements of an object come from methods that nothing is known of; they may ask for the number of the thread.
  if (eval(syntax().child(node, Role::right)).kind != Value::pointer) trace_.calls_unknown = true;
  if (name != none) put_slot(text(name), with(e_.opaque()));
  walk_loop(node, none, none, syntax().child(node, Role::body));
}

}  // namespace frx::derive::cuda
