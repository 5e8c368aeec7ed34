// Memory: from subscripts, pointers and fields to a place in an array.
#include <utility>

#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
namespace {

// The components .x to .w of vector types such as float4.
std::optional<std::uint32_t> part_named(std::string_view name) {
  if (name == "x") return 0;
  if (name == "y") return 1;
  if (name == "z") return 2;
  if (name == "w") return 3;
  return std::nullopt;
}

}  // namespace

// Does an expression name a place in memory, not a variable of its own?
bool Walker::is_memory(std::uint32_t node) {
  for (std::uint32_t depth = 0; depth < 64 && node != none; ++depth) {
    switch (syntax().kind(node)) {
      case NodeKind::subscript: return true;
      case NodeKind::pointer_expression: return text(node).starts_with('*');
      case NodeKind::parenthesized: node = syntax().first_child(node); break;
      case NodeKind::field_expression: {
        const bool is_of_this = syntax().is(syntax().child(node, Role::argument), NodeKind::this_pointer);
        if (is_of_this && !frames_.empty() && frames_.back().object)
          return this_in_memory(text(syntax().child(node, Role::field))) != nullptr;
        if (text(syntax().child(node, Role::op)) == "->") return true;
        node = syntax().child(node, Role::argument);
        break;
      }
      case NodeKind::identifier: {
        const auto slot = slot_named(text(node));
        if (slot) return is_in_memory(slots_[*slot].value);
        if (this_in_memory(text(node))) return true;
        const Global* global = program_.global(text(node), source_);
        return global && (global->is_device || global->is_shared || global->is_constant_memory);
      }
      case NodeKind::call: return returns_reference(node);
      default: return false;
    }
  }
  return false;
}

// A reference, or a number of the block or the device: its name alone is the value that lies there.
bool Walker::is_in_memory(const Value& variable) const {
  return variable.kind == Value::pointer && variable.memory != none && variable.is_place;
}

// What a reference to that expression stands for: a place in memory where it is a known one, else its value. Evaluates it once.
Value Walker::eval_as_place(std::uint32_t node) {
  if (!is_memory(node)) return eval(node);
  Value address = address_of(node);
  if (is_partial(address) || address.is_member_array) return address;
  if (address.kind != Value::pointer || address.memory == none) return with(e_.opaque());
  address.is_place = true;
  return address;
}

Value Walker::address_of(std::uint32_t node) {
  const Deeper deeper(*this);
  if (node == none || !deeper) return {};
  switch (syntax().kind(node)) {
    case NodeKind::subscript: return address_of_subscript(node);
    case NodeKind::field_expression: return address_of_field(node);
    case NodeKind::parenthesized: return address_of(syntax().first_child(node));
    case NodeKind::pointer_expression: {
      const std::uint32_t argument = syntax().child(node, Role::argument);
      return pointer_from(eval(argument), argument);
    }
    case NodeKind::identifier: {
      if (const auto slot = slot_named(text(node))) {
        Value address = slots_[*slot].value;
        address.is_place = false;
        return address;
      }
      if (const Value* const own = this_in_memory(text(node))) return address_of_member(*own, text(node), node);
      const Global* global = program_.global(text(node), source_);
      return global && (global->is_device || global->is_shared || global->is_constant_memory) ? global_memory(*global) : eval(node);
    }
    case NodeKind::call: {
      if (!returns_reference(node)) return pointer_from(eval(node), node);
      addressed_ = ref(node);
      const Value address = eval(node);
      addressed_ = {};  // where the function was not followed
      return address;
    }
    default: return pointer_from(eval(node), node);
  }
}

// Does `a.b->c` begin with a known variable?
bool Walker::is_rooted(std::uint32_t node) const {
  for (std::uint32_t depth = 0; depth < 64 && node != none; ++depth) {
    if (syntax().is(node, NodeKind::identifier)) return slot_named(text(node)).has_value();
    const bool is_part = syntax().is(node, NodeKind::field_expression) || syntax().is(node, NodeKind::subscript);
    node = is_part ? syntax().child(node, Role::argument) : none;
  }
  return false;
}

