// The operands of one instruction.
#pragma once

#include <cstdint>

#include "ingest/ptx/reading.h"
#include "ingest/ptx/scopes.h"

namespace frx::ingest::ptx {

class OperandReader {
 public:
  OperandReader(Reading& in, Scopes& scopes) : in_(in), scopes_(scopes) {}

  // Everything up to the `;`, which is left. `parentheses_are_lists`: those of a call, not of a number.
  bool read_all(bool parentheses_are_lists);

 private:
  using Operand = model::Operand;

  bool read(int nested);
  bool read_named();
  bool read_word(const Token& token);
  bool read_dotted(std::string_view word);
  bool read_element(std::uint32_t header);
  bool read_constant_operand();
  bool read_signed_or_negated(std::uint8_t flag);
  bool read_address(int nested);
  bool read_base(int nested);
  bool read_group(Operand::Kind kind, char close, int nested);
  // Finishes the operand after which its parts were added: counts them.
  bool finish(std::uint32_t header);

  std::uint32_t next() const { return static_cast<std::uint32_t>(in_.module.operands.size()); }
  void add(Operand::Kind kind, std::uint32_t value = 0) { in_.module.operands.push_back({kind, 0, 0, value}); }
  void add_symbol(std::string_view name);
  std::uint32_t special(std::string_view name);
  std::uint32_t constant(std::uint64_t bits);
  void insert_header(std::uint32_t at, Operand header);

  Reading& in_;
  Scopes& scopes_;
  bool lists_ = false;
  std::vector<std::uint32_t> specials_;  // by name: index into module.specials + 1
};

}  // namespace frx::ingest::ptx
