// Statements: which are executed, and under what conditions.
#include <algorithm>
#include <span>

#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

void Walker::run(std::uint32_t function, const LaunchedWith& with) {
  const Function& f = program_.functions()[function];
  enter(f.at.source);
  is_kernel_ = f.is_kernel;
  returned_ = left_ = runs_ = stays_ = e_.constant(1);
  trace_.contexts.push_back({none, returned_, false, f.at});
  trace_.functions.push_back(function);
  frames_.push_back({.function = function,
                     .result_when = returned_,
                     .outer_returned = returned_,
                     .outer_stays = stays_,
                     .record = class_of_function(source(), f)});
  declare_template_parameters(function, &with);
  if (f.is_kernel) note_launch_bounds(f.at.node);
  const std::size_t before = slots_.size();
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    // Only a 1 is taken from the launches: it makes an increment disappear, while other sizes of one program prove little.
    const bool is_one = i < with.arguments.size() && with.arguments[i] == 1 && indirections(source(), f.parameters[i]) == 0;
    const Value one = number(1);
    declare_parameter(f.parameters[i], is_one ? &one : nullptr);
  }
  for (const Slot& slot : std::span(slots_).subspan(before)) {
    if (slot.value.kind == Value::number) add_size(slot.value.expr, name_of(slot.value.expr));
  }
  walk(f.body);
  if (e_.is_full()) trace_.is_complete = false;
  trace_.steps = steps_;
}

// Constants, also of the template where all launches agree on them.
void Walker::note_launch_bounds(std::uint32_t function) {
  const std::uint32_t bounds = syntax().child(function, NodeKind::launch_bounds);
  std::size_t i = 0;
  for (std::uint32_t c = bounds == none ? none : syntax().first_child(bounds); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    if (i == trace_.launch_bounds.size()) return;
    const Value bound = eval(c);
    if (i == 0 && bound.kind == Value::number) trace_.add_block_size(bound.expr);
    trace_.launch_bounds[i++] = constant_of(bound);
  }
}

void Walker::walk_children(std::uint32_t node) {
  for (std::uint32_t c = syntax().first_child(node); c != none; c = syntax().next_sibling(c)) walk(c);
}

void Walker::walk(std::uint32_t node) {
  if (node > last_node_ && frames_.size() == 1) return;
  const Deeper deeper(*this);
  if (node == none || !deeper) return;
  switch (syntax().kind(node)) {
    case NodeKind::compound_statement: {
      const Scope scope(*this);
      walk_children(node);
      return follow_uncalled_lambdas(scope.slots);
    }
    case NodeKind::declaration: return declare(node);
    case NodeKind::if_statement: return walk_if(node);
    case NodeKind::for_statement: return walk_for(node);
    case NodeKind::while_statement:
    case NodeKind::do_statement: return walk_while(node);
    case NodeKind::for_range_loop: return walk_range_for(node);
    case NodeKind::switch_statement: return walk_switch(node);
    case NodeKind::return_statement: return walk_return(node);
    case NodeKind::break_statement: return leave_loop(true);
    case NodeKind::continue_statement: return leave_loop(false);
    case NodeKind::expression_statement:
    case NodeKind::labeled_statement:
    case NodeKind::else_clause:
    case NodeKind::init_statement:
    case NodeKind::error:
    case NodeKind::template_declaration: return walk_children(node);
    case NodeKind::token:
    case NodeKind::alias_declaration:
    case NodeKind::type_definition:
    case NodeKind::struct_specifier:
    case NodeKind::function_definition: return;
    default: eval(node);
  }
}

ExprId Walker::truth(const Value& value) {
  if (value.kind == Value::number) return value.expr;
  const bool is_record = value.kind == Value::triple && !value.type.empty();
  return is_record ? mixture(e_.binary(Op::add, e_.binary(Op::add, value.expr, value.y), value.z))
                   : uniform_named("a pointer or an object");
}

// The condition of an if, a while or a switch.
ExprId Walker::condition(std::uint32_t clause) {
  if (clause == none) return e_.opaque();
  if (!syntax().is(clause, NodeKind::condition_clause)) return truth(eval(clause));
  Value last;
  for (std::uint32_t c = syntax().first_child(clause); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::declaration)) {
      walk(c);
      if (!slots_.empty()) last = slots_.back().value;
    } else if (syntax().is(c, NodeKind::init_statement)) {
      walk(c);
    } else {
      last = eval(c);
    }
  }
  return truth(last);
}