// A pointer without a declaration here (a member, the result of a call) points into a memory of its own. An object with an operator[]
// may be anything: an iterator, a view, a small array among the parameters.
Value Walker::pointer_from(const Value& value, std::uint32_t node) {
  if (value.kind == Value::pointer) return value;
  if (value.kind != Value::number || e_.is_unknown(value.expr)) return {};
  if (e_.uses(value.expr, Uses::thread | Uses::varying | Uses::opaque)) return {};
  const bool is_member = is_rooted(node) && !syntax().is(node, NodeKind::identifier);
  return pointed_by(std::string(text(node)), is_member ? Space::global : Space::unknown, "", 1, node);
}

Value Walker::offset_by(Value pointer, ExprId index) {
  std::int64_t bytes = std::max(pointer.bytes, 1u);
  pointer.access = pointer.factor = none;
  if (pointer.rows[0] != 0) bytes *= pointer.rows[0];
  ExprId stride = e_.constant(bytes);
  if (pointer.memory != none) {
    const std::vector<ExprId>& dims = trace_.memories[pointer.memory].dims;
    for (std::size_t d = pointer.subscripts + 1; d < dims.size(); ++d) stride = e_.binary(Op::mul, stride, dims[d]);
  }
  pointer.expr = e_.binary(Op::add, pointer.expr, e_.binary(Op::mul, index, stride));
  return pointer;
}

Value Walker::address_of_subscript(std::uint32_t node) {
  const std::uint32_t argument = syntax().child(node, Role::argument);
  Value base = is_memory(argument) ? address_of(argument) : eval(argument);
  // An element of a pointer to pointers is a pointer in memory; a member of a shared object is an array.
  const bool is_member =
      syntax().is(argument, NodeKind::field_expression) && base.memory != none && trace_.memories[base.memory].space == Space::shared;
  const bool is_array = std::exchange(base.is_member_array, false);
  // So is an array at namespace scope, by its name.
  const bool is_whole = base.memory != none && base.subscripts < trace_.memories[base.memory].dims.size();
  if (!is_member && !is_array && !is_whole && base.kind == Value::pointer && base.memory != none && is_memory(argument))
    base = loaded(base, argument);
  if (is_image(base)) base = elements_of(base);  // as the pointer that it converts to
  const std::uint32_t list = syntax().child(node, Role::indices);
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    const Value index = eval(c);
    // A wrapper with an operator[] of its own has an unknown layout.
    if (base.kind == Value::number && !e_.is_unknown(base.expr)) base = pointer_from(base, argument);
    if (base.kind != Value::pointer) return {};
    const bool has_rows = base.rows[0] != 0;
    base = offset_by(base, truth(index));
    base.rows = {base.rows[1], base.rows[2], 0};
    base.is_member_array = has_rows;
    if (base.memory != none && base.subscripts < trace_.memories[base.memory].dims.size()) ++base.subscripts;
  }
  return base;
}

// Rows of an array are still addresses.
bool Walker::is_partial(const Value& address) const {
  return address.kind == Value::pointer && address.memory != none && address.subscripts > 0 &&
         address.subscripts < trace_.memories[address.memory].dims.size();
}

Value Walker::address_of_field(std::uint32_t node) {
  const std::uint32_t object = syntax().child(node, Role::argument);
  const std::string_view name = text(syntax().child(node, Role::field));
  if (const Value* const own = syntax().is(object, NodeKind::this_pointer) ? this_in_memory(name) : nullptr)
    return address_of_member(*own, name, node);
  const bool is_arrow = text(syntax().child(node, Role::op)) == "->";
  const Value address = is_arrow ? pointer_from(eval(object), object) : address_of(object);
  return address.kind == Value::pointer ? address_of_member(address, name, node) : Value{};
}

