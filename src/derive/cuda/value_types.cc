#include "derive/cuda/value_types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/text.h"
#include "derive/cuda/builtin_names.h"

namespace frx::derive::cuda {
namespace {

using enum Arithmetic;

constexpr std::uint32_t most_levels = 100;  // of pointers

// Mathematical functions that <cmath> has for float and double: double, when an argument is double or an integer.
constexpr std::array<std::string_view, 40> overloaded_functions = {
    "acos", "acosh",     "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",    "cosh", "erf",   "erfc",
    "exp",  "exp2",      "expm1", "fabs",  "floor", "fma",   "fmax",  "fmin", "fmod", "hypot",    "lgamma", "log",  "log10", "log1p",
    "log2", "nearbyint", "pow",   "rint",  "round", "rsqrt", "sin",   "sinh", "sqrt", "tan",      "tanh",   "trunc"};
static_assert(std::ranges::is_sorted(overloaded_functions));

ValueType plain(Arithmetic type) { return {.type = type, .literal = {}}; }

ValueType literal_of(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) {
    if (text.size() > 1 && (text[1] == '-' || text[1] == '+')) return {};
    ValueType value = literal_of(trim(text.substr(1)));
    if (text.starts_with('-') && value.literal) value.literal = -*value.literal;
    return value;
  }
  if (text.empty()) return {};
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X") || text.starts_with("0b") || text.starts_with("0B");
  const bool is_floating = !is_hexadecimal && text.find_first_of(".eE") != text.npos;
  if (is_floating) {
    ValueType value = plain(text.ends_with('f') || text.ends_with('F') ? float32 : float64);
    double number = 0;
    if (text.starts_with('.') || (text.front() >= '0' && text.front() <= '9')) {
      const std::string digits = text.starts_with('.') ? "0" + std::string(text) : std::string(text);
      if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc())
        value.literal = value.type == float32 ? static_cast<double>(static_cast<float>(number)) : number;
    }
    return value;
  }
  ValueType value = plain(text.find_first_of("lL") != text.npos ? int64 : int32);
  std::uint64_t number = 0;
  const std::string_view digits = is_hexadecimal ? text.substr(2) : text;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hexadecimal ? 16 : 10).ec == std::errc())
    value.literal = static_cast<double>(number);
  return value;
}

// The usual arithmetic conversions.
Arithmetic joined(Arithmetic a, Arithmetic b) { return a == unknown || b == unknown ? unknown : std::max(a, b); }

std::optional<double> computed(std::string_view op, const ValueType& a, const ValueType& b, Arithmetic type) {
  if (!a.literal || !b.literal) return std::nullopt;
  if (op == "+") return *a.literal + *b.literal;
  if (op == "-") return *a.literal - *b.literal;
  if (op == "*") return *a.literal * *b.literal;
  const bool is_floating = type == float32 || type == float64;
  if (op == "/" && *b.literal != 0 && is_floating) return *a.literal / *b.literal;
  return 0.0;  // some integer
}

bool compares(std::string_view op) {
  return op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=" || op == "&&" || op == "||";
}

// Without `const` and its like.
std::string_view words_of_type(std::string_view name) {
  name = trim(name);
  for (const std::string_view qualifier : {"const ", "volatile ", "static ", "register "}) {
    if (name.starts_with(qualifier)) name = trim(name.substr(qualifier.size()));
  }
  for (const std::string_view qualifier : {" const", " volatile"}) {
    if (name.ends_with(qualifier)) name = trim(name.substr(0, name.size() - qualifier.size()));
  }
  return name;
}

// A structure of parameters: struct Args { const float* in; ... };
bool has_float_member(const Struct& record) {
  return std::ranges::any_of(record.types, [](const auto& member) {
    return (member.second.levels > 0 || member.second.is_array) && arithmetic_type_named(member.second.name).type == float32;
  });
}

