// The effect of an instruction on the forms of registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "derive/ptx/affine_operations.h"
#include "derive/ptx/divergence.h"
#include "derive/ptx/form_meaning.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

// The meanings of variable names and instruction spellings in a module. A variable of the function hides one of the module.
class Vocabulary {
 public:
  explicit Vocabulary(const ::frx::model::ptx::Module& module);
  void enter(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function);
  // Index into Module::variables, or `none`.
  std::uint32_t find(std::uint32_t name) const;
  const FormMeaning& meaning(std::uint32_t form) const { return meanings_[form]; }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> globals_, own_;
  std::vector<FormMeaning> meanings_;  // by form
};

// The largest number of threads in a block: 1024 unless the kernel declares less.
std::int64_t threads_allowed(const ::frx::model::ptx::Limits& limits);

class Transfer {
 public:
  Transfer(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const RegisterUses& uses,
           const Vocabulary& words, const Divergence& divergence, const LoopNest& nest, Atoms& atoms);

  // By value of RegisterUses: its current form; `none`: unknown. The caller restores earlier forms where necessary.
  std::vector<FormId> now;

  // Applies an instruction: updates `now` for the registers that it writes.
  void apply(std::uint32_t instruction, std::uint32_t block);
  // The form of an address operand: [%rd1+4], [variable], [64]. `none`: unknown.
  FormId address(std::span<const ::frx::model::ptx::Operand> operand);
  FormId predicate(const ::frx::model::ptx::Instruction& instruction);

 private:
  using Operand = ::frx::model::ptx::Operand;

  void split(const ::frx::model::ptx::Instruction& instruction);
  FormId read(std::size_t number, int bits);
  FormId read(std::span<const Operand> operand, int bits);
  FormId special(std::uint32_t number);
  FormId along(Atom::Kind kind, std::uint8_t axis);
  FormId variable(std::uint32_t name);
  FormId parameter(std::uint32_t variable, std::int64_t offset);
  void describe(Atom& atom, std::int64_t lo, std::int64_t hi) const;

  FormId result();
  FormId copy();
  FormId converted();
  FormId to_address();
  FormId arithmetic();
  FormId product();
  FormId bitwise();
  FormId extracted();
  FormId compared();
  FormId selected();
  void load_parameters();
  Nature nature_of_operands();
  FormId opaque(std::uint32_t value);
  void write(std::span<const Operand> target, FormId form);
  void write_register(std::uint32_t value, FormId form);

  const ::frx::model::ptx::Module& module_;
  const ::frx::model::ptx::Function& function_;
  const RegisterUses& uses_;
  const Vocabulary& words_;
  const Divergence& divergence_;
  const LoopNest& nest_;
  Atoms& atoms_;
  Operations operations_;

  // State of the current instruction.
  std::uint32_t instruction_ = 0, block_ = 0;
  const ::frx::model::ptx::Form* form_ = nullptr;
  const FormMeaning* meaning_ = nullptr;
  std::vector<std::span<const Operand>> operands_;
  int bits_ = 32;
  bool is_signed_ = false;
};

}  // namespace frx::derive::ptx