// Where the extents are not known, an element of the array is at any place.
void Walker::set_rows(const MemberType& member, Value& address) {
  address.rows = member.rows;
  const bool has_rows = member.is_array && member.levels > member.pointers + 1;
  if (!has_rows || member.rows[0] != 0) return;
  for (std::uint32_t extent = 1; extent < member.levels - member.pointers && extent <= address.rows.size(); ++extent)
    address.rows[extent - 1] = 1;
  address.expr = e_.opaque();
  address.is_vague = true;
}

// Of a member of the record at an address.
Value Walker::address_of_member(Value address, std::string_view name, std::uint32_t node) {
  if (address.memory != none && trace_.memories[address.memory].is_object) {
    if (const auto member = address_in_object(address.memory, name, node)) return *member;
  }
  if (const auto array = array_in_record(address, name, node)) return *array;
  std::uint32_t offset = 0, bytes = 0, levels = 1;
  std::string_view type;
  bool is_known = false;
  const Struct* const found = program_.struct_named(address.type);
  if (found) {
    if (const MemberType* member = found->member(name)) {
      type = member->name;
      levels += member->is_array ? member->pointers : member->levels;
    }
    if (const auto field = found->fields.find(name); field != found->fields.end()) {
      is_known = true;
      offset = field->second.offset;
      bytes = field->second.bytes;
      address.is_member_array = field->second.is_array;
      if (const MemberType* const member = found->member(name)) set_rows(*member, address);
    }
  } else if (const TypeInfo vector = program_.type(address.type); vector.parts > 1 && part_named(name)) {
    is_known = true;
    bytes = vector.bytes / vector.parts;
    offset = bytes * *part_named(name);
  }
  // Where a record of unknown size begins is known of the first one alone.
  if (is_known && address.is_guess) is_known = e_.constant_of(address.expr).has_value();
  if (is_known) address.is_guess = false;
  if (!is_known && (!found || found->bytes == 0) && e_.uses(address.expr, Uses::thread)) {
    // Elements of unknown size: how many of them lie between two lanes is known all the same.
    const bool is_global = address.memory != none && trace_.memories[address.memory].space == Space::global;
    if (!is_global || !address.is_guess) address.expr = e_.opaque();
  }
  address.expr = e_.binary(Op::add, address.expr, e_.constant(offset));
  address.is_vague = address.is_vague || !is_known;
  address.bytes = bytes != 0 ? bytes : 4;
  address.type = type;
  address.levels = levels;
  return address;
}

// The memory behind a pointer, one for each key.
Value Walker::pointed_by(const std::string& key, Space space, std::string_view type, std::uint32_t levels, std::uint32_t node) {
  const auto [at, is_new] = pointed_.try_emplace(key, 0);
  if (is_new) at->second = add_memory(space, text(node), type, node);
  return pointer_to(at->second, levels);
}

Value Walker::eval_field(std::uint32_t node) {
  const std::uint32_t object = syntax().child(node, Role::argument);
  const std::string_view name = text(syntax().child(node, Role::field));
  if (syntax().is(object, NodeKind::this_pointer)) {
    if (const auto member = member_of_this(name, node)) return *member;
  }
  if (const auto member = member_of_image(object, name)) return *member;
  if (is_memory(node)) {
    const Value address = address_of_field(node);
    return is_partial(address) || address.is_member_array ? address : loaded(address, node);
  }
  const Value value = eval(object);
  if (const auto member = eval_in_object(value, name, node)) return *member;
  if (value.kind == Value::triple) {
    Value record = value;
    const ExprId* const part = part_of(record, name);
    return with(part ? *part : e_.opaque());
  }
  if (value.kind == Value::pointer) return with(e_.opaque());
  // A member of a parameter is as uniform as the parameter.
  if (const auto member = member_of(value, name, node)) return *member;
  if (e_[value.expr].op == Op::uniform) {
    if (value.is_vague) return with(e_.opaque());
    const Value member = with(uniform_named(text(node)));
    note_member_of_unknown(value, member.expr);
    return member;
  }
  Value part = value;
  part.factor = none;
  return part;
}

