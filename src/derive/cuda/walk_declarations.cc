// Declarations: names, their values, and the memory behind arrays and pointers.
#include "base/text.h"
#include "derive/cuda/size_names.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

void Walker::put_slot(std::string_view name, const Value& value) {
  by_name_[name].push_back(static_cast<std::uint32_t>(slots_.size()));
  slots_.push_back({name, kept(value)});
}

// On the host, a number of which nothing is known is one all the same: (n + 255) / 256 blocks cover n elements.
Value Walker::kept(Value value) {
  const bool is_any = !is_kernel_ && value.kind == Value::number && value.expr == e_.opaque() && value.object == none;
  if (is_any) value.expr = e_.fresh(Op::uniform);
  return value;
}

void Walker::drop_slots(std::size_t to) {
  while (slots_.size() > to) {
    by_name_[slots_.back().name].pop_back();
    slots_.pop_back();
  }
}

std::optional<std::uint32_t> Walker::slot_named(std::string_view name) const {
  const auto at = by_name_.find(name);
  if (at == by_name_.end() || at->second.empty()) return std::nullopt;
  const std::uint32_t slot = at->second.back();
  if (!frames_.empty() && slot < frames_.back().first_slot) return std::nullopt;
  return slot;
}

void Walker::assign(std::uint32_t slot, const Value& value) {
  if (quiet_) return;
  log_.emplace_back(slot, slots_[slot].value);
  slots_[slot].value = kept(value);
}

// What stands before the type may be long, and one declaration may be of many names.
std::string_view Walker::type_text(std::uint32_t declaration) {
  const std::pair at(&source(), declaration);
  if (typed_ != at) {
    typed_ = at;
    type_ = syntax().child(declaration, Role::type);
    if (type_ != none) steps_ += (type_ - declaration) / nodes_of_a_step;
  }
  return text(type_);
}

std::uint32_t Walker::add_memory(Space space, std::string_view name, std::string_view type, std::uint32_t node) {
  Memory memory;
  memory.space = space;
  memory.name = name;
  memory.type = type;
  memory.is_of_numbers = sounds_like_number(type);
  memory.bytes = program_.type(type).bytes;
  memory.at = ref(node);
  trace_.memories.push_back(std::move(memory));
  return static_cast<std::uint32_t>(trace_.memories.size() - 1);
}

namespace {

// The size of a type that is not known, such as a parameter of a template: it usually is float, or with a number behind it a vector of
// as many: real4.
std::uint32_t guessed_bytes(std::string_view type) {
  constexpr std::uint32_t of_float = 4, most_parts = 4;
  const char last = type.empty() ? ' ' : type.back();
  return last >= '2' && last <= '0' + static_cast<char>(most_parts) ? of_float * static_cast<std::uint32_t>(last - '0') : of_float;
}

}  // namespace

Value Walker::pointer_to(std::uint32_t memory, std::uint32_t levels) {
  Value value;
  value.kind = Value::pointer;
  value.expr = e_.constant(0);
  value.memory = memory;
  value.levels = levels;
  value.type = trace_.memories[memory].type;
  value.bytes = levels > 1 ? 8 : trace_.memories[memory].bytes != 0 ? trace_.memories[memory].bytes : guessed_bytes(value.type);
  value.is_guess = levels == 1 && trace_.memories[memory].bytes == 0;
  return value;
}

// Is it an array of arrays, or a row of one of these?
bool Walker::has_rows(const Value& value) const {
  return value.kind == Value::pointer && value.memory != none && value.subscripts + 1 < trace_.memories[value.memory].dims.size();
}

Value Walker::retyped(Value value, std::string_view type, std::uint32_t levels) {
  if (levels > 1 && has_rows(value)) return value;  // float (*rows)[17]
  const std::uint32_t bytes = program_.type(type).bytes;
  // *(uint4*)(p + 16 * i): where an element of p begins depends on a size that is not known.
  const bool was_guess = value.kind == Value::pointer && value.is_guess && bytes != 0 && levels == 1;
  if (was_guess && !e_.constant_of(value.expr)) value.expr = e_.opaque();
  value.is_guess = levels == 1 && bytes == 0;
  value.is_recast = value.is_guess && value.kind == Value::pointer && value.type != type;
  value.kind = Value::pointer;
  value.type = type;
  value.rows = {};
  value.levels = levels;
  value.bytes = levels > 1 ? 8 : bytes != 0 ? bytes : guessed_bytes(type);
  // (float*)tile with float tile[16][17]: its elements follow each other.
  if (levels == 1 && has_rows(value)) value.subscripts = static_cast<std::uint32_t>(trace_.memories[value.memory].dims.size());
  return value;
}

