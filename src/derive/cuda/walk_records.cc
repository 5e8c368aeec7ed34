// Records of two or three whole numbers that a thread has to itself: int2, uint3, struct Position { int row, column; }.
//
//   int2 p = make_int2(blockIdx.x * 16 + threadIdx.x, y);      a[p.y * pitch + p.x]
//   Position p = position_of(threadIdx.x);                     a[p.row * pitch + p.column]
#include <algorithm>
#include <cctype>
#include <vector>

#include "derive/cuda/types.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
namespace {

// .column = 3
bool is_designated(std::string_view value) {
  return value.size() > 1 && value.front() == '.' && std::isdigit(static_cast<unsigned char>(value[1])) == 0;
}

bool is_whole_number(std::string_view type) {
  const ValueType known = arithmetic_type_named(type);
  return !known.is_vector && (known.type == Arithmetic::int32 || known.type == Arithmetic::int64);
}

}  // namespace

// The members in order; all are empty for any other type.
const Walker::RecordParts& Walker::parts_of(std::string_view type) {
  const auto [at, is_new] = record_parts_.try_emplace(type);
  RecordParts& parts = at->second;
  if (!is_new || !is_kernel_) return parts;
  if (const Struct* const record = program_.struct_named(type)) {
    if (!record->is_aggregate || record->types.size() > parts.size() || record->fields.size() != record->types.size() || record->bytes == 0)
      return parts;
    std::vector<std::pair<std::uint32_t, std::string_view>> members;
    for (const auto& [name, member] : record->types) {
      if (member.levels > 0 || member.is_array || !is_whole_number(member.name)) return parts;
      members.emplace_back(record->fields.at(name).offset, name);
    }
    std::ranges::sort(members);
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (members[i].first == members[i - 1].first) return parts;  // of a union
    }
    for (std::size_t i = 0; i < members.size(); ++i) parts[i] = members[i].second;
    return parts;
  }
  const TypeInfo vector = program_.type(type);
  const ValueType known = arithmetic_type_named(type);
  const bool is_of_numbers = known.is_vector && (known.type == Arithmetic::int32 || known.type == Arithmetic::int64);
  if (vector.parts < 2 || vector.parts > parts.size() || !is_of_numbers) return parts;
  constexpr RecordParts names{"x", "y", "z"};
  std::copy_n(names.begin(), vector.parts, parts.begin());
  return parts;
}

// A record of that type with these values, or with none that is known; nothing for a type that is no such record, or another number of
// them.
std::optional<Value> Walker::record_of(std::string_view type, const std::vector<Value>& values) {
  const RecordParts& parts = parts_of(type);
  const auto count = static_cast<std::size_t>(std::ranges::count_if(parts, [](std::string_view name) { return !name.empty(); }));
  if (count == 0 || values.size() > count) return std::nullopt;
  Value record{.kind = Value::triple, .type = type};
  for (ExprId* const part : {&record.expr, &record.y, &record.z}) *part = values.empty() ? e_.opaque() : e_.constant(0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind != Value::number) return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
    *(i == 0 ? &record.expr : i == 1 ? &record.y : &record.z) = values[i].expr;
  }
  return record;
}

// { row, column }
std::optional<Value> Walker::record_in_list(std::string_view type, std::uint32_t list) {
  if (!is_kernel_ || parts_of(type)[0].empty()) return std::nullopt;
  std::vector<Value> values;
  for (std::uint32_t c = syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    if (is_designated(text(c))) return with(e_.opaque());
    values.push_back(eval(c));
  }
  if (values.empty()) values.push_back(number(0));
  const auto record = record_of(type, values);
  return record ? *record : with(e_.opaque());
}

// Which of its numbers a member of a record, a dim3 or a built-in variable is; null where it has no such member.
ExprId* Walker::part_of(Value& record, std::string_view name) {
  constexpr RecordParts of_dim3{"x", "y", "z"};
  const RecordParts& parts = record.type.empty() ? of_dim3 : parts_of(record.type);
  const auto at = std::ranges::find(parts, name);
  if (at == parts.end() || name.empty()) return nullptr;
  return at == parts.begin() ? &record.expr : at == parts.begin() + 1 ? &record.y : &record.z;
}

