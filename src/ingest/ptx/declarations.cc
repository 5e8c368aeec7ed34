#include "ingest/ptx/declarations.h"

#include <algorithm>
#include <limits>

#include "ingest/ptx/expression.h"

namespace frx::ingest::ptx {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;  // more than any address space of a GPU

class Declaration {
 public:
  Declaration(Reading& in, Scopes* scopes, model::Linkage linkage) : in_(in), scopes_(scopes) { it_.linkage = linkage; }

  // `.param .align 8 .b8`
  bool head();
  // `a[4], b;`
  bool names();
  // One name, with its array dimensions and initialiser.
  bool name();

 private:
  bool head_part(std::string_view part);
  bool align();
  bool attribute();
  void space(model::Space space) { (it_.is_pointer ? it_.points_to : it_.space) = space; }
  bool registers(std::string_view name);
  bool variable(std::string_view name);
  bool dimensions(std::uint64_t& elements, bool& first_is_open);
  bool initialiser(std::uint64_t& elements);

  Reading& in_;
  Scopes* scopes_;
  bool is_register_ = false;
  model::Variable it_;
};

bool Declaration::head() {
  while (in_.lexer.now().kind == Token::directive) {
    const std::string_view part = in_.lexer.now().spelling.substr(1);
    if (part == "loc" || part == "entry" || part == "func") return in_.expected("a name");
    in_.lexer.skip();
    if (!head_part(part)) return false;
  }
  return true;
}

bool Declaration::head_part(std::string_view part) {
  if (part == "align") return align();
  if (part == "attribute") return attribute();
  if (part == "reg") return is_register_ = true;
  if (part == "sreg") return is_register_ = true;
  if (part == "ptr") return it_.is_pointer = true;
  if (part == "v2") return it_.lanes = 2, true;
  if (part == "v4") return it_.lanes = 4, true;
  if (const model::Space named = model::space_named(part); named != model::Space::none) return space(named), true;
  if (part == "tex" || part == "surf") return space(model::Space::global), true;
  const model::Type type = model::type_named(part);
  if (type == model::Type::none) return in_.expected("a type or a state space, before");
  it_.type = type;
  return true;
}

bool Declaration::align() {
  std::uint32_t bytes = 0;
  if (!in_.take_number(bytes)) return false;
  (it_.is_pointer ? it_.pointee_align : it_.align) = bytes;
  return true;
}

// .attribute(.managed), .attribute(.unified(1, 2))
bool Declaration::attribute() {
  if (!in_.take('(')) return false;
  for (int open = 1; open > 0; in_.lexer.skip()) {
    const Token& now = in_.lexer.now();
    if (now.kind == Token::end || now.is(';')) return in_.expected("')'");
    open += now.is('(') - now.is(')');
  }
  return true;
}

bool Declaration::names() {
  do {
    if (!name()) return false;
  } while (in_.lexer.skip_if(','));
  return in_.take(';');
}

bool Declaration::name() {
  std::string_view spelling;
  if (!in_.take_name(spelling, "a name")) return false;
  return is_register_ ? registers(spelling) : variable(spelling);
}

bool Declaration::registers(std::string_view name) {
  model::RegisterBank bank{in_.name(name), 0, 1, it_.type, it_.lanes, false};
  if (in_.lexer.skip_if('<')) {
    bank.numbered = true;
    if (!in_.take_number(bank.count) || !in_.take('>')) return false;
  }
  return scopes_ != nullptr ? scopes_->declare(bank) : in_.expected("registers inside a function only, before");
}

bool Declaration::variable(std::string_view name) {
  it_.name = in_.name(name);
  it_.is_array = it_.is_unsized = false;
  std::uint64_t copies = 1;
  if (in_.lexer.skip_if('<')) {  // several variables: .param .b32 p<4>
    std::uint32_t count = 0;
    if (!in_.take_number(count) || !in_.take('>')) return false;
    copies = count;
  }
  std::uint64_t elements = copies;
  bool open = false;
  if (!dimensions(elements, open)) return false;
  std::uint64_t written = 1;
  if (in_.lexer.skip_if('=') && !initialiser(written)) return false;
  it_.is_unsized = open && written <= 1;
  if (open) elements = it_.is_unsized ? 0 : elements * std::min(written, most_bytes);
  const std::uint64_t size = static_cast<std::uint64_t>(model::bits_of(it_.type)) / 8 * it_.lanes;
  if (elements > most_bytes) return in_.expected("a size that fits a GPU, before");
  it_.bytes = elements * (it_.type == model::Type::opaque ? 8 : size);
  in_.module.variables.push_back(it_);
  return true;
}

// [4][2], and [] for a size that the initialiser or the launch determines.
bool Declaration::dimensions(std::uint64_t& elements, bool& first_is_open) {
  for (bool first = true; in_.lexer.skip_if('['); first = false) {
    it_.is_array = true;
    if (in_.lexer.skip_if(']')) {
      if (!first) return in_.expected("a size for every dimension but the first, before");
      first_is_open = true;
      continue;
    }
    Constant size;
    if (!read_constant(in_, size)) return false;
    if (size.kind != Constant::integer || size.bits > most_bytes) return in_.expected("a size that fits a GPU, before");
    elements = elements != 0 && size.bits > most_bytes / elements ? most_bytes + 1 : elements * size.bits;
    if (!in_.take(']')) return false;
  }
  return true;
}

// Counts the elements of the outermost braces: they determine the size of an open array.
bool Declaration::initialiser(std::uint64_t& elements) {
  elements = in_.lexer.now().is('{') ? 1 : 0;
  int open = 0;
  for (;; in_.lexer.skip()) {
    const Token& now = in_.lexer.now();
    if (now.kind == Token::end) return in_.expected("';'");
    if (open == 0 && (now.is(';') || now.is(','))) return true;
    if (open > 0 && now.is(';')) return in_.expected("'}'");
    open += (now.is('{') || now.is('(')) - (now.is('}') || now.is(')'));
    if (open < 0) return in_.expected("';'");
    if (open == 1 && now.is(',')) ++elements;
  }
}

}  // namespace

bool at_declaration(const Reading& in) {
  const Token& now = in.lexer.now();
  if (now.kind != Token::directive) return false;
  const std::string_view name = now.spelling.substr(1);
  return name == "reg" || name == "sreg" || name == "tex" || name == "surf" || name == "align" || name == "attribute" ||
         model::space_named(name) != model::Space::none;
}

bool read_declaration(Reading& in, Scopes* scopes, model::Linkage linkage) {
  Declaration declaration(in, scopes, linkage);
  return declaration.head() && declaration.names();
}

bool read_parameters(Reading& in, Scopes& scopes) {
  if (!in.lexer.skip_if('(') || in.lexer.skip_if(')')) return true;
  do {
    Declaration parameter(in, &scopes, model::Linkage::none);
    if (!parameter.head() || !parameter.name()) return false;
  } while (in.lexer.skip_if(','));
  return in.take(')');
}

model::Linkage read_linkage(Reading& in) {
  model::Linkage linkage = model::Linkage::none;
  for (; in.lexer.now().kind == Token::directive; in.lexer.skip()) {
    const std::string_view name = in.lexer.now().spelling;
    if (name == ".visible")
      linkage = model::Linkage::visible;
    else if (name == ".extern")
      linkage = model::Linkage::external;
    else if (name == ".weak")
      linkage = model::Linkage::weak;
    else if (name == ".common")
      linkage = model::Linkage::common;
    else
      return linkage;
  }
  return linkage;
}

}  // namespace frx::ingest::ptx
