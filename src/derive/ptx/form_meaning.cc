#include "derive/ptx/form_meaning.h"

#include <algorithm>
#include <array>

#include "derive/ptx/affine_needs.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Type;

struct Rule {
  std::string_view opcode;
  FormMeaning::Family family;
  FormMeaning::Verb verb = FormMeaning::other;
};
constexpr std::array<Rule, 23> rules = {{
    {"mov", FormMeaning::copy},
    {"cvt", FormMeaning::conversion},
    {"cvta", FormMeaning::to_address},
    {"add", FormMeaning::arithmetic, FormMeaning::add},
    {"sub", FormMeaning::arithmetic, FormMeaning::sub},
    {"neg", FormMeaning::arithmetic, FormMeaning::neg},
    {"abs", FormMeaning::arithmetic, FormMeaning::abs},
    {"min", FormMeaning::arithmetic, FormMeaning::min},
    {"max", FormMeaning::arithmetic, FormMeaning::max},
    {"div", FormMeaning::arithmetic, FormMeaning::div},
    {"rem", FormMeaning::arithmetic, FormMeaning::rem},
    {"mul", FormMeaning::product},
    {"mad", FormMeaning::product, FormMeaning::mad},
    {"and", FormMeaning::bitwise, FormMeaning::bit_and},
    {"or", FormMeaning::bitwise, FormMeaning::bit_or},
    {"xor", FormMeaning::bitwise, FormMeaning::bit_xor},
    {"not", FormMeaning::bitwise, FormMeaning::bit_not},
    {"shl", FormMeaning::bitwise, FormMeaning::shift_left},
    {"shr", FormMeaning::bitwise, FormMeaning::shift_right},
    {"lop3", FormMeaning::bitwise},
    {"bfe", FormMeaning::extraction},
    {"setp", FormMeaning::comparison},
    {"selp", FormMeaning::selection},
}};

constexpr std::array<Comparison, 10> comparisons = {{
    {"eq", Op::equal, Op::equal, false},
    {"ne", Op::not_equal, Op::not_equal, false},
    {"lt", Op::less_signed, Op::less_unsigned, false},
    {"le", Op::less_equal_signed, Op::less_equal_unsigned, false},
    {"gt", Op::less_signed, Op::less_unsigned, true},
    {"ge", Op::less_equal_signed, Op::less_equal_unsigned, true},
    {"lo", Op::less_unsigned, Op::less_unsigned, false},
    {"ls", Op::less_equal_unsigned, Op::less_equal_unsigned, false},
    {"hi", Op::less_unsigned, Op::less_unsigned, true},
    {"hs", Op::less_equal_unsigned, Op::less_equal_unsigned, true},
}};

bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }
bool is_integer(Type type) {
  switch (type) {
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64: return true;
    default: return is_signed(type);
  }
}

void add_type(Type type, FormMeaning& meaning) {
  if (meaning.types == 0) meaning.first = type;
  meaning.last = type;
  meaning.types = static_cast<std::uint8_t>(std::min(meaning.types + 1, 255));
}

void add_modifier(std::string_view part, FormMeaning& meaning) {
  if (const Type type = model::type_named(part); type != Type::none) add_type(type, meaning);
  meaning.sat = meaning.sat || part == "sat";
  meaning.cc = meaning.cc || part == "cc";
  meaning.wide = meaning.wide || part == "wide";
  meaning.lo = meaning.lo || part == "lo";
  meaning.hi = meaning.hi || part == "hi";
}

}  // namespace

FormMeaning meaning_of(const model::Form& form) {
  FormMeaning meaning;
  std::array<std::string_view, 3> parts;  // the first ones
  std::size_t count = 0;
  model::for_each_part(form.text, [&](std::string_view part) {
    add_modifier(part, meaning);
    if (count < parts.size()) parts[count] = part;
    ++count;
  });
  const Type type = meaning.last;
  const std::string_view opcode = form.opcode();
  meaning.bits = static_cast<std::uint8_t>(type == Type::pred ? 32 : model::bits_of(type));
  meaning.is_signed = is_signed(type);
  meaning.is_integer = is_integer(type) || type == Type::pred || opcode == "mov";
  meaning.packed = form.text.find("x2") != std::string::npos;
  meaning.loads_parameter = opcode == "ld" && form.space == model::Space::parameter;
  meaning.is_access = is_access(form);
  if (const auto rule = std::ranges::find(rules, opcode, &Rule::opcode); rule != rules.end()) {
    meaning.family = rule->family;
    meaning.verb = rule->verb;
  }
  if (meaning.family == FormMeaning::comparison && count == 3) {
    const auto compared = std::ranges::find(comparisons, parts[1], &Comparison::name);
    meaning.compared = compared == comparisons.end() ? nullptr : &*compared;
  }
  return meaning;
}

}  // namespace frx::derive::ptx
