#include "ingest/ptx/operands.h"

#include "ingest/ptx/expression.h"

namespace frx::ingest::ptx {
namespace {

constexpr int most_nested = 8;
constexpr std::uint32_t most_parts = 0xFFFF;

bool fits_32_bits(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

}  // namespace

bool OperandReader::read_all(bool parentheses_are_lists) {
  lists_ = parentheses_are_lists;
  if (in_.lexer.now().is(';')) return true;
  do {
    if (!read(0)) return false;
  } while (in_.lexer.skip_if(','));
  return in_.lexer.now().is(';') || in_.expected("',' or ';'");
}

bool OperandReader::read(int nested) {
  const Token& now = in_.lexer.now();
  if (now.kind == Token::word && now.spelling != "WARP_SZ") return read_named();
  if (nested > most_nested) return in_.expected("operands that are less nested");
  if (now.is('[')) return read_address(nested + 1);
  if (now.is('{')) return read_group(Operand::vector, '}', nested + 1);
  if (now.is('(') && lists_) return read_group(Operand::list, ')', nested + 1);
  if (now.is('!')) return read_signed_or_negated(Operand::negated);
  if (now.is('-')) {
    const char next = in_.lexer.peek();
    if (next == '%' || next == '_' || (next >= 'A' && next <= 'z')) return read_signed_or_negated(Operand::minus);
  }
  if (at_constant(in_)) return read_constant_operand();
  return in_.expected("an operand");
}

// %r1, %tid.x, name, _, and their suffixes: p|q, name+8, name[4], -%r
bool OperandReader::read_named() {
  const std::uint32_t first = next();
  if (!read_word(in_.lexer.take())) return false;
  const Token& now = in_.lexer.now();
  if (now.kind != Token::mark || now.first == ',' || now.first == ';' || now.first == '}') return true;
  if (now.is('|')) {
    in_.lexer.skip();
    insert_header(first, {Operand::pair, 0, 0, 0});
    if (in_.lexer.now().kind != Token::word) return in_.expected("a register behind '|'");
    return read_word(in_.lexer.take()) && finish(first);
  }
  if (in_.module.operands[first].kind != Operand::symbol) return true;
  if (now.is('[')) return read_element(first);
  std::int64_t offset = 0;
  if (!read_offset(in_, offset)) return false;
  if (offset == 0) return true;
  if (!fits_32_bits(offset)) return in_.expected("an offset of 32 bits");
  insert_header(first, {Operand::address, Operand::is_value, 0, static_cast<std::uint32_t>(offset)});
  return finish(first);
}

bool OperandReader::read_word(const Token& token) {
  const std::string_view word = token.spelling;
  if (token.is_compound) return read_dotted(word);
  if (word == "_") return add(Operand::sink), true;
  const std::uint32_t number = scopes_.register_named(word);
  if (number != model::none) {
    add(Operand::reg, number);
  } else if (word[0] == '%') {
    add(Operand::special, special(word));
  } else {
    add_symbol(word);
  }
  return true;
}

// %tid.x, or a part of a register: %r1.b0, v.x
bool OperandReader::read_dotted(std::string_view word) {
  const std::size_t dot = word.find('.');
  const std::uint32_t number = dot != word.npos ? scopes_.register_named(word.substr(0, dot)) : model::none;
  if (number != model::none) {
    add(Operand::selected, in_.name(word.substr(dot + 1)));
    in_.module.operands.back().parts = 1;
    add(Operand::reg, number);
  } else if (word[0] == '%') {
    add(Operand::special, special(word));
  } else {
    return in_.expected("an operand, before");
  }
  return true;
}

// An element of an array, in older code: name[4], name[%r1+1]
bool OperandReader::read_element(std::uint32_t first) {
  insert_header(first, {Operand::address, Operand::is_element, 0, 0});
  in_.lexer.skip();
  if (!read(most_nested)) return false;
  std::int64_t offset = 0;
  if (!read_offset(in_, offset)) return false;
  if (!fits_32_bits(offset)) return in_.expected("an index of 32 bits");
  in_.module.operands[first].value = static_cast<std::uint32_t>(offset);
  return in_.take(']') && finish(first);
}

bool OperandReader::read_constant_operand() {
  Constant value;
  if (!read_constant(in_, value)) return false;
  const auto low = static_cast<std::uint32_t>(value.bits);
  switch (value.kind) {
    case Constant::real32: add(Operand::real, low); break;
    case Constant::real64:
      add(Operand::wide, constant(value.bits));
      in_.module.operands.back().flags = Operand::is_double;
      break;
    case Constant::integer:
      if (fits_32_bits(static_cast<std::int64_t>(value.bits))) {
        add(Operand::integer, low);
      } else {
        add(Operand::wide, constant(value.bits));
      }
  }
  return true;
}

bool OperandReader::read_signed_or_negated(std::uint8_t flag) {
  in_.lexer.skip();
  if (in_.lexer.now().kind != Token::word) return in_.expected("a register");
  const std::uint32_t at = next();
  if (!read_named()) return false;
  in_.module.operands[at].flags |= flag;
  return true;
}

// [%rd1+-4], [name], [16], [map, {%r1, %r2}], [texture, sampler, {%f1, %f2}]
bool OperandReader::read_address(int nested) {
  const std::uint32_t header = next();
  add(Operand::address);
  in_.lexer.skip();
  if (!read_base(nested)) return false;
  std::int64_t offset = 0;
  if (!read_offset(in_, offset)) return false;
  if (!fits_32_bits(offset)) return in_.expected("an offset of 32 bits");
  in_.module.operands[header].value = static_cast<std::uint32_t>(offset);
  while (in_.lexer.skip_if(',')) {
    if (!read(nested)) return false;
  }
  return in_.take(']') && finish(header);
}

// A name has no suffix here: the text after it is the offset of the address.
bool OperandReader::read_base(int nested) {
  const Token& now = in_.lexer.now();
  if (now.kind == Token::word && now.spelling != "WARP_SZ") return read_word(in_.lexer.take());
  return read(nested);
}

bool OperandReader::read_group(Operand::Kind kind, char close, int nested) {
  const std::uint32_t header = next();
  add(kind);
  in_.lexer.skip();
  if (in_.lexer.skip_if(close)) return true;
  do {
    if (!read(nested)) return false;
  } while (in_.lexer.skip_if(','));
  return in_.take(close) && finish(header);
}

bool OperandReader::finish(std::uint32_t header) {
  const std::uint32_t parts = next() - header - 1;
  if (parts > most_parts) return in_.expected("fewer operands");
  in_.module.operands[header].parts = static_cast<std::uint16_t>(parts);
  return true;
}

void OperandReader::add_symbol(std::string_view name) {
  scopes_.may_be_label(next());
  add(Operand::symbol, in_.name(name));
}

// Inserts a header before the last operand: its parts are only known after it.
void OperandReader::insert_header(std::uint32_t at, Operand header) {
  in_.module.operands.insert(in_.module.operands.begin() + at, header);
  scopes_.moved(at);
}

std::uint32_t OperandReader::special(std::string_view name) {
  const std::uint32_t id = in_.name(name);
  if (specials_.size() <= id) specials_.resize(id + 1, 0);
  if (specials_[id] == 0) {
    in_.module.specials.push_back({id, model::Variance::unknown});
    specials_[id] = static_cast<std::uint32_t>(in_.module.specials.size());
  }
  return specials_[id] - 1;
}

std::uint32_t OperandReader::constant(std::uint64_t bits) {
  in_.module.constants.push_back(bits);
  return static_cast<std::uint32_t>(in_.module.constants.size() - 1);
}

}  // namespace frx::ingest::ptx