void Walker::declare_template_parameters(std::uint32_t function, const LaunchedWith* launched) {
  const NodeRef at = program_.functions()[function].at;
  const std::uint32_t parent = syntax()[at.node].parent;
  if (!syntax().is(parent, NodeKind::template_declaration)) return;
  const std::uint32_t list = syntax().child(parent, Role::parameters);
  std::size_t position = 0;
  for (std::uint32_t p = list == none ? none : syntax().first_child(list); p != none; p = syntax().next_sibling(p)) {
    if (syntax().is(p, NodeKind::token)) continue;
    const std::size_t here = position++;
    const std::uint32_t type = syntax().is(p, NodeKind::type_parameter) ? syntax().child(p, NodeKind::type_identifier) : none;
    if (type != none) template_types_.insert(text(type));
    if (!syntax().is(p, NodeKind::parameter) && !syntax().is(p, NodeKind::optional_parameter)) continue;
    const std::uint32_t name = name_in(source(), p);
    if (name == none) continue;
    if (launched && here < launched->template_arguments.size() && launched->template_arguments[here]) {
      put_slot(text(name), number(*launched->template_arguments[here]));
      continue;
    }
    put_slot(text(name), with(uniform_named(text(name))));
    trace_.add_template_value(slots_.back().value.expr);
    trace_.add_often_one(slots_.back().value.expr);
  }
}

void Walker::declare_parameter(std::uint32_t parameter, const Value* value) {
  const std::uint32_t declarator = syntax().child(parameter, Role::declarator);
  if (declarator != none) steps_ += (declarator - parameter) / nodes_of_a_step;  // many specifiers may stand before it, for each call
  const std::uint32_t name = name_in(source(), declarator);
  if (name == none) return;
  const PointerType named = program_.pointer(type_text(parameter));
  const std::string_view type = named.type;
  const std::uint32_t levels = named.levels + indirections(source(), declarator);
  if (value) {
    const bool keeps = value->kind == Value::pointer && levels > 0 && program_.type(type).bytes != 0;
    const bool is_of_rows = keeps && levels > 1 && value->rows[0] != 0;  // float m[64][64], of such an array in a record
    Value given = keeps && !is_of_rows ? retyped(*value, type, levels) : *value;
    if (given.kind == Value::triple && may_change_unseen(text(name))) given = with(e_.opaque());
    given.lambda = none;  // its variables are those of another function
    return put_slot(text(name), given);
  }
  if (levels > 0) {
    const std::uint32_t memory = add_memory(Space::global, text(name), type, parameter);
    trace_.memories[memory].is_read_only = levels == 1 && named.levels == 0 && has_word(source(), parameter, "const");
    trace_.memories[memory].is_unaliased = contains_ignoring_case(text(parameter), "restrict");
    return put_slot(text(name), pointer_to(memory, levels));
  }
  if (declare_tensor(type, name, parameter) || declare_image(type, name, parameter)) return;
  if (type.find("thread_block_tile") != type.npos) return put_slot(text(name), tile_of(tile_size(syntax().child(parameter, Role::type))));
  if (type.ends_with("thread_block")) return put_slot(text(name), {.kind = Value::group, .expr = e_.constant(block_group)});
  Value own = with(uniform_named(text(name)));
  if (program_.struct_named(type) || program_.type(type).bytes == 0) {
    own.is_vague = assigns_members_of(text(name));
    if (!own.is_vague) own.type = type;
  }
  put_slot(text(name), own);
  if (is_increment(text(name))) trace_.add_often_one(slots_.back().value.expr);
}

void Walker::declare(std::uint32_t declaration) {
  for (std::uint32_t c = syntax().first_child(declaration); c != none; c = syntax().next_sibling(c)) {
    if (syntax()[c].role == Role::declarator || syntax().is(c, NodeKind::init_declarator)) declare_one(declaration, c);
  }
}

