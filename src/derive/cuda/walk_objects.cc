// Objects that a thread has to itself: variables of a class with an array among its members.
//
//   struct Context { unsigned char data[64]; int length; };
//   Context c; update(&c, bytes, n);       c->data[c->length++] = bytes[i]
//
// Each member that is named has a memory of its own, so that it is seen which arrays are indexed, and how their indices come about.
#include <algorithm>

#include "base/text.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
// A variable of that type, which has been given a value: what was read is copied with all of its members.
void Walker::make_object(Value& value, std::string_view type, std::uint32_t name) {
  if (value.kind != Value::number || value.object != none || value.config != none) return;
  const Struct* const record = program_.struct_named(type);
  if (!record || !record->holds_array) return;
  value.object = add_memory(Space::local, text(name), type, name);
  trace_.memories[value.object].is_object = true;
  trace_.memories[value.object].holds_data = e_.uses(value.expr, Uses::loaded | Uses::varying);
}

// Of a variable of the function that is followed: the members by which it is named, each once; nothing where it is also named as a whole.
std::optional<std::vector<std::string_view>> Walker::members_named_of(std::string_view variable) {
  const std::uint32_t function = frames_.back().function;
  const auto [at, is_new] = named_members_.try_emplace(function);
  if (is_new) {
    const std::uint32_t body = program_.functions()[function].body, last = syntax()[body].last;
    steps_ += (last - body) / nodes_of_a_step;
    for (std::uint32_t n = body; n < last; ++n) {
      if (!syntax().is(n, NodeKind::identifier) || syntax()[n].role == Role::declarator) continue;
      NamedParts& parts = at->second[text(n)];
      const std::uint32_t parent = syntax()[n].parent;
      const bool is_part = syntax().is(parent, NodeKind::field_expression) && syntax().child(parent, Role::argument) == n;
      const std::uint32_t around = syntax()[parent].parent;
      if (!is_part || (syntax().is(around, NodeKind::call) && syntax().child(around, Role::function) == parent)) {
        parts.has_whole = true;
        continue;
      }
      const bool is_assigned = syntax().is(around, NodeKind::assignment) && syntax().child(around, Role::left) == parent &&
                               text(syntax().child(around, Role::op)) == "=";
      const std::string_view member = text(syntax().child(parent, Role::field));
      if (!is_assigned && std::ranges::find(parts.members, member) == parts.members.end()) parts.members.push_back(member);
    }
  }
  const auto parts = at->second.find(variable);
  if (parts == at->second.end() || parts->second.has_whole) return std::nullopt;
  return parts->second.members;
}

// Particle p = particles[i]: what the variable is then. The compiler loads those members that are used, each by itself, unless the type has
// the alignment of wider accesses.
Value Walker::copied(Value place, std::uint32_t node, std::string_view variable) {
  constexpr std::size_t most_members = 16;
  if (!std::exchange(place.is_place, false)) return place;
  const Struct* const record = place.levels == 1 ? program_.struct_named(place.type) : nullptr;
  const bool is_of_parts = record && record->bytes != 0 && !record->holds_array && record->alignment < record->bytes;
  const bool is_global = trace_.memories[place.memory].space == Space::global;
  const auto members = is_of_parts && is_global && !quiet_ ? members_named_of(variable) : std::nullopt;
  const auto has_place = [&](std::string_view member) { return record->fields.contains(member); };
  if (!members || members->empty() || members->size() > most_members || !std::ranges::all_of(*members, has_place))
    return loaded(place, node);
  for (const std::string_view member : *members) note_access(address_of_member(place, member, node), node, Access::load);
  const bool was_quiet = std::exchange(quiet_, true);
  const Value value = loaded(place, node);
  quiet_ = was_quiet;
  return value;
}

// Made where it is named first; none where the class has no such member, or it is a reference or a bit of something else.
std::uint32_t Walker::memory_of_member(std::uint32_t object, std::string_view name, std::uint32_t node) {
  const Struct* const record = program_.struct_named(trace_.memories[object].type);
  const auto member = record ? record->types.find(name) : std::unordered_map<std::string_view, MemberType>::const_iterator();
  if (!record || member == record->types.end()) return none;
  const MemberType& type = member->second;
  const auto [at, is_new] = object_members_.try_emplace({object, member->first}, none);
  if (!is_new) return at->second;
  const std::uint32_t made = add_memory(trace_.memories[object].space, member->first, type.name, node);
  Memory& memory = trace_.memories[made];
  memory.holds_data = trace_.memories[object].holds_data;
  memory.is_read_only = trace_.memories[object].is_read_only;
  memory.is_unaliased = trace_.memories[object].is_unaliased;
  const std::uint32_t extents = type.levels - type.pointers;
  if (type.is_array) memory.dims.assign(std::max(extents, 1u), e_.fresh(Op::uniform));
  if (type.is_array && extents == 1 && type.elements > 0) memory.dims[0] = e_.constant(type.elements);
  if (type.pointers > 0) memory.bytes = 8;
  const Struct* const inner = type.levels == 0 ? program_.struct_named(type.name) : nullptr;
  memory.is_object = memory.space == Space::local && inner && !inner->types.empty();
  return at->second = made;
}

