// Expressions: their values, and the memory that they access.
#include <algorithm>
#include <charconv>
#include <utility>

#include "derive/cuda/builtin_names.h"
#include "derive/cuda/size_names.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
namespace {

std::optional<Op> arithmetic_op(std::string_view sign) {
  const auto doubled = [&](Op op) { return sign[1] == sign[0] ? std::optional(op) : std::nullopt; };
  const auto with_equal = [&](Op op) { return sign[1] == '=' ? std::optional(op) : std::nullopt; };
  if (sign.size() == 3) return sign == "and" ? std::optional(Op::logical_and) : std::nullopt;
  if (sign.size() == 2 && sign == "or") return Op::logical_or;
  if (sign.empty() || sign.size() > 2) return std::nullopt;
  const bool is_one = sign.size() == 1;
  const auto only = [&](Op op) { return is_one ? std::optional(op) : std::nullopt; };
  switch (sign[0]) {
    case '+': return only(Op::add);
    case '-': return only(Op::sub);
    case '*': return only(Op::mul);
    case '/': return only(Op::div);
    case '%': return only(Op::mod);
    case '^': return only(Op::bit_xor);
    case '&': return is_one ? Op::bit_and : doubled(Op::logical_and);
    case '|': return is_one ? Op::bit_or : doubled(Op::logical_or);
    case '<': return is_one ? Op::lt : sign[1] == '<' ? Op::shl : with_equal(Op::le);
    case '>': return is_one ? std::nullopt : doubled(Op::shr);
    case '=': return is_one ? std::nullopt : with_equal(Op::eq);
    case '!': return is_one ? std::nullopt : with_equal(Op::ne);
    default: return std::nullopt;
  }
}

// 256: nearly all numbers are such; absent for others.
std::optional<std::int64_t> plain_number(std::string_view digits) {
  constexpr std::size_t most_digits = 18;
  if (digits.empty() || digits.size() > most_digits || (digits.front() == '0' && digits.size() > 1)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

Value Walker::eval(std::uint32_t node) {
  const Deeper deeper(*this);
  if (node == none || !deeper) return with(e_.opaque());
  return eval_kind(node);
}

Value Walker::eval_kind(std::uint32_t node) {
  switch (syntax().kind(node)) {
    case NodeKind::identifier:
    case NodeKind::type_identifier: return eval_identifier(node);  // `dim3 b(T, T);` may look like a function of types
    case NodeKind::number: return eval_number(node);
    case NodeKind::true_literal: return number(1);
    case NodeKind::false_literal: return number(0);
    case NodeKind::character: return with(e_.fresh(Op::uniform));
    case NodeKind::binary: return eval_binary(node);
    case NodeKind::unary: return eval_unary(node);
    case NodeKind::assignment: return eval_assignment(node);
    case NodeKind::update: return eval_update(node);
    case NodeKind::conditional: return eval_conditional(node);
    case NodeKind::call: return eval_call(node);
    case NodeKind::cast: return eval_cast(node);
    case NodeKind::sizeof_expression: return eval_sizeof(node);
    case NodeKind::subscript: {
      const Value address = address_of(node);
      return is_partial(address) || address.is_member_array ? address : loaded(address, node);
    }
    case NodeKind::field_expression: return eval_field(node);
    case NodeKind::pointer_expression: return eval_pointer(node);
    case NodeKind::compound_literal: {
      const std::string_view type = text(syntax().child(node, Role::type));
      if (type == "dim3") return triple_of(syntax().child(node, Role::value));
      if (const auto record = record_in_list(type, syntax().child(node, Role::value))) return *record;
      return eval_others(node);
    }
    case NodeKind::qualified_identifier: {
      const std::uint32_t name = name_in(source(), node);
      if (name == none) return with(e_.opaque());
      const std::optional<Value> constant = eval_constant_of(innermost_scope(source(), node), text(name));
      return constant ? *constant : eval_identifier(name);
    }
    default: return eval_others(node);
  }
}

// Parentheses, commas, lists and all others: the last operand is the value.
Value Walker::eval_others(std::uint32_t node) {
  if (text(node) == "nullptr" || text(node) == "NULL") return number(0);
  if (syntax().is(node, NodeKind::lambda)) {
    walk_lambda(node);
    return with(e_.opaque());
  }
  if (syntax().is(node, NodeKind::assembly)) {
    trace_.uses_assembly = true;
    note_order(OrderSite::unknown);
  }
  if (is_kernel_ && text(node).starts_with("new ")) return eval_new(node);
  Value last = with(e_.opaque());
  for (std::uint32_t c = syntax().first_child(node); c != none; c = syntax().next_sibling(c)) {
    const NodeKind kind = syntax().kind(c);
    if (kind == NodeKind::token || kind == NodeKind::type_descriptor || kind == NodeKind::template_arguments) continue;
    if (kind == NodeKind::compound_statement) {
      walk(c);
    } else {
      last = eval(c);
    }
  }
  const NodeKind kind = syntax().kind(node);
  if (kind == NodeKind::parenthesized || kind == NodeKind::comma || kind == NodeKind::parameter || kind == NodeKind::condition_clause)
    return last;
  // {17}: a list of one
  if (kind == NodeKind::initializer_list && syntax().first_child(node) != none &&
      syntax().next_sibling(syntax().first_child(node)) == none) {
    return last;
  }
  return with(e_.opaque());
}

ExprId Walker::uniform_named(std::string_view name) {
  const auto [at, is_new] = uniform_names_.try_emplace(name, static_cast<std::int64_t>(uniform_names_.size()) + first_named_uniform);
  if (is_new) names_of_uniforms_.push_back(name);
  return e_.leaf(Op::uniform, at->second);
}

std::string_view Walker::name_of(ExprId uniform) const {
  const Expr& e = e_[uniform];
  if (e.op != Op::uniform || e.value < first_named_uniform) return {};
  const auto number = static_cast<std::size_t>(e.value - first_named_uniform);
  return number < names_of_uniforms_.size() ? names_of_uniforms_[number] : std::string_view();
}

Value Walker::eval_identifier(std::uint32_t node) {
  const std::string_view name = text(node);
  if (const auto slot = slot_named(name)) {
    const Value value = slots_[*slot].value;
    return is_in_memory(value) ? loaded(address_of(node), node) : value;
  }
  if (const auto member = member_of_this(name, node)) return *member;
  if (const std::optional<Op> triple = triple_named(name)) {
    const auto part = [&](int i) { return e_.leaf(static_cast<Op>(static_cast<int>(*triple) + i)); };
    return {.kind = Value::triple, .expr = part(0), .y = part(1), .z = part(2)};
  }
  if (const std::optional<Op> coordinate = coordinate_named(name)) return with(e_.leaf(*coordinate));
  if (name == "warpSize") return number(32);
  {
    const StandsFor use(*this, ref(node));
    if (const auto value = eval_macro(name, {})) return *value;
  }
  if (const auto value = eval_enumerator(name)) return *value;
  if (const auto value = eval_global(name)) return *value;
  if (is_warp_size(name)) return number(32);
  if (is_full_mask(name)) return number(0xffffffff);
  note_unknown_name(node);
  return with(uniform_named(name));
}

// A name from a header that is not part of the input. In upper case it usually is a constant; in lower case it may be a variable
// that a macro declares. A name that is a statement of its own (`SYNC_WARPS;`) is a macro that may do anything.
void Walker::note_unknown_name(std::uint32_t node) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_statement = syntax().is(syntax()[node].parent, NodeKind::expression_statement);
  // Evaluated ahead of the declaration, which may follow in the body of a loop.
  if (quiet_ && std::ranges::any_of(text(node), is_small)) {
    is_ahead_ = true;
    return;
  }
  if (is_statement || std::ranges::any_of(text(node), is_small)) trace_.calls_unknown = true;
  if (is_statement) note_unknown_order();
  if (std::ranges::any_of(text(node), is_small)) return;
  trace_.names_unknown = true;
  trace_.add_template_value(uniform_named(text(node)));
  if (!is_extent(text(node))) trace_.add_often_one(uniform_named(text(node)));
}

std::optional<Value> Walker::eval_enumerator(std::string_view name) {
  const std::optional<EnumeratorValue> known = program_.enumerator(name);
  if (!known || resolving_ > 16) return std::nullopt;
  if (known->base.node == none) return number(known->behind);
  const std::uint32_t outer = enter(known->base.source);
  ++resolving_;
  const Value value = arithmetic(Op::add, eval(known->base.node), number(known->behind));
  --resolving_;
  enter(outer);
  return value;
}

Value Walker::global_memory(const Global& global) {
  const std::uint32_t outer = enter(global.declarator.source);
  const std::uint32_t name = name_in(source(), global.declarator.node);
  const auto [at, is_new] = global_memories_.try_emplace(text(name), 0);
  if (is_new) {
    const Space space = global.is_shared ? Space::shared : global.is_constant_memory ? Space::constant : Space::global;
    at->second = add_memory(space, text(name), text(syntax().child(global.declaration.node, Role::type)), name);
    std::uint32_t declarator = global.declarator.node;
    if (syntax().is(declarator, NodeKind::init_declarator)) declarator = syntax().child(declarator, Role::declarator);
    std::vector<ExprId> dims;
    bool is_open = false;
    for (std::uint32_t d = declarator; syntax().is(d, NodeKind::array_declarator); d = syntax().child(d, Role::declarator)) {
      const std::uint32_t size = syntax().child(d, Role::size);
      is_open = is_open || size == none;
      dims.insert(dims.begin(), size == none ? e_.fresh(Op::uniform) : eval(size).expr);
    }
    Memory& memory = trace_.memories[at->second];
    memory.is_scalar = dims.empty() && !syntax().is(declarator, NodeKind::pointer_declarator);
    memory.is_dynamic = global.is_shared && is_open;
    memory.is_read_only = space == Space::constant;
    memory.is_fixed = space == Space::constant && is_declared_constant(source(), global.declaration.node);
    memory.dims = std::move(dims);
  }
  enter(outer);
  return pointer_to(at->second);
}

// Tile::rows, of a class that no template chooses.
std::optional<Value> Walker::eval_constant_of(std::string_view record, std::string_view name) {
  if (template_types_.contains(record)) return std::nullopt;
  const Global* global = program_.constant_of_class(record, name, source_);
  return global && resolving_ <= 16 ? std::optional(eval_initial(*global, name, record)) : std::nullopt;
}

std::optional<Value> Walker::eval_global(std::string_view name) {
  if (const auto constant = eval_constant_of(frames_.empty() ? "" : frames_.back().record, name)) return constant;
  const Global* global = program_.global(name, source_);
  if (!global || resolving_ > 16) return std::nullopt;
  if (global->is_device || global->is_constant_memory || global->is_shared) {
    const Value memory = global_memory(*global);
    if (!trace_.memories[memory.memory].is_scalar) return memory;
    const ExprId number = uniform_named(name);
    // The host copies it there, as it passes a parameter.
    if (global->is_constant_memory && e_[number].sizes == 0) add_size(number, name);
    return with(number);
  }
  return eval_initial(*global, name, "");
}

// What a constant is, where it has that name: its first value, which knows no local variables.
Value Walker::eval_initial(const Global& global, std::string_view name, std::string_view record) {
  const Source& at = program_.sources()[global.declaration.source];
  if (!global.is_certain_in(source_) || !is_declared_constant(at, global.declaration.node) || global.value == none)
    return with(uniform_named(name));
  const std::uint32_t outer = enter(global.declaration.source);
  frames_.push_back({.function = frames_.empty() ? none : frames_.back().function,
                     .first_slot = slots_.size(),
                     .context = context_,
                     .outer_returned = returned_,
                     .outer_stays = stays_,
                     .record = record});
  ++resolving_;
  const Value result = eval(global.value);
  --resolving_;
  frames_.pop_back();
  enter(outer);
  return result;
}

Value Walker::eval_number(std::uint32_t node) {
  if (const std::optional<std::int64_t> plain = plain_number(text(node))) return number(*plain);
  std::string digits;
  for (const char c : text(node)) {
    if (c != '\'') digits += c;
  }
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  const bool is_binary = digits.starts_with("0b") || digits.starts_with("0B");
  if (!is_hex && digits.find_first_of(".eEfF") != digits.npos) return with(e_.fraction());
  const bool is_octal = !is_hex && !is_binary && digits.size() > 1 && digits[0] == '0';
  std::int64_t value = 0;
  const char* begin = digits.data() + (is_hex || is_binary ? 2 : 0);
  const char* end = digits.data() + digits.size();
  const int base = is_hex ? 16 : is_binary ? 2 : is_octal ? 8 : 10;
  auto read = std::from_chars(begin, end, value, base);
  if (read.ec == std::errc::result_out_of_range) {  // 0x9E3779B97F4A7C15ull needs all 64 bits
    std::uint64_t bits = 0;
    read = std::from_chars(begin, end, bits, base);
    value = static_cast<std::int64_t>(bits);
  }
  if (read.ec != std::errc() || std::string_view(read.ptr, end).find_first_not_of("uUlLzZ") != std::string_view::npos) {
    return with(e_.opaque());
  }
  return number(value);
}

// dim3(1, 32.0f), or a macro for it: a fraction that is written as a whole number.
std::optional<std::int64_t> Walker::whole_number_at(std::uint32_t node) const {
  std::uint32_t where = 0;
  const model::cuda::Macro* const macro = program_.macro(text(node), where);
  std::string_view digits = macro && !macro->is_ambiguous && !macro->is_function ? std::string_view(macro->body) : text(node);
  if (digits.ends_with('f') || digits.ends_with('F')) digits.remove_suffix(1);
  const std::size_t point = digits.find('.');
  if (point == digits.npos || digits.find_first_not_of('0', point + 1) != digits.npos) return std::nullopt;
  return plain_number(digits.substr(0, point));
}

Value Walker::arithmetic(Op op, const Value& a, const Value& b) {
  if (a.kind == Value::pointer && b.kind == Value::number && (op == Op::add || op == Op::sub)) {
    return offset_by(is_image(a) ? elements_of(a) : a, op == Op::add ? b.expr : e_.unary(Op::neg, b.expr));
  }
  if (b.kind == Value::pointer && a.kind == Value::number && op == Op::add) return offset_by(b, a.expr);
  // p != nullptr
  const bool compares = op == Op::eq || op == Op::ne;
  if (compares && (a.kind == Value::pointer || b.kind == Value::pointer)) return with(e_.fresh(Op::uniform));
  if (a.kind != Value::number || b.kind != Value::number) return with(e_.opaque());
  Value value = with(e_.binary(op, a.expr, b.expr));
  if (op == Op::mul && a.access != none && b.access != none) {
    value.access = a.access;
    value.factor = b.access;
  } else if (op == Op::add && (a.factor != none || b.factor != none)) {
    value.access = a.factor != none ? a.access : b.access;
    value.factor = a.factor != none ? a.factor : b.factor;
    value.is_sum = true;
  }
  return value;
}

// The second operand of `&&` or `||` is executed only where the first one does not decide.
Value Walker::eval_after(ExprId holds, std::uint32_t operand) {
  const auto recorded = [&] { return trace_.accesses.size() + trace_.barriers.size() + trace_.branches.size(); };
  const std::size_t contexts = trace_.contexts.size(), before = recorded();
  const std::uint32_t outer = context_;
  context_ = push_context(holds, false, operand);
  const Value value = eval(operand);
  context_ = outer;
  if (trace_.contexts.size() == contexts + 1 && recorded() == before) trace_.contexts.pop_back();  // of no use
  return value;
}

Value Walker::eval_binary(std::uint32_t node) {
  const std::string_view sign = text(syntax().child(node, Role::op));
  const std::optional<Op> op = arithmetic_op(sign);
  const bool is_logical = op == Op::logical_and || op == Op::logical_or;
  const Value a = eval(syntax().child(node, Role::left));
  const std::uint32_t right = syntax().child(node, Role::right);
  const Value b = is_logical ? eval_after(op == Op::logical_and ? truth(a) : e_.unary(Op::logical_not, truth(a)), right) : eval(right);
  if (sign == ">") return arithmetic(Op::lt, b, a);
  if (sign == ">=") return arithmetic(Op::le, b, a);
  if (is_logical) return with(e_.binary(*op, truth(a), truth(b)));
  note_division(op, a, b, node);
  if (!op) return with(e_.opaque());
  Value value = arithmetic(*op, a, b);
  if (exceeds_constant(node, *op, a, b)) value.rounded_up = 1;
  return value;
}

void Walker::note_division(std::optional<Op> op, const Value& dividend, const Value& divisor, std::uint32_t node) {
  constexpr std::size_t most = 256;
  if (quiet_ || loop_ == none || (op != Op::div && op != Op::mod) || trace_.divisions.size() >= most) return;
  if (dividend.kind != Value::number || divisor.kind != Value::number || e_.constant_of(divisor.expr)) return;
  trace_.divisions.push_back({ref(node), dividend.expr, divisor.expr});
}

Value Walker::eval_unary(std::uint32_t node) {
  const std::string_view sign = text(syntax().child(node, Role::op));
  const Value value = eval(syntax().child(node, Role::argument));
  if (sign == "+") return value;
  if (sign == "!" || sign == "not") return with(e_.unary(Op::logical_not, truth(value)));
  if (value.kind != Value::number) return with(e_.opaque());
  if (sign == "-") return with(e_.unary(Op::neg, value.expr));
  return sign == "~" ? with(e_.unary(Op::bit_not, value.expr)) : with(e_.opaque());
}

Value Walker::eval_conditional(std::uint32_t node) {
  const ExprId holds = truth(eval(syntax().child(node, Role::condition)));
  const std::uint32_t yes = syntax().child(node, Role::consequence), no = syntax().child(node, Role::alternative);
  const std::uint32_t outer = context_;
  context_ = push_context(holds, false, node);
  const Value a = eval(yes);
  context_ = outer;
  context_ = push_context(e_.unary(Op::logical_not, holds), false, node);
  const Value b = eval(no);
  context_ = outer;
  return merged(holds, a, b);
}

Value Walker::eval_assignment(std::uint32_t node) {
  const std::string_view sign = text(syntax().child(node, Role::op));
  const std::uint32_t left = syntax().child(node, Role::left);
  Value value = eval(syntax().child(node, Role::right));
  const bool adds = sign == "+=";
  const bool is_product = value.factor != none && (adds || (sign == "=" && value.is_sum));
  if (is_product && !quiet_) trace_.multiply_adds.push_back({ref(node), value.access, value.factor, loop_});
  Update update;
  if (sign.size() > 1) {
    const std::optional<Op> op = arithmetic_op(sign.substr(0, sign.size() - 1));
    const Value before = eval(left);
    note_division(op, before, value, node);
    update = {true, constant_of(value).has_value()};
    value = op ? arithmetic(*op, before, value) : with(e_.opaque());
  } else {
    update = update_in(left, syntax().child(node, Role::right));
  }
  if (sign.size() > 1 || value.is_sum) value.access = value.factor = none;
  store(left, value, update);
  return value;
}

// `a[i] = a[i] + x`: the right side is a sum or another operation, one operand of which is the left one as it is written.
Walker::Update Walker::update_in(std::uint32_t left, std::uint32_t right) {
  right = unwrapped(right);
  if (!syntax().is(right, NodeKind::binary)) return {};
  const std::uint32_t a = syntax().child(right, Role::left), b = syntax().child(right, Role::right);
  const std::string_view target = text(left);
  if (text(a) != target && text(b) != target) return {};
  const std::uint32_t other = text(a) == target ? b : a;
  return {true, syntax().is(other, NodeKind::number)};
}

void Walker::store(std::uint32_t left, const Value& value, Update update) {
  while (syntax().is(left, NodeKind::parenthesized) && syntax().first_child(left) != none) left = syntax().first_child(left);
  if (syntax().is(left, NodeKind::identifier)) {
    const std::optional<std::uint32_t> slot = slot_named(text(left));
    if (slot && !is_in_memory(slots_[*slot].value)) return assign(*slot, value);
  }
  if (store_in_object(left, value)) return;
  if (is_memory(left)) {
    const std::uint32_t access = note_access(address_of(left), left, Access::store);
    if (access == none) return;
    trace_.accesses[access].value = truth(value);
    constexpr auto differs = Uses::thread | Uses::varying | Uses::opaque | Uses::loaded | Uses::floating;
    trace_.accesses[access].is_update = update.is_one;
    trace_.accesses[access].adds_constant = update.of_constant;
    trace_.accesses[access].is_constant = e_.constant_of(value.expr).has_value();
    trace_.accesses[access].is_same = value.kind == Value::number && !e_.uses(value.expr, differs);
  } else if (syntax().is(left, NodeKind::field_expression)) {
    // A member of a local object is assigned: the value of the object is no longer known.
    const std::uint32_t object = name_in(source(), syntax().child(left, Role::argument));
    const auto slot = object == none ? std::nullopt : slot_named(text(object));
    if (slot && slots_[*slot].value.kind == Value::number) {
      const Value& before = slots_[*slot].value;
      Value changed = before;
      store_config_field(changed, text(syntax().child(left, Role::field)), value, left);
      const bool is_vector = before.config == none && before.object == none && !before.is_vague && !program_.struct_named(before.type);
      if (is_vector && changed.config == none && !e_.is_unknown(before.expr))
        changed.expr = mixture(e_.binary(Op::add, before.expr, truth(value)));
      if (changed.config != before.config || changed.expr != before.expr) assign(*slot, changed);
    } else if (slot && slots_[*slot].value.kind == Value::triple) {
      Value changed = slots_[*slot].value;
      if (ExprId* const part = part_of(changed, text(syntax().child(left, Role::field)))) *part = truth(value);
      assign(*slot, changed);
    }
  }
}

Value Walker::eval_update(std::uint32_t node) {
  const std::uint32_t target = syntax().child(node, Role::argument);
  const Value before = eval(target);
  const bool up = text(syntax().child(node, Role::op)) == "++";
  Value after = arithmetic(up ? Op::add : Op::sub, before, number(1));
  after.access = after.factor = none;
  store(target, after, {.is_one = true, .of_constant = true});
  return text(node).starts_with(up ? "++" : "--") ? after : before;
}

Value Walker::eval_sizeof(std::uint32_t node) {
  const std::uint32_t type = syntax().child(node, Role::type);
  std::uint32_t bytes = 0;
  if (type != none) {
    const std::uint32_t declarator = syntax().child(type, Role::declarator);
    bytes = declarator != none ? 8 : program_.type(text(syntax().child(type, Role::type))).bytes;
    if (bytes == 0) bytes = program_.type(text(type)).bytes;
  } else if (const std::uint32_t value = syntax().child(node, Role::value); value != none) {
    std::string_view name = text(value);
    if (name.starts_with('(') && name.ends_with(')')) name = name.substr(1, name.size() - 2);
    bytes = program_.type(name).bytes;
  }
  return bytes == 0 ? with(uniform_named(text(node))) : number(bytes);
}

Value Walker::eval_cast(std::uint32_t node) {
  const std::uint32_t type = syntax().child(node, Role::type);
  const Value value = eval(syntax().child(node, Role::value));
  // (std::max)(n, 1) looks like a cast of the last of two numbers, which no program needs.
  std::uint32_t inner = syntax().child(node, Role::value);
  while (syntax().is(inner, NodeKind::parenthesized)) inner = syntax().first_child(inner);
  if (syntax().is(inner, NodeKind::comma)) return with(e_.opaque());
  const std::uint32_t declarator = syntax().child(type, Role::declarator);
  if (declarator == none || value.kind != Value::pointer) return value;
  if (has_rows(value) && text(declarator).find('[') != std::string_view::npos) return with(e_.opaque());  // (float (*)[8])tile
  return retyped(value, text(syntax().child(type, Role::type)), text(declarator).starts_with("**") ? 2 : 1);
}

}  // namespace frx::derive::cuda