void Walker::declare_one(std::uint32_t declaration, std::uint32_t declarator) {
  const std::uint32_t name = name_in(source(), declarator);
  if (name == none) return;
  std::uint32_t plain = declarator, value = none;
  if (syntax().is(declarator, NodeKind::init_declarator)) {
    plain = syntax().child(declarator, Role::declarator);
    value = syntax().child(declarator, Role::value);
  }
  const bool is_shared = has_word(source(), declaration, "__shared__");
  if (syntax().is(plain, NodeKind::function_declarator)) {
    // `dim3 grid(n);` may look like a function.
    if (type_text(declaration) == "dim3") put_slot(text(name), triple_of(syntax().child(plain, Role::parameters)));
    return;
  }
  // Node* stack[64]
  const std::uint32_t pointed = syntax().is(plain, NodeKind::pointer_declarator) ? syntax().child(plain, Role::declarator) : none;
  if (!is_shared && is_kernel_ && syntax().is(pointed, NodeKind::array_declarator)) {
    declare_array(declaration, pointed, name);
    Value& array = slots_.back().value;
    trace_.memories[array.memory].bytes = array.bytes = 8;
    array.levels = 2;
    if (value != none) eval(value);
    return;
  }
  if (is_shared || syntax().is(plain, NodeKind::array_declarator)) {
    declare_array(declaration, plain, name);
    if (value != none) eval(value);
    return;
  }
  if (const std::string_view type = type_text(declaration); holds_shared(type)) {
    const std::uint32_t m = add_memory(Space::shared, text(name), "", name);
    trace_.memories[m].is_dynamic = true;
    return put_slot(text(name), pointer_to(m));
  }
  // A lambda is followed where it is called.
  if (is_kernel_ && value != none && syntax().is(value, NodeKind::lambda)) {
    Value variable = with(e_.opaque());
    variable.lambda = value;
    return put_slot(text(name), variable);
  }
  // const Record& r = records[i], auto& e = a[i * pitch]
  const bool is_reference = is_kernel_ && value != none && syntax().is(plain, NodeKind::reference_declarator);
  if (is_reference && indirections(source(), plain) == 0 && is_memory(value)) return put_slot(text(name), eval_as_place(value));
  // A reference to something else reads nothing yet.
  const bool is_bound = syntax().is(plain, NodeKind::reference_declarator) && program_.type(type_text(declaration)).bytes == 0 &&
                        !syntax().is(syntax().child(declaration, Role::type), NodeKind::placeholder_type);
  const bool was_quiet = std::exchange(quiet_, quiet_ || is_bound);
  Value first =
      is_copy_of_record(declaration, plain, value) ? copied(eval_as_place(value), value, text(name)) : initial(declaration, plain, value);
  quiet_ = was_quiet;
  if (first.kind == Value::triple && !first.type.empty() && may_change_unseen(text(name))) first = with(e_.opaque());
  note_kind_of_number(declaration, first);
  if (is_kernel_ && indirections(source(), plain) == 0 && !is_bound) make_object(first, type_text(declaration), name);
  put_slot(text(name), first);
}

// A number of floating point, or of a function of constants, is that, whatever it is computed from.
void Walker::note_kind_of_number(std::uint32_t declaration, Value& first) {
  // An index that is computed in floating point: `float x = i * scale; a[(int)x]`.
  const std::string_view type = type_text(declaration);
  if ((type == "float" || type == "double") && first.kind == Value::number && e_.uses(first.expr, Uses::thread) &&
      !e_.uses(first.expr, Uses::loaded))
    first.expr = e_.binary(Op::mul, first.expr, e_.fraction());
  // The result of a function of constants is a constant of unknown value.
  if (has_word(source(), declaration, "constexpr") && first.kind == Value::number && e_.is_unknown(first.expr)) {
    first.expr = e_.fresh(Op::uniform);
    trace_.add_template_value(first.expr);
    trace_.add_often_one(first.expr);
  }
}

// Particle p = particles[i], auto p = particles[i]
bool Walker::is_copy_of_record(std::uint32_t declaration, std::uint32_t declarator, std::uint32_t value) {
  if (!is_kernel_ || value == none || !syntax().is(declarator, NodeKind::identifier)) return false;
  const bool is_any_type = syntax().is(syntax().child(declaration, Role::type), NodeKind::placeholder_type);
  return (is_any_type || program_.struct_named(type_text(declaration))) && is_memory(value);
}

// An object that is only a name for an array in shared memory.
bool Walker::holds_shared(std::string_view type) const {
  const Struct* found = program_.struct_named(type.substr(0, type.find('<')));
  return found && found->holds_shared;
}

void Walker::declare_array(std::uint32_t declaration, std::uint32_t declarator, std::uint32_t name) {
  const bool is_shared = has_word(source(), declaration, "__shared__");
  const bool is_pointers = syntax().is(declarator, NodeKind::pointer_declarator);
  std::vector<ExprId> dims;
  bool is_open = false;
  for (std::uint32_t d = declarator; syntax().is(d, NodeKind::array_declarator); d = syntax().child(d, Role::declarator)) {
    const std::uint32_t size = syntax().child(d, Role::size);
    is_open = is_open || size == none;
    ExprId extent = size == none ? e_.fresh(Op::uniform) : eval(size).expr;
    if (e_.is_unknown(extent)) extent = e_.fresh(Op::uniform);
    dims.insert(dims.begin(), extent);
  }
  // All such arrays of a kernel and of the functions that it calls begin at one address.
  const bool is_dynamic = is_shared && is_open && has_word(source(), declaration, "extern");
  std::uint32_t m = is_shared ? known_shared(declaration, is_dynamic, name) : none;
  if (m == none) {
    m = add_memory(is_shared ? Space::shared : Space::local, text(name), type_text(declaration), name);
    trace_.memories[m].is_scalar = dims.empty() && !is_pointers;
    trace_.memories[m].dims = std::move(dims);
    trace_.memories[m].is_dynamic = is_dynamic;
    if (is_shared) shared_declared_.emplace_back(ref(name), m);
  }
  if (is_dynamic && dynamic_memory_ == none) dynamic_memory_ = m;
  Value variable = pointer_to(m, is_pointers ? 2 : 1);
  variable.is_place = trace_.memories[m].is_scalar;
  put_slot(text(name), variable);
}

