// Variables that a call changes for its caller, and lambdas, which see the variables of the function around them.
//
//   __device__ void place_of(int i, int& row, int& col);        place_of(i, row, col);
//   auto at = [=](int i, int j) { return i + j * pitch; };      a[at(row, col)]
#include <utility>

#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

// By argument of a call: the slot of the variable that it is, if it is nothing else.
std::vector<std::uint32_t> Walker::variables_in(std::uint32_t call) const {
  std::vector<std::uint32_t> variables;
  const std::uint32_t list = call == none ? none : syntax().child(call, Role::arguments);
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    const auto slot = syntax().is(c, NodeKind::identifier) ? slot_named(text(c)) : std::nullopt;
    variables.push_back(slot && !is_in_memory(slots_[*slot].value) ? *slot : none);
  }
  return variables;
}

bool Walker::is_changeable_reference(const Source& source, std::uint32_t parameter) {
  const std::uint32_t declarator = source.syntax.child(parameter, Role::declarator);
  return source.syntax.is(declarator, NodeKind::reference_declarator) && !has_word(source, parameter, "const");
}

// f(particles[i]) with a parameter Particle&
bool Walker::takes_record_by_reference(std::uint32_t function, std::size_t position) const {
  const Function& callee = program_.functions()[function];
  if (position >= callee.parameters.size() || program_.sources().is_released(callee.at.source)) return false;
  const Source& there = program_.sources()[callee.at.source];
  const std::uint32_t parameter = callee.parameters[position];
  if (!there.syntax.is(there.syntax.child(parameter, Role::declarator), NodeKind::reference_declarator)) return false;
  return program_.struct_named(there.text_of(there.syntax.child(parameter, Role::type))) != nullptr;
}

// Declares the parameters; returns the variables of the caller that some of them refer to.
std::vector<Walker::Reference> Walker::declare_arguments(const std::vector<std::uint32_t>& parameters, const std::vector<Value>& arguments,
                                                         const std::vector<std::uint32_t>& variables) {
  std::vector<Reference> references;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto slot = static_cast<std::uint32_t>(slots_.size());
    declare_parameter(parameters[i], &arguments[i]);
    const bool refers = i < variables.size() && variables[i] != none && slots_.size() > slot;
    if (refers && is_changeable_reference(source(), parameters[i])) references.push_back({variables[i], slot});
  }
  return references;
}

// What the variables of the caller are after the call. Some threads may have left the function before they were changed.
std::vector<std::pair<std::uint32_t, Value>> Walker::results_of(const std::vector<Reference>& references, bool all_stay) {
  std::vector<std::pair<std::uint32_t, Value>> results;
  for (const auto& [variable, parameter] : references) {
    const Value &before = slots_[variable].value, &after = slots_[parameter].value;
    const bool is_same = before.kind == after.kind && before.expr == after.expr && before.y == after.y && before.z == after.z;
    if (!is_same) results.emplace_back(variable, all_stay ? after : with(e_.opaque()));
  }
  return results;
}

// T& as(U& u) { return reinterpret_cast<T&>(u); }
bool is_view(const Source& source, const Function& f) {
  if (!hands_back_reference(source, f)) return false;
  const std::string_view body = source.text_of(f.body);
  return body.find('=') == body.npos && body.find("++") == body.npos && body.find("--") == body.npos;
}

// f(a[i]) with a parameter T&: the function may write the element, or hand it back to be written.
void Walker::note_stores_by_reference(std::uint32_t call, const Function& callee, const std::vector<Value>& arguments) {
  if (call != none && is_view(program_.sources()[callee.at.source], callee)) {
    const std::uint32_t around = syntax()[call].parent;
    if (!syntax().is(around, NodeKind::assignment) || syntax()[call].role != Role::left) return;
  }
  const std::uint32_t list = call == none ? none : syntax().child(call, Role::arguments);
  std::size_t i = 0;
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    if (i == callee.parameters.size()) return;
    const bool is_element = (syntax().is(c, NodeKind::subscript) || syntax().is(c, NodeKind::identifier)) && is_memory(c);
    const bool was_followed = i < arguments.size() && arguments[i].is_place;  // its stores are known
    if (is_element && !was_followed && is_changeable_reference(program_.sources()[callee.at.source], callee.parameters[i]))
      note_access(address_of(c), c, Access::store);
    ++i;
  }
}

