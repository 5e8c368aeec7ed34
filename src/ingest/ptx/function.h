// One function: its head, and its body statement by statement.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "ingest/ptx/operands.h"
#include "ingest/ptx/places.h"
#include "ingest/ptx/reading.h"
#include "ingest/ptx/scopes.h"

namespace frx::ingest::ptx {

class FunctionReader {
 public:
  FunctionReader(Reading& in, PlaceReader& places) : in_(in), places_(places), scopes_(in), operands_(in, scopes_) {}

  // Called at `.entry` or `.func`. Adds the function to the module; statements that could not be read are counted there.
  void read(model::Linkage linkage);

 private:
  bool read_head(model::Function& function);
  bool read_limits(model::Function& function);
  bool read_limit(std::string_view name, model::Limits& limits);
  void read_body(model::Function& function);
  bool read_brace();
  bool read_statement();
  bool read_directive();
  bool read_labelled(std::uint32_t name);
  bool read_targets();
  bool read_instruction();
  bool read_predicate(model::Instruction& instruction);
  std::uint32_t form_named(std::string_view opcode);
  std::uint32_t form_added(std::string_view opcode);
  std::string_view spaced_opcode(std::string_view opcode);
  void begin_ranges(model::Function& function) const;
  void end_ranges(model::Function& function) const;

  Reading& in_;
  PlaceReader& places_;
  Scopes scopes_;
  OperandReader operands_;
  NameTable forms_;
  std::array<std::uint32_t, 256> recent_forms_{};  // by a few of the letters
  std::deque<std::string> spaced_;                 // opcodes that were written with spaces in between
  bool is_open_ = false;                           // the closing brace of the body has not been read yet
};

}  // namespace frx::ingest::ptx