// May something else change the variable than code that is followed: an alias of it or of a member, assembly, a function that takes a
// member by reference?
//
//   int2& q = p;  int* x = &p.x;  set(p.x);  std::swap(p, q);  asm("..." : "=r"(p.x));  reinterpret_cast<long long&>(p) = 0;
bool Walker::may_change_unseen(std::string_view variable) {
  const std::uint32_t function = frames_.back().function;
  const auto [at, is_new] = unseen_changes_.try_emplace(function);
  if (is_new) {
    const std::uint32_t body = program_.functions()[function].body, last = syntax()[body].last;
    steps_ += (last - body) / nodes_of_a_step;
    for (std::uint32_t n = body; n < last; ++n) {
      if (syntax().is(n, NodeKind::identifier) && is_given_away(n)) at->second.insert(text(n));
    }
  }
  return at->second.contains(variable);
}

// The use of a variable at one place.
bool Walker::is_given_away(std::uint32_t name) {
  std::uint32_t use = name;
  const bool is_part = syntax().is(syntax()[use].parent, NodeKind::field_expression) && syntax()[use].role == Role::argument;
  if (is_part) use = syntax()[use].parent;
  std::uint32_t around = syntax()[use].parent;
  while (around != none && syntax().is(around, NodeKind::parenthesized)) {
    use = around;
    around = syntax()[use].parent;
  }
  if (around == none) return false;
  switch (syntax().kind(around)) {
    case NodeKind::pointer_expression: return text(around).starts_with('&');
    case NodeKind::subscript: return syntax()[use].role == Role::argument;
    case NodeKind::init_declarator: return syntax().is(syntax().child(around, Role::declarator), NodeKind::reference_declarator);
    case NodeKind::argument_list: return takes_reference(around, use, is_part);
    case NodeKind::assembly: return true;
    default: break;
  }
  for (int depth = 0; depth < 4 && around != none; ++depth, around = syntax()[around].parent) {
    if (syntax().is(around, NodeKind::assembly)) return true;
  }
  return false;
}

// Does a function take that argument by reference, in a way that is not followed? Of a whole variable a reference is followed.
bool Walker::takes_reference(std::uint32_t list, std::uint32_t argument, bool is_part) {
  const std::uint32_t call = syntax()[list].parent;
  const std::uint32_t called = syntax().is(call, NodeKind::call) ? syntax().child(call, Role::function) : none;
  const std::uint32_t name_node = called == none ? none : name_in(source(), called);
  if (name_node == none) return false;
  const std::string_view name = text(name_node);
  if (name.ends_with("_cast") || name.find("swap") != name.npos || name == "exchange" || name == "tie") return true;
  if (!is_part) return false;
  std::size_t position = 0;
  for (std::uint32_t c = syntax().first_child(list); c != none && c != argument; c = syntax().next_sibling(c))
    position += !syntax().is(c, NodeKind::token);
  for (std::uint32_t f = program_.first_device_function(name); f != none; f = program_.functions()[f].next) {
    const Function& callee = program_.functions()[f];
    if (program_.sources().is_released(callee.at.source)) continue;
    ++steps_;
    if (position < callee.parameters.size() && is_changeable_reference(program_.sources()[callee.at.source], callee.parameters[position]))
      return true;
  }
  return false;
}

// A record that something changes in a way that is not followed; false for any other variable.
bool Walker::forget_record(std::uint32_t slot) {
  Value changed = slots_[slot].value;
  if (changed.kind != Value::triple || changed.type.empty()) return false;
  changed.expr = changed.y = changed.z = e_.opaque();
  assign(slot, changed);
  return true;
}

// p.advance(): a member function that is not const may change any member.
void Walker::forget_changed_by(std::uint32_t object, std::uint32_t method) {
  const auto slot = syntax().is(object, NodeKind::identifier) ? slot_named(text(object)) : std::nullopt;
  if (!slot || slots_[*slot].value.kind != Value::triple) return;
  if (method != none) {
    const Function& function = program_.functions()[method];
    const Source& there = program_.sources()[function.at.source];
    const std::uint32_t list = there.syntax.child(function.declarator, Role::parameters);
    const std::string behind = list == none ? std::string() : there.written(there.syntax[list].end, there.syntax[function.body].begin);
    if (behind.find("const") != std::string::npos) return;
  }
  forget_record(*slot);
}

}  // namespace frx::derive::cuda