// What a pointer to a function leads to may take its arguments by reference.
void Walker::note_stores_of_elements(std::uint32_t call) {
  const std::uint32_t list = syntax().child(call, Role::arguments);
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::subscript) && is_memory(c)) note_access(address_of(c), c, Access::store);
  }
}

// f(&n): n may be anything afterwards.
void Walker::forget_pointed(std::uint32_t call) {
  const std::uint32_t list = syntax().child(call, Role::arguments);
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (!syntax().is(c, NodeKind::pointer_expression) || !text(c).starts_with('&')) continue;
    const std::uint32_t variable = syntax().child(c, Role::argument);
    const auto slot = syntax().is(variable, NodeKind::identifier) ? slot_named(text(variable)) : std::nullopt;
    if (slot) forget_record(*slot);
    if (!slot || slots_[*slot].value.kind != Value::number || slots_[*slot].value.config != none) continue;
    Value changed = with(e_.opaque());
    changed.object = slots_[*slot].value.object;
    assign(*slot, changed);
  }
}

std::optional<Value> Walker::eval_lambda(std::uint32_t slot, const std::vector<Value>& arguments, std::uint32_t call) {
  const std::uint32_t lambda = slots_[slot].value.lambda;
  if (lambda == none || quiet_ || is_deep()) return std::nullopt;
  const std::uint32_t declarator = syntax().child(lambda, Role::declarator);
  const std::uint32_t list = declarator == none ? none : syntax().child(declarator, Role::parameters);
  std::vector<std::uint32_t> parameters;
  for (std::uint32_t p = list == none ? none : syntax().first_child(list); p != none; p = syntax().next_sibling(p)) {
    if (syntax().is(p, NodeKind::parameter) || syntax().is(p, NodeKind::optional_parameter)) parameters.push_back(p);
  }
  if (parameters.size() != arguments.size()) return std::nullopt;
  slots_[slot].is_called = true;
  const std::vector<std::uint32_t> variables = variables_in(call);
  std::vector<std::pair<std::uint32_t, Value>> results;
  Value result;
  {
    const Scope scope(*this);
    auto outer_breakables = std::exchange(breakables_, std::pmr::vector<Breakable>(&scratch_));
    push_lambda_frame();
    const std::vector<Reference> references = declare_arguments(parameters, arguments, variables);
    walk(syntax().child(lambda, Role::body));
    results = results_of(references, stays_ == frames_.back().outer_stays);
    result = frames_.back().result.value_or(with(e_.opaque()));
    pop_lambda_frame();
    breakables_ = std::move(outer_breakables);
  }
  for (const auto& [variable, value] : results) assign(variable, value);
  return result;
}

// A lambda runs among the variables of the function that defines it; its `return` does not leave that function.
void Walker::push_lambda_frame() {
  const Frame& around = frames_.back();
  frames_.push_back({.function = around.function,
                     .first_slot = around.first_slot,
                     .context = context_,
                     .result = {},
                     .result_when = e_.constant(1),
                     .outer_returned = returned_,
                     .outer_stays = stays_,
                     .record = around.record});
}

void Walker::pop_lambda_frame() {
  returned_ = frames_.back().outer_returned;
  stays_ = frames_.back().outer_stays;
  frames_.pop_back();
}

// As if it ran here, with arguments that are unknown.
void Walker::walk_lambda(std::uint32_t lambda) {
  const std::uint32_t body = syntax().child(lambda, Role::body);
  if (body == none) return;
  const Scope scope(*this);
  const bool was_quiet = quiet_;
  push_lambda_frame();
  walk(body);
  pop_lambda_frame();
  quiet_ = was_quiet;
}

// Lambdas that something else calls, to which they were passed.
void Walker::follow_uncalled_lambdas(std::size_t first_slot) {
  for (std::size_t i = first_slot; i < slots_.size(); ++i) {
    if (slots_[i].value.lambda != none && !std::exchange(slots_[i].is_called, true)) walk_lambda(slots_[i].value.lambda);
  }
}

}  // namespace frx::derive::cuda