Value Walker::eval_pointer(std::uint32_t node) {
  const std::uint32_t argument = syntax().child(node, Role::argument);
  if (text(node).starts_with('&')) {
    if (is_memory(argument)) return address_of(argument);
    const Value object = eval(argument);
    if (object.object != none) return pointer_to(object.object);
    Value pointer = with(e_.opaque());
    pointer.config = object.config;
    return pointer;
  }
  const Value address = address_of(node);
  return is_partial(address) ? address : loaded(address, node);
}

std::uint32_t Walker::note_access(const Value& address, std::uint32_t node, Access::Kind kind) {
  if (quiet_ || address.kind != Value::pointer || address.memory == none) return none;
  Access access;
  access.at = stands_at_.node == none ? ref(node) : stands_at_;
  access.memory = address.memory;
  access.address = address.expr;
  access.bytes = address.bytes;
  access.is_guess = address.is_guess;
  access.is_recast = address.is_recast;
  access.element = trace_.memories[address.memory].bytes;
  const Struct* const record = address.levels == 1 ? program_.struct_named(address.type) : nullptr;
  if (record && record->bytes == address.bytes) access.piece = record->alignment;
  access.kind = kind;
  access.is_vague = address.is_vague;
  access.context = context_;
  access.loop = loop_;
  access.alive = e_.binary(Op::logical_and, returned_, left_);
  trace_.accesses.push_back(access);
  return static_cast<std::uint32_t>(trace_.accesses.size() - 1);
}

Value Walker::loaded(const Value& address, std::uint32_t node) {
  if (address.kind != Value::pointer || address.memory == none) return with(e_.opaque());
  Value value;
  value.access = note_access(address, node, Access::load);
  const Space space = trace_.memories[address.memory].space;
  if (address.levels > 1) {
    const std::uint32_t access = value.access;
    // `args->x`, asked for again, leads to the same memory.
    if (space == Space::global && syntax().is(node, NodeKind::field_expression) &&
        !e_.uses(address.expr, Uses::thread | Uses::varying | Uses::opaque | Uses::iteration | Uses::loaded)) {
      value = pointed_by(std::string(text(node)), Space::global, address.type, address.levels - 1, node);
      value.access = access;
      return value;
    }
    // Pointers in arrays of the block or of the thread's own may lead anywhere.
    const std::uint32_t memory =
        add_memory(space == Space::shared || space == Space::local ? Space::unknown : Space::global, text(node), address.type, node);
    value = pointer_to(memory, address.levels - 1);
    value.access = access;
    if (e_.uses(address.expr, Uses::thread | Uses::varying | Uses::opaque)) {
      const bool is_row = space == Space::global && !e_.uses(address.expr, Uses::varying | Uses::opaque | Uses::loaded);
      value.expr = is_row ? e_.load(address.expr, address.memory) : e_.opaque();  // a row of the thread's own
      if (is_row) trace_.memories[address.memory].holds_pointers = true;
    }
    return value;
  }
  // One number for all threads that nothing changes, such as args->n, is like a parameter.
  if (const auto at = e_.constant_of(address.expr); at && trace_.memories[address.memory].is_read_only && *at >= 0 && *at < 1 << 20) {
    constexpr std::int64_t first = std::int64_t{1} << 40;
    value.expr = e_.leaf(Op::uniform, first + (std::int64_t{address.memory} << 20) + *at);
    e_.mark_size(value.expr);
    return value;
  }
  // Accesses to memory that is private to a thread are not recorded.
  const bool is_of_unknown_element = address.is_vague && address.is_guess && e_.uses(address.expr, Uses::thread);
  if (is_of_unknown_element) value.access = none;
  if (space == Space::local) {
    // An element that differs between threads, of a table that each of them has.
    value.expr = e_.uses(address.expr, Uses::varying) ? e_.varying() : e_.private_value(address.memory);
  } else {
    value.expr = is_of_unknown_element ? e_.opaque() : e_.load(address.expr, address.memory);
    if (value.expr == e_.opaque() && (space == Space::global || space == Space::shared)) value.expr = e_.data_value();
  }
  return value;
}

}  // namespace frx::derive::cuda