std::uint32_t Walker::push_context(ExprId holds, bool is_loop, std::uint32_t node) {
  trace_.contexts.push_back({context_, holds, is_loop, ref(node)});
  return static_cast<std::uint32_t>(trace_.contexts.size() - 1);
}

// All conditions between here and `context`.
ExprId Walker::reached_since(std::uint32_t context) const {
  ExprId all = e_.constant(1);
  for (std::uint32_t c = context_; c != context && c != none; c = trace_.contexts[c].parent) {
    if (!trace_.contexts[c].is_loop) all = e_.binary(Op::logical_and, trace_.contexts[c].condition, all);
  }
  return all;
}

// Returns the slots that changed since then with their current values, and restores the old ones.
std::vector<std::pair<std::uint32_t, Value>> Walker::changes_since(std::size_t mark) {
  std::vector<std::pair<std::uint32_t, Value>> now;
  for (std::size_t i = log_.size(); i-- > mark;) {
    const auto& [slot, before] = log_[i];
    if (slot >= slots_.size()) continue;
    now.emplace_back(slot, slots_[slot].value);
  }
  // The first entry of a slot in `now` is its newest value, because entries are restored from the last to the first.
  for (std::size_t i = log_.size(); i-- > mark;) {
    const auto& [slot, before] = log_[i];
    if (slot < slots_.size()) slots_[slot].value = before;
  }
  log_.resize(mark);
  std::ranges::stable_sort(now, {}, &std::pair<std::uint32_t, Value>::first);
  const auto same = std::ranges::unique(now, {}, &std::pair<std::uint32_t, Value>::first);
  now.erase(same.begin(), same.end());
  return now;
}

Value Walker::merged(ExprId holds, const Value& yes, const Value& no) {
  Value result = yes;
  if (yes.kind != no.kind || yes.memory != no.memory) {
    if (yes.kind == Value::triple || no.kind == Value::triple) return with(e_.opaque());
    if (yes.kind != Value::pointer || no.kind != Value::pointer) return result;
    result.expr = e_.opaque();
    // What is stored through it may go to the other one.
    for (const std::uint32_t memory : {yes.memory, no.memory}) {
      if (memory != none && trace_.memories[memory].space == Space::shared) trace_.memories[memory].is_passed = true;
    }
    return result;
  }
  result.expr = e_.select(holds, yes.expr, no.expr);
  if (yes.kind == Value::triple) {
    result.y = e_.select(holds, yes.y, no.y);
    result.z = e_.select(holds, yes.z, no.z);
  }
  // `i < n ? a[i] * b[i] : 0` still counts as that product.
  const bool is_one = yes.access == no.access && yes.factor == no.factor;
  const Value& other = e_.constant_of(no.expr) ? yes : no;
  const bool is_padded = e_.constant_of(no.expr) || e_.constant_of(yes.expr);
  result.access = is_one || is_padded ? other.access : none;
  result.factor = is_one || is_padded ? other.factor : none;
  result.is_sum = other.is_sum;
  return result;
}

void Walker::walk_if(std::uint32_t node) {
  const Scope scope(*this);
  const ExprId holds = condition(syntax().child(node, Role::condition));
  const std::uint32_t yes = syntax().child(node, Role::consequence), no = syntax().child(node, Role::alternative);
  // In host code every launch counts, whatever its condition.
  const auto known = e_.constant_of(holds);
  if (known && is_kernel_) return walk(*known != 0 ? yes : no);
  bool is_constexpr = false;
  for (std::uint32_t c = syntax().first_child(node); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token) && text(c) == "constexpr") is_constexpr = true;
  }
  const auto first_access = static_cast<std::uint32_t>(trace_.accesses.size());
  const std::size_t mark = log_.size();
  under(holds, false, node, [&] { walk(yes); });
  const auto changed = changes_since(mark);
  std::vector<std::pair<std::uint32_t, Value>> otherwise;
  if (no != none) {
    under(e_.unary(Op::logical_not, holds), false, node, [&] { walk(no); });
    otherwise = changes_since(mark);
  }
  for (const auto& [slot, value] : otherwise) assign(slot, merged(holds, slots_[slot].value, value));
  for (const auto& [slot, value] : changed) assign(slot, merged(holds, value, slots_[slot].value));
  note_refused_rest(holds, yes);
  if (is_constexpr || quiet_) return;
  const auto last_access = static_cast<std::uint32_t>(trace_.accesses.size());
  trace_.branches.push_back({ref(node), holds, yes, no, loop_, context_, first_access, last_access, syntax()[node].last});
}