// An array of a function that is called again is the same one, unless the function or its class is a template, of which each instance has
// its own.
std::uint32_t Walker::known_shared(std::uint32_t declaration, bool is_dynamic, std::uint32_t name) {
  if (is_dynamic) {
    const bool is_same = dynamic_memory_ != none && trace_.memories[dynamic_memory_].type == type_text(declaration);
    return is_same ? dynamic_memory_ : none;
  }
  std::uint32_t around = program_.functions()[frames_.back().function].at.node;
  for (int depth = 0; depth < 16 && around != none; ++depth) {
    if (syntax().is(around, NodeKind::template_declaration)) return none;
    around = syntax()[around].parent;
  }
  const auto known = std::ranges::find(shared_declared_, ref(name), &std::pair<NodeRef, std::uint32_t>::first);
  return known == shared_declared_.end() ? none : known->second;
}

// dim3(17, 2) or {17, 2}: omitted dimensions are 1.
Value Walker::triple_of(std::uint32_t list) {
  Value value;
  value.kind = Value::triple;
  std::array<ExprId*, 3> parts{&value.expr, &value.y, &value.z};
  for (ExprId* part : parts) *part = e_.constant(1);
  std::size_t i = 0;
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none && i < 3; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    const std::optional<std::int64_t> whole = whole_number_at(c);
    const Value part = whole ? number(*whole) : syntax().is(c, NodeKind::parameter) ? eval_as_parameter(c) : eval(c);
    if (part.kind == Value::triple && i == 0) return part;
    if ((part.rounded_up & 1) != 0) value.rounded_up |= static_cast<std::uint8_t>(1u << i);
    *parts[i++] = truth(part);
  }
  return value;
}

// `dim3 b(edge * edge);` parses as a function with a parameter `edge` of type `edge*`.
Value Walker::eval_as_parameter(std::uint32_t parameter) {
  const Value left = eval(syntax().child(parameter, Role::type));
  const std::uint32_t declarator = syntax().child(parameter, Role::declarator);
  if (!syntax().is(declarator, NodeKind::pointer_declarator)) return declarator == none ? left : with(e_.opaque());
  const std::uint32_t name = name_in(source(), declarator);
  return name == none ? with(e_.opaque()) : arithmetic(Op::mul, left, eval(name));
}

Value Walker::initial(std::uint32_t declaration, std::uint32_t declarator, std::uint32_t value) {
  const std::string_view type = type_text(declaration);
  if (type == "dim3") {
    if (value == none) return triple_of(none);
    if (syntax().is(value, NodeKind::argument_list) || syntax().is(value, NodeKind::initializer_list)) return triple_of(value);
    const Value given = eval(value);
    return given.kind == Value::number ? Value{.kind = Value::triple, .expr = given.expr, .y = e_.constant(1), .z = e_.constant(1)} : given;
  }
  const std::uint32_t levels = indirections(source(), declarator);
  const bool may_be_record = is_kernel_ && levels == 0 && !syntax().is(declarator, NodeKind::reference_declarator);
  if (value == none) return may_be_record ? record_of(type, {}).value_or(with(e_.opaque())) : with(e_.opaque());
  Value given;
  const bool is_list = syntax().is(value, NodeKind::argument_list) || syntax().is(value, NodeKind::initializer_list);
  if (const auto record = may_be_record && is_list ? record_in_list(type, value) : std::nullopt) return *record;
  if (is_list) {
    std::vector<Value> parts;
    for (std::uint32_t c = syntax().first_child(value); c != none; c = syntax().next_sibling(c)) {
      if (!syntax().is(c, NodeKind::token)) parts.push_back(eval(c));
    }
    given = parts.size() == 1 ? parts[0] : with(e_.opaque());
    given.config = config_of(parts, value);
  } else {
    given = eval(value);
  }
  const bool is_plain_type = !syntax().is(syntax().child(declaration, Role::type), NodeKind::placeholder_type);
  if (levels > 0 && is_plain_type && given.kind == Value::pointer) return retyped(given, type, levels);
  return given;
}

}  // namespace frx::derive::cuda
