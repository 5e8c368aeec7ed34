#include "ingest/ptx/function.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "ingest/ptx/declarations.h"

namespace frx::ingest::ptx {

void FunctionReader::read(model::Linkage linkage) {
  model::Function function;
  function.linkage = linkage;
  function.line = in_.lexer.now().line;
  const std::size_t skipped = in_.module.skipped_statements;
  begin_ranges(function);
  scopes_.begin_function();
  places_.begin_function();
  const bool understood = read_head(function);
  if (!understood) in_.skip_statement();
  if (understood && !in_.lexer.skip_if(';') && !in_.lexer.now().is('{')) {
    in_.expected("'{' or ';'");
    in_.skip_statement();
  }
  if (in_.lexer.now().is('{')) read_body(function);
  while (scopes_.depth() > 0) scopes_.close();
  end_ranges(function);
  function.register_count = scopes_.register_count();
  function.is_complete = in_.module.skipped_statements == skipped;
  if (function.name != model::none) in_.module.functions.push_back(function);
}

void FunctionReader::begin_ranges(model::Function& function) const {
  const model::Module& module = in_.module;
  function.returns.begin = function.parameters.begin = function.variables.begin = size_of(module.variables);
  function.banks.begin = size_of(module.banks);
  function.instructions.begin = size_of(module.instructions);
  function.operands.begin = size_of(module.operands);
  function.labels.begin = size_of(module.labels);
  function.places.begin = size_of(module.places);
  function.returns.end = function.parameters.end = function.parameters.begin;
}

void FunctionReader::end_ranges(model::Function& function) const {
  const model::Module& module = in_.module;
  function.variables.begin = function.parameters.end;
  function.variables.end = size_of(module.variables);
  function.banks.end = size_of(module.banks);
  function.instructions.end = size_of(module.instructions);
  function.operands.end = size_of(module.operands);
  function.labels.end = size_of(module.labels);
  function.places.end = size_of(module.places);
}

// .func (returns) name (parameters) limits
bool FunctionReader::read_head(model::Function& function) {
  function.kind = in_.lexer.take().spelling == ".entry" ? model::Function::entry : model::Function::func;
  if (!read_limits(function)) return false;  // .attribute(...), .noreturn before the name
  const bool returns = read_parameters(in_, scopes_);
  function.returns.end = function.parameters.begin = function.parameters.end = size_of(in_.module.variables);
  std::string_view name;
  if (!returns || !in_.take_name(name, "the name of a function")) return false;
  function.name = in_.name(name);
  const bool parameters = read_parameters(in_, scopes_);
  function.parameters.end = size_of(in_.module.variables);
  return parameters && read_limits(function);
}

bool FunctionReader::read_limits(model::Function& function) {
  while (in_.lexer.now().kind == Token::directive && !in_.at_function()) {
    const std::string_view name = in_.lexer.take().spelling.substr(1);
    if (!read_limit(name, function.limits)) return false;
  }
  return true;
}

// .maxntid 16, 16, 1; an unknown directive may have numbers, a text or parentheses.
bool FunctionReader::read_limit(std::string_view name, model::Limits& limits) {
  std::array<std::uint32_t, 3> values{};
  std::size_t count = 0;
  const bool in_parentheses = in_.lexer.skip_if('(');
  while (in_.lexer.now().kind == Token::number) {
    std::uint32_t value = 0;
    if (!in_.take_number(value)) return false;
    if (count < values.size()) values[count++] = value;
    in_.lexer.skip_if(',');
  }
  while (in_parentheses && !in_.lexer.now().is(')')) {
    if (in_.lexer.now().kind == Token::end || in_.lexer.now().is(';')) return in_.expected("')'");
    in_.lexer.skip();
  }
  if (in_parentheses) in_.lexer.skip();
  while (in_.lexer.now().kind == Token::text) {
    in_.lexer.skip();
    if (!in_.lexer.skip_if(',')) in_.lexer.skip_if(';');  // .pragma "nounroll";
  }
  for (std::size_t i = count; count > 0 && i < values.size(); ++i) values[i] = 1;
  if (name == "maxntid")
    limits.max_threads = values;
  else if (name == "reqntid")
    limits.required_threads = values;
  else if (name == "reqnctapercluster")
    limits.cluster = values;
  else if (name == "minnctapersm")
    limits.min_blocks = values[0];
  else if (name == "maxnctapersm")
    limits.max_blocks = values[0];
  else if (name == "maxnreg")
    limits.max_registers = values[0];
  else if (name == "maxclusterrank")
    limits.max_cluster = values[0];
  else if (name == "explicitcluster")
    limits.explicit_cluster = true;
  else if (name == "noreturn")
    limits.no_return = true;
  return true;
}

void FunctionReader::read_body(model::Function& function) {
  function.has_body = true;
  in_.lexer.skip();
  is_open_ = true;
  const std::size_t outside = scopes_.depth();
  while (is_open_) {
    if (in_.lexer.now().kind == Token::end || in_.at_function()) {
      in_.expected("'}'");
      return in_.skip_statement();
    }
    if (in_.lexer.now().is('}') && scopes_.depth() == outside) {
      in_.lexer.skip();
      is_open_ = false;
    } else if (!read_statement()) {
      in_.skip_statement();
    }
  }
}

bool FunctionReader::read_statement() {
  const Token& now = in_.lexer.now();
  switch (now.kind) {
    case Token::word: {
      if (in_.lexer.peek() != ':') return read_instruction();
      const std::uint32_t name = in_.name(in_.lexer.take().spelling);
      in_.lexer.skip();
      return read_labelled(name);
    }
    case Token::directive: return read_directive();
    case Token::mark:
      if (now.is('@')) return read_instruction();
      if (now.is('{') || now.is('}')) return read_brace();
      if (in_.lexer.skip_if(';')) return true;
      [[fallthrough]];
    default: {
      in_.expected("an instruction");
      in_.lexer.skip();  // so that something is consumed in any case
      return false;
    }
  }
}

bool FunctionReader::read_brace() {
  const bool opens = in_.lexer.take().is('{');
  if (!opens) return scopes_.close(), true;
  if (scopes_.is_too_deep()) return in_.expected("fewer nested braces, before");
  scopes_.open();
  return true;
}

bool FunctionReader::read_directive() {
  const std::string_view name = in_.lexer.now().spelling;
  if (name == ".loc") {
    in_.lexer.skip();
    return places_.read();
  }
  if (at_declaration(in_)) return read_declaration(in_, &scopes_, model::Linkage::none);
  if (name != ".pragma" && name != ".callprototype") return in_.expected("an instruction or a declaration");
  while (!in_.lexer.now().is(';')) {
    if (in_.lexer.now().kind == Token::end || in_.lexer.now().is('}')) return in_.expected("';'");
    in_.lexer.skip();
  }
  return in_.take(';');
}

// name: and, in the same statement, the value of the name when it is not a label of code.
bool FunctionReader::read_labelled(std::uint32_t name) {
  model::Label label{name, size_of(in_.module.instructions), model::none};
  const std::string_view next = in_.lexer.now().spelling;
  const bool targets = in_.lexer.now().kind == Token::directive && (next == ".branchtargets" || next == ".calltargets");
  if (targets) label.targets = size_of(in_.module.target_lists);
  scopes_.define(label);
  return !targets || read_targets();
}

bool FunctionReader::read_targets() {
  in_.lexer.skip();
  model::TargetList list;
  list.operands.begin = size_of(in_.module.operands);
  const bool understood = operands_.read_all(false);
  list.operands.end = size_of(in_.module.operands);
  in_.module.target_lists.push_back(list);
  return understood && in_.take(';');
}

bool FunctionReader::read_instruction() {
  model::Instruction instruction;
  instruction.line = in_.lexer.now().line;
  instruction.place = places_.current();
  instruction.first_operand = size_of(in_.module.operands);
  if (in_.lexer.now().is('@') && !read_predicate(instruction)) return false;
  if (in_.lexer.now().kind != Token::word) return in_.expected("an instruction");
  const std::string_view opcode = in_.lexer.take().spelling;
  instruction.form = form_named(in_.lexer.now().kind == Token::directive ? spaced_opcode(opcode) : opcode);
  const bool understood = operands_.read_all(opcode.starts_with("call"));
  const std::size_t count = in_.module.operands.size() - instruction.first_operand;
  if (!understood || (count > 0xFFFF && !in_.expected("fewer operands"))) {
    scopes_.forget_operands(instruction.first_operand);
    in_.module.operands.resize(instruction.first_operand);
    return false;
  }
  instruction.operand_count = static_cast<std::uint16_t>(count);
  in_.module.instructions.push_back(instruction);
  in_.lexer.skip();
  return true;
}

// @%p1 or @!%p1
bool FunctionReader::read_predicate(model::Instruction& instruction) {
  in_.lexer.skip();
  instruction.predicate_negated = in_.lexer.skip_if('!');
  if (in_.lexer.now().kind != Token::word) return in_.expected("a predicate");
  instruction.predicate = scopes_.register_named(in_.lexer.now().spelling);
  if (instruction.predicate == model::none) return in_.expected("a predicate that is declared");
  in_.lexer.skip();
  return true;
}

// ld .global .u32
std::string_view FunctionReader::spaced_opcode(std::string_view opcode) {
  std::string joined(opcode);
  while (in_.lexer.now().kind == Token::directive) joined += in_.lexer.take().spelling;
  if (const std::uint32_t seen = forms_.find(joined); seen != model::none) return in_.module.forms[seen].text;
  return spaced_.emplace_back(std::move(joined));
}

// Most instructions are spelled as one shortly before.
std::uint32_t FunctionReader::form_named(std::string_view opcode) {
  std::uint32_t letters = 0;
  if (opcode.size() >= sizeof letters) std::memcpy(&letters, opcode.data() + opcode.size() - sizeof letters, sizeof letters);
  const std::uint32_t key =
      letters ^ static_cast<std::uint32_t>(opcode[0] << 8 | opcode[opcode.size() / 2]) ^ static_cast<std::uint32_t>(opcode.size() << 16);
  std::uint32_t& recent = recent_forms_[key * 0x9E3779B1u >> 24];
  if (recent < in_.module.forms.size() && in_.module.forms[recent].text == opcode) return recent;
  return recent = form_added(opcode);
}

std::uint32_t FunctionReader::form_added(std::string_view opcode) {
  const NameTable::Found found = forms_.add(opcode);
  if (found.is_new) {
    model::Form form;
    form.text = std::string(opcode);
    form.opcode_size = static_cast<std::uint32_t>(std::min(opcode.find('.'), opcode.size()));
    in_.module.forms.push_back(std::move(form));
  }
  return found.id;
}

}  // namespace frx::ingest::ptx
