// Objects that parameters are, or point to: their members, and member functions that are called on them.
//
//   struct View { float* p; int ld; __device__ float& operator()(int r, int c) const { return p[r * ld + c]; } };
//   __global__ void k(View a) { a(row, column) = 0; }
//   struct Lock { int state; __device__ void lock() { while (atomicCAS(&state, 0, 1)); } };
//   __global__ void k(Lock* l) { l->lock(); }
#include <algorithm>

#include <fmt/format.h>

#include "derive/cuda/size_names.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

// The class of an object that a parameter is, or points to; null for any other value.
const Struct* Walker::class_of(const Value& object) const {
  if (object.kind == Value::pointer) return object.levels == 1 && object.memory != none ? program_.struct_named(object.type) : nullptr;
  if (object.object != none) return program_.struct_named(trace_.memories[object.object].type);
  if (object.kind == Value::triple) return object.type.empty() ? nullptr : program_.struct_named(object.type);
  const bool is_object = object.kind == Value::number && !object.type.empty() && e_[object.expr].op == Op::uniform;
  return is_object ? program_.struct_named(object.type) : nullptr;
}

// A number of a parameter is as uniform as the parameter; a pointer leads to a memory of its own. Nothing for what is no such object, or
// has no such member.
std::optional<Value> Walker::member_of(const Value& object, std::string_view name, std::uint32_t node) {
  if (object.kind == Value::pointer) {
    const Struct* const pointed = class_of(object);
    if (!pointed || !pointed->member(name)) return std::nullopt;
    const Value address = address_of_member(object, name, node);
    return is_partial(address) || address.is_member_array ? address : loaded(address, node);
  }
  if (object.kind == Value::triple) {
    Value record = object;
    const ExprId* const part = part_of(record, name);
    return part ? std::optional(with(*part)) : std::nullopt;
  }
  if (object.object != none) {
    const Struct* const own = class_of(object);
    if (!own || !own->member(name)) return std::nullopt;
    if (const auto value = eval_in_object(object, name, node)) return value;
    return with(object.expr);  // what was copied from memory is what it was there
  }
  const Struct* const record = class_of(object);
  const auto member = record ? record->types.find(name) : std::unordered_map<std::string_view, MemberType>::const_iterator();
  if (!record || member == record->types.end()) return std::nullopt;
  const MemberType& type = member->second;
  if (type.levels > 0 && !type.is_array)
    return pointed_by(fmt::format("{}.{}", object.expr, name), Space::global, type.name, type.levels, node);
  // Pointers that the launch passes lie where its other arguments do, in constant memory.
  if (is_kernel_ && type.pointers > 0) {
    const Value array = pointed_by(fmt::format("{}.{}", object.expr, name), Space::constant, type.name, 1 + type.pointers, node);
    trace_.memories[array.memory].is_read_only = true;
    return array;
  }
  const auto [at, is_new] = members_.try_emplace({object.expr, member->first}, 0);
  if (is_new) {
    at->second = e_.fresh(Op::uniform);
    if (is_increment(name)) trace_.add_often_one(at->second);
    add_size(at->second, member->first);
  }
  Value value = with(at->second);
  if (!type.is_array) value.type = type.name;
  return value;
}

// A member of an object whose class is not given is a number that the launch passes, unless a template chooses the class: that may fix it.
void Walker::note_member_of_unknown(const Value& object, ExprId member) {
  if (object.type.empty() || template_types_.contains(object.type)) return;
  if (unknown_members_.insert(member).second) add_size(member, "");
}

// Does the function change members of that parameter? It is read once for all of them.
bool Walker::assigns_members_of(std::string_view parameter) {
  if (!changed_objects_) {
    changed_objects_.emplace();
    const std::uint32_t body = program_.functions()[frames_.back().function].body, last = syntax()[body].last;
    steps_ += (last - body) / nodes_of_a_step;
    for (std::uint32_t n = body; n < last; ++n) {
      const bool is_update = syntax().is(n, NodeKind::update);
      if (!is_update && !syntax().is(n, NodeKind::assignment)) continue;
      const std::uint32_t target = syntax().child(n, is_update ? Role::argument : Role::left);
      if (syntax().is(target, NodeKind::field_expression)) changed_objects_->insert(text(syntax().child(target, Role::argument)));
    }
  }
  return changed_objects_->contains(parameter);
}

// In a member function.
std::optional<Value> Walker::member_of_this(std::string_view name, std::uint32_t node) {
  if (frames_.empty() || !frames_.back().object) return std::nullopt;
  return member_of(*frames_.back().object, name, node);
}

// The object in memory that a member function works on and that has such a member, or null.
const Value* Walker::this_in_memory(std::string_view member) const {
  if (frames_.empty() || !frames_.back().object || frames_.back().object->kind != Value::pointer) return nullptr;
  const Struct* const record = class_of(*frames_.back().object);
  return record && record->member(member) ? &*frames_.back().object : nullptr;
}

// The member function of the object's class with that name and number of arguments, or none.
std::uint32_t Walker::method_called(const Value& object, std::string_view name, std::size_t arguments) {
  const Struct* const record = class_of(object);
  if (!record) return none;
  std::uint64_t overloads = 0;
  std::uint32_t found = none;
  for (std::uint32_t f = program_.first_device_function(name); f != none; f = program_.functions()[f].next) {
    if (++overloads % nodes_of_a_step == 0) ++steps_;
    const Function& method = program_.functions()[f];
    if (method.record.empty() || method.parameters.size() != arguments || program_.sources().is_released(method.at.source)) continue;
    if (program_.struct_named(method.record) != record) continue;
    // template <> int Row<32>::width(), and Row of another namespace: which one it is, is not known.
    if (found != none && (method.is_outside || program_.functions()[found].is_outside)) return none;
    if (found == none) found = f;
  }
  return found;
}

std::optional<Value> Walker::eval_member_function(const Value& object, std::string_view name, const std::vector<Value>& arguments,
                                                  std::uint32_t call) {
  const std::uint32_t function = method_called(object, name, arguments.size());
  if (function == none) return std::nullopt;
  if (!may_follow(function)) return std::nullopt;
  return follow(function, arguments, call, &object);
}

// Does a call of a function of one statement give a reference, so that its result can be stored to?
bool Walker::returns_reference(std::uint32_t call) {
  const std::uint32_t called = syntax().child(call, Role::function);
  const std::uint32_t name_node = called == none ? none : name_in(source(), called);
  if (name_node == none || syntax().child(call, Role::arguments) == none || quiet_) return false;
  const std::size_t arguments = count_of_arguments(syntax(), call);
  const bool is_method = syntax().is(called, NodeKind::field_expression);
  const std::uint32_t object = is_method ? syntax().child(called, Role::argument) : called;
  const auto slot = syntax().is(object, NodeKind::identifier) ? slot_named(text(object)) : std::nullopt;
  std::uint32_t function = none;
  if (slot && !is_method && arguments == 2 && is_image(slots_[*slot].value)) return true;
  if (slot) {
    function = method_called(slots_[*slot].value, is_method ? text(name_node) : "operator()", arguments);
  } else if (!is_method) {
    function = function_called(text(name_node), arguments);
  }
  if (function == none) return false;
  const Function& f = program_.functions()[function];
  return hands_back_reference(program_.sources()[f.at.source], f);
}

}  // namespace frx::derive::cuda