bool has_double_member(const Struct& record) {
  return std::ranges::any_of(record.types, [](const auto& member) { return arithmetic_type_named(member.second.name).type == float64; });
}

// M_PI and its like.
bool is_constant_of_cmath(std::string_view name) {
  constexpr std::array<std::string_view, 13> names{"M_E",    "M_LOG2E", "M_LOG10E", "M_LN2",      "M_LN10",  "M_PI",     "M_PI_2",
                                                   "M_PI_4", "M_1_PI",  "M_2_PI",   "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool may_give_double(std::string_view function) { return std::ranges::binary_search(overloaded_functions, function); }

ValueType arithmetic_type_named(std::string_view name) {
  name = words_of_type(name);
  if (name == "float" || name == "f32" || name == "cufftReal") return plain(float32);
  if (name == "double") return plain(float64);
  const TypeInfo type = type_named(name);
  if (type.bytes == 0 || type.is_half || name == "void") return {};
  const bool is_complex = name.find("Complex") != name.npos;  // cuComplex: x and y, as float2
  ValueType known;
  known.is_vector = is_complex || type.parts > 1 || name.back() == '1';
  if (name.starts_with("float") || (is_complex && type.bytes == 8))
    known.type = float32;
  else if (name.starts_with("double") || is_complex)
    known.type = float64;
  else
    known.type = type.bytes / type.parts <= 4 ? int32 : int64;
  return known;
}

ValueTypes::ValueTypes(const Program& program, const Function& function)
    : program_(program), source_(program.sources()[function.at.source]), first_(function.at.node) {
  const auto& syntax = source_.syntax;
  const std::uint32_t last = syntax[function.at.node].last;
  for (std::uint32_t n = first_; n < last; ++n) {
    switch (syntax.kind(n)) {
      case NodeKind::parameter:
      case NodeKind::optional_parameter:
      case NodeKind::declaration:
      case NodeKind::condition_clause: declare(n); break;
      case NodeKind::primitive_type:
      case NodeKind::type_identifier:
        mentions_double_ = mentions_double_ || source_.text_of(n).find("ouble") != std::string_view::npos;
        break;
      default: break;
    }
  }
  for (const std::uint32_t p : function.parameters) {
    const ValueType& type = declared(source_.text_of(name_in(source_, syntax.child(p, Role::declarator))));
    has_float_parameter_ = has_float_parameter_ || type.type == float32;
    mentions_double_ = mentions_double_ || (type.record && has_double_member(*type.record));
    note_data(type, p);
    has_float_pointer_ = has_float_pointer_ || (type.type == float32 && type.levels > 0) || (type.record && has_float_member(*type.record));
  }
  // Operands stand behind the expressions that they belong to.
  types_.resize(last - first_);
  for (std::uint32_t n = last; n-- > first_;) types_[n - first_] = typed(n);
}

// unsigned char*, uint8_t*, uchar4*: pixels, as a rule.
bool ValueTypes::is_of_bytes(std::string_view type) const {
  const TypeInfo info = program_.type(type);
  return info.bytes > 0 && info.bytes == info.parts;
}

// What a parameter, or a pointer in the structure that it is, leads to.
void ValueTypes::note_data(const ValueType& type, std::uint32_t parameter) {
  const auto note_pointer = [this](Arithmetic to, std::string_view name) {
    has_byte_pointer_ = has_byte_pointer_ || is_of_bytes(name);
    has_unknown_pointer_ = has_unknown_pointer_ || (to != Arithmetic::int32 && to != Arithmetic::int64);
  };
  if (type.record) {
    for (const auto& [member, of] : type.record->types) {
      if (of.levels > 0 || of.is_array) note_pointer(arithmetic_type_named(of.name).type, of.name);
    }
    return;
  }
  const std::uint32_t name = source_.syntax.child(parameter, Role::type);
  if (type.levels > 0) note_pointer(type.type, name == none ? "" : source_.text_of(name));
  has_unknown_pointer_ = has_unknown_pointer_ || type.type == Arithmetic::unknown;
}

// A name that the program gives an integer type is that type. One that it gives double asks for it.
ValueType ValueTypes::named_type(std::string_view name) const {
  const ValueType known = arithmetic_type_named(name);
  if (known.type != unknown) return known;
  if (const PointerType pointer = program_.pointer(words_of_type(name)); pointer.levels > 0) {
    ValueType pointed = arithmetic_type_named(pointer.type);
    if (pointed.type == unknown) pointed.record = program_.struct_named(pointer.type);
    pointed.levels = static_cast<std::uint8_t>(std::min<std::uint32_t>(pointer.levels, most_levels));
    return pointed;
  }
  const std::string_view alias = program_.alias(name);
  const ValueType aliased = alias.empty() ? ValueType{} : arithmetic_type_named(alias);
  if (aliased.is(int32) || aliased.is(int64)) return aliased;
  ValueType record;
  record.record = program_.struct_named(words_of_type(name));
  return record;
}

void ValueTypes::declare(std::uint32_t declaration) {
  const auto& syntax = source_.syntax;
  const std::uint32_t type = syntax.child(declaration, Role::type);
  if (type == none) return;
  const ValueType base = named_type(source_.text_of(type));
  for (std::uint32_t c = syntax.first_child(declaration); c != none; c = syntax.next_sibling(c)) {
    if (syntax[c].role != Role::declarator && !syntax.is(c, NodeKind::init_declarator)) continue;
    const std::uint32_t declarator = syntax.is(c, NodeKind::init_declarator) ? syntax.child(c, Role::declarator) : c;
    const std::uint32_t name = name_in(source_, declarator);
    if (name == none) continue;
    ValueType own = base;
    own.levels = static_cast<std::uint8_t>(std::min<std::uint32_t>(base.levels + indirections(source_, declarator), most_levels));
    const std::uint32_t value = declarator == c ? none : syntax.child(c, Role::value);
    const bool is_number = own.levels == 0 && syntax.is(value, NodeKind::number);
    if (is_number && is_declared_constant(source_, declaration)) own.literal = literal_of(source_.text_of(value)).literal;
    has_float_variable_ = has_float_variable_ || own.is(Arithmetic::float32);
    note(source_.text_of(name), own);
  }
}

// A name that is declared twice with different types has none.
void ValueTypes::note(std::string_view name, const ValueType& type) {
  const auto [at, is_new] = names_.try_emplace(name, type);
  const ValueType& known = at->second;
  if (!is_new && known.literal != type.literal) at->second.literal.reset();
  if (!is_new &&
      (known.type != type.type || known.record != type.record || known.levels != type.levels || known.is_vector != type.is_vector))
    at->second = {};
}

const ValueType& ValueTypes::declared(std::string_view name) const {
  static const ValueType none_known;
  const auto at = names_.find(name);
  return at == names_.end() ? none_known : at->second;
}

ValueType ValueTypes::child(std::uint32_t node, Role role) const {
  const std::uint32_t at = source_.syntax.child(node, role);
  return at == none ? ValueType{} : of(at);
}

ValueType ValueTypes::only_child(std::uint32_t node) const {
  for (std::uint32_t c = source_.syntax.first_child(node); c != none; c = source_.syntax.next_sibling(c)) {
    if (!source_.syntax.is(c, NodeKind::token)) return of(c);
  }
  return {};
}

// `#define HALF 0.5`, `#define LOW (-1e-6f)`, M_PI
ValueType ValueTypes::macro_value(std::string_view name) const {
  std::uint32_t where = 0;
  const model::cuda::Macro* macro = program_.macro(name, where);
  if (!macro) {
    ValueType constant = plain(float64);
    constant.literal = 3.14159265358979323846;  // as inexact as the others
    return is_constant_of_cmath(name) ? constant : ValueType{};
  }
  std::string_view text = trim(macro->body);
  while (text.size() > 2 && text.starts_with('(') && text.ends_with(')')) text = trim(text.substr(1, text.size() - 2));
  const std::string_view digits = text.starts_with('-') ? trim(text.substr(1)) : text;
  if (const std::size_t dot = text.find('.'); dot != text.npos && text.size() == dot + 2 && triple_named(text.substr(0, dot)))
    return plain(int32);
  const bool is_number =
      !macro->is_function && !digits.empty() && (digits.front() == '.' || (digits.front() >= '0' && digits.front() <= '9'));
  return is_number && digits.find_first_of(" ()*/") == digits.npos ? literal_of(text) : ValueType{};
}

ValueType ValueTypes::named(std::uint32_t node) const {
  const std::string_view name = source_.text_of(node);
  if (const auto at = names_.find(name); at != names_.end()) return at->second;
  return macro_value(name);
}

ValueType ValueTypes::known_function(std::string_view name, std::uint32_t arguments) const {
  const bool is_minimum = name == "min" || name == "max" || name == "abs";
  if (!is_minimum && !may_give_double(name)) {
    const bool is_of_float = name.ends_with('f') && may_give_double(name.substr(0, name.size() - 1));
    return is_of_float || name == "__expf" || name == "__logf" || name == "__powf" || name == "__fdividef" ? plain(float32) : ValueType{};
  }
  Arithmetic all = int32;
  bool any = false;
  for (std::uint32_t c = arguments == none ? none : source_.syntax.first_child(arguments); c != none; c = source_.syntax.next_sibling(c)) {
    if (source_.syntax.is(c, NodeKind::token)) continue;
    const ValueType& argument = of(c);
    if (argument.levels > 0 || argument.is_vector) return {};
    // pow(x, 2) of a float x is computed in double.
    const bool is_integer = argument.type == int32 || argument.type == int64;
    all = joined(all, is_integer && !is_minimum ? float64 : argument.type);
    any = true;
  }
  return any ? plain(all) : ValueType{};
}

ValueType ValueTypes::call(std::uint32_t node) const {
  const auto& syntax = source_.syntax;
  const std::uint32_t function = syntax.child(node, Role::function), arguments = syntax.child(node, Role::arguments);
  if (syntax.is(function, NodeKind::primitive_type)) return arithmetic_type_named(source_.text_of(function));
  if (syntax.is(function, NodeKind::template_function)) {
    if (!source_.text_of(function).starts_with("static_cast")) return {};
    const std::uint32_t type = syntax.child(syntax.child(function, Role::arguments), NodeKind::type_descriptor);
    return type == none || syntax.child(type, Role::declarator) != none ? ValueType{} : arithmetic_type_named(source_.text_of(type));
  }
  if (syntax.is(function, NodeKind::field_expression)) return {};
  const std::uint32_t name_node = name_in(source_, function);
  const std::string_view name = source_.text_of(name_node);
  if (name.starts_with("__ld") && arguments != none) {  // __ldg(p), __ldcs(p): what p points to
    ValueType pointed = only_child(arguments);
    if (pointed.levels == 0) return {};
    --pointed.levels;
    return pointed;
  }
  const std::uint32_t own = name.empty() ? none : program_.first_device_function(name);
  if (own == none) return known_function(name, arguments);
  const Function& callee = program_.functions()[own];
  if (callee.next != none || callee.at.source >= program_.sources().size() || program_.sources().is_released(callee.at.source)) return {};
  const Source& there = program_.sources()[callee.at.source];
  if (there.text_of(callee.declarator).empty() || indirections(there, there.syntax.child(callee.at.node, Role::declarator)) > 0) return {};
  const ValueType result = arithmetic_type_named(there.text_of(there.syntax.child(callee.at.node, Role::type)));
  return result.type == float64 ? ValueType{} : result;  // asked for, in the callee
}

ValueType ValueTypes::binary(std::uint32_t node) const {
  const std::string_view op = source_.text_of(source_.syntax.child(node, Role::op));
  const ValueType a = child(node, Role::left), b = child(node, Role::right);
  if (compares(op)) return plain(int32);
  if (a.levels > 0 || b.levels > 0) return a.levels > 0 && b.levels == 0 ? a : b.levels > 0 && a.levels == 0 ? b : ValueType{};
  if (a.is_vector || b.is_vector) return {};
  if (op == "<<" || op == ">>") return plain(a.type);
  ValueType result = plain(joined(a.type, b.type));
  if (result.type != unknown) result.literal = computed(op, a, b, result.type);
  return result;
}

ValueType ValueTypes::field(std::uint32_t node) const {
  const ValueType object = child(node, Role::argument);
  const std::string_view of_object = source_.text_of(source_.syntax.child(node, Role::argument));
  if (of_object == "threadIdx" || of_object == "blockIdx" || of_object == "blockDim" || of_object == "gridDim") return plain(int32);
  const std::string_view name = source_.text_of(source_.syntax.child(node, Role::field));
  if (object.record && object.levels <= 1) {
    const MemberType* member = object.record->member(name);
    if (!member) return {};
    ValueType value = named_type(member->name);
    if (value.type == float64) return {};  // asked for, in the structure
    value.levels = static_cast<std::uint8_t>(std::min<std::uint32_t>(member->levels, most_levels));
    return value;
  }
  const bool is_component = name == "x" || name == "y" || name == "z" || name == "w";
  return object.is_vector && is_component ? plain(object.type) : ValueType{};
}

ValueType ValueTypes::typed(std::uint32_t node) const {
  const auto& syntax = source_.syntax;
  switch (syntax.kind(node)) {
    case NodeKind::number: return literal_of(source_.text_of(node));
    case NodeKind::identifier: return named(node);
    case NodeKind::parenthesized: return only_child(node);
    case NodeKind::cast: {
      const std::uint32_t type = syntax.child(node, Role::type);
      if (type == none || source_.text_of(type).find_first_of("*&") != std::string_view::npos) return {};
      ValueType result = arithmetic_type_named(source_.text_of(type));
      result.literal = child(node, Role::value).literal;
      if (result.type == float32 && result.literal) result.literal = static_cast<double>(static_cast<float>(*result.literal));
      return result;
    }
    case NodeKind::call: return call(node);
    case NodeKind::binary: return binary(node);
    case NodeKind::unary: {
      ValueType operand = child(node, Role::argument);
      const std::string_view op = source_.text_of(syntax.child(node, Role::op));
      if (op == "!") return plain(int32);
      if (op == "-" && operand.literal) operand.literal = -*operand.literal;
      return operand;
    }
    case NodeKind::subscript: {
      ValueType base = child(node, Role::argument);
      if (base.levels == 0) return {};
      --base.levels;
      return base;
    }
    case NodeKind::pointer_expression: {
      ValueType base = child(node, Role::argument);
      if (source_.text_of(node).starts_with('&')) {
        if (base.type != unknown && base.levels < most_levels) ++base.levels;
        base.literal.reset();
        return base.type == unknown ? ValueType{} : base;
      }
      if (base.levels == 0) return {};
      --base.levels;
      return base;
    }
    case NodeKind::assignment: return child(node, Role::left);
    case NodeKind::update: return child(node, Role::argument);
    case NodeKind::conditional: {
      const ValueType a = child(node, Role::consequence), b = child(node, Role::alternative);
      if (a.levels > 0 || b.levels > 0 || a.is_vector || b.is_vector) return {};
      return plain(joined(a.type, b.type));
    }
    case NodeKind::field_expression: return field(node);
    default: return {};
  }
}

}  // namespace frx::derive::cuda