std::optional<Value> Walker::address_in_object(std::uint32_t object, std::string_view name, std::uint32_t node) {
  const std::uint32_t memory = memory_of_member(object, name, node);
  if (memory == none) return std::nullopt;
  const MemberType& type = *program_.struct_named(trace_.memories[object].type)->member(name);
  Value address = pointer_to(memory, type.is_array ? 1 + type.pointers : type.levels + 1);
  address.is_member_array = type.is_array;
  return address;
}

// An array of numbers or records in the one record that a pointer leads to is apart from the others: soa->x[i] *= soa->y[i].
std::optional<Value> Walker::array_in_record(const Value& record, std::string_view name, std::uint32_t node) {
  if (record.memory == none || record.is_vague || e_.constant_of(record.expr) != 0) return std::nullopt;
  const Memory& memory = trace_.memories[record.memory];
  const Struct* const known = memory.space == Space::global && memory.type == record.type ? program_.struct_named(record.type) : nullptr;
  const MemberType* const member = known ? known->member(name) : nullptr;
  const bool is_array = member && member->is_array && member->levels == 1;
  return is_array ? address_in_object(record.memory, name, node) : std::nullopt;
}

// object.member: an array is its address, an object is one of its own. What was copied from memory is what it was there.
std::optional<Value> Walker::eval_in_object(const Value& object, std::string_view name, std::uint32_t node) {
  if (object.object == none) return std::nullopt;
  const std::optional<Value> address = address_in_object(object.object, name, node);
  if (!address) return std::nullopt;
  if (address->is_member_array) return address;
  if (trace_.memories[address->memory].is_object) {
    Value inner = with(object.expr);
    inner.object = address->memory;
    return inner;
  }
  if (address->levels > 1 || e_.is_unknown(object.expr)) return loaded(*address, node);
  return std::nullopt;
}

// The memory that `a.b` names within an object of the thread's own, or a name alone in a method of one; none for anything else.
std::uint32_t Walker::object_in(std::uint32_t node) {
  const Value* const own = frames_.empty() || !frames_.back().object ? nullptr : &*frames_.back().object;
  if (syntax().is(node, NodeKind::identifier)) {
    if (slot_named(text(node)) || !own || own->object == none) return none;
    return memory_of_member(own->object, text(node), node);
  }
  if (!syntax().is(node, NodeKind::field_expression)) return none;
  const std::uint32_t argument = syntax().child(node, Role::argument);
  std::uint32_t object = none;
  if (syntax().is(argument, NodeKind::this_pointer)) {
    object = own ? own->object : none;
  } else if (syntax().is(argument, NodeKind::identifier)) {
    const auto slot = slot_named(text(argument));
    object = slot && slots_[*slot].value.kind == Value::number ? slots_[*slot].value.object : object_in(argument);
  } else if (syntax().is(argument, NodeKind::field_expression)) {
    object = object_in(argument);
  }
  if (object == none || !trace_.memories[object].is_object) return none;
  return memory_of_member(object, text(syntax().child(node, Role::field)), node);
}

bool Walker::store_in_object(std::uint32_t left, const Value& value) {
  const std::uint32_t memory = object_in(left);
  if (memory == none) return false;
  const std::uint32_t access = note_access(pointer_to(memory), left, Access::store);
  if (access != none) trace_.accesses[access].value = truth(value);
  return true;
}

// new float[n], in device code. `new (buffer) float[n]` allocates nothing.
Value Walker::eval_new(std::uint32_t node) {
  const std::string_view type = trim(text(node).substr(std::string_view("new ").size()));
  const std::size_t bracket = type.find('[');
  if (bracket == type.npos || type.starts_with('(')) return with(e_.opaque());
  return heap_array(node, trim(type.substr(0, bracket)));
}

// Each thread gets a block of its own, far from those of its neighbours.
Value Walker::heap_array(std::uint32_t node, std::string_view type) {
  if (quiet_) return with(e_.opaque());
  trace_.heap_allocations.push_back(ref(node));
  const std::uint32_t memory = add_memory(Space::global, "", type, node);
  trace_.memories[memory].is_heap = trace_.memories[memory].holds_pointers = true;
  Value array = pointer_to(memory);
  array.expr = e_.load(e_.leaf(Op::thread_x), memory);
  return array;
}

}  // namespace frx::derive::cuda