// Each case is followed alone; a case that is reached by falling through gets only its own condition, which is close enough.
void Walker::walk_switch(std::uint32_t node) {
  const Scope scope(*this);
  const ExprId chosen = condition(syntax().child(node, Role::condition));
  const std::uint32_t body = syntax().child(node, Role::body);
  if (body == none) return;
  breakables_.push_back({false, context_});
  const auto first_access = static_cast<std::uint32_t>(trace_.accesses.size());
  for (std::uint32_t c = syntax().first_child(body); c != none; c = syntax().next_sibling(c)) {
    if (!syntax().is(c, NodeKind::case_statement)) {
      walk(c);
      continue;
    }
    const std::uint32_t value = syntax().child(c, Role::value);
    // Whether the default is taken is unknown, but uniform when the value of the switch is.
    const ExprId holds = value != none ? e_.binary(Op::eq, chosen, eval(value).expr) : e_.binary(Op::ne, chosen, e_.fresh(Op::uniform));
    const std::size_t mark = log_.size();
    under(holds, false, c, [&] {
      trace_.contexts[context_].is_case = !e_.uses(holds, Uses::thread | Uses::varying | Uses::opaque);
      for (std::uint32_t s = syntax().first_child(c); s != none; s = syntax().next_sibling(s)) {
        if (s != value) walk(s);
      }
    });
    for (const auto& [slot, after] : changes_since(mark)) assign(slot, merged(holds, after, slots_[slot].value));
  }
  breakables_.pop_back();
  // switch (threadIdx.x % 4): lanes with other values wait for each other.
  const auto last_access = static_cast<std::uint32_t>(trace_.accesses.size());
  const bool parts_lanes = e_.uses(chosen, Uses::thread) && !e_.uses(chosen, Uses::varying | Uses::opaque);
  if (parts_lanes && !quiet_)
    trace_.branches.push_back({ref(node), chosen, body, body, loop_, context_, first_access, last_access, syntax()[node].last});
}

std::string_view Walker::returned_type() const {
  const std::uint32_t type = syntax().child(program_.functions()[frames_.back().function].at.node, Role::type);
  return type == none ? std::string_view() : text(type);
}

void Walker::walk_return(std::uint32_t node) {
  const std::uint32_t expression = syntax().first_child(node);
  for (std::uint32_t c = expression; c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    const auto record = syntax().is(c, NodeKind::initializer_list) ? record_in_list(returned_type(), c) : std::nullopt;
    const Value value = record ? *record : frames_.back().gives_address && is_memory(c) ? address_of(c) : eval(c);
    if (quiet_) continue;
    Frame& here = frames_.back();  // eval may have moved it
    here.result = here.result ? merged(here.result_when, *here.result, value) : value;
    if (here.result_when == e_.constant(1)) here.result_when = reached_since(here.context);
  }
  if (quiet_) return;
  const ExprId gone = reached_since(frames_.back().context);
  const ExprId remains = e_.unary(Op::logical_not, gone);
  returned_ = e_.binary(Op::logical_and, returned_, remains);
  ExprId& of_kernel_or_function = frames_.size() == 1 ? runs_ : stays_;
  of_kernel_or_function = e_.binary(Op::logical_and, of_kernel_or_function, remains);
}

// `break` and `continue` end the current iteration.
void Walker::leave_loop(bool for_good) {
  if (quiet_ || breakables_.empty() || !breakables_.back().is_loop) return;
  const ExprId remains = e_.unary(Op::logical_not, reached_since(breakables_.back().context));
  left_ = e_.binary(Op::logical_and, left_, remains);
  if (!for_good || loop_ == none) return;
  ExprId& unbroken = trace_.loops[loop_].unbroken;
  unbroken = e_.binary(Op::logical_and, unbroken, remains);
}

}  // namespace frx::derive::cuda
