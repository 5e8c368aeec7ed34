// Which registers each instruction of a function reads and writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/ptx/flow_graph.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

struct RegisterUse {
  std::uint32_t value = 0;  // number of the register among the registers that occur
  bool written = false;     // otherwise it is read
};

// Registers are renumbered so that only those that occur count: a file may declare any number.
class RegisterUses {
 public:
  RegisterUses(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function);

  // The uses of an instruction, by its number in the module; reads come before writes.
  std::span<const RegisterUse> of(std::uint32_t instruction) const {
    const std::uint32_t i = instruction - first_;
    return std::span<const RegisterUse>(uses_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }
  // How many registers occur; their numbers are smaller than this.
  std::uint32_t count() const { return static_cast<std::uint32_t>(declared_.size()); }
  // The number that the function has for a value.
  std::uint32_t declared(std::uint32_t value) const { return declared_[value]; }
  // The inverse, for a register that occurs.
  std::uint32_t value_of(std::uint32_t declared) const;
  // 32-bit registers that hold it: 2 for 64 bits; 0 for a predicate.
  std::uint8_t width(std::uint32_t value) const { return widths_[value]; }
  bool is_predicate(std::uint32_t value) const { return widths_[value] == 0; }
  // The instructions that write a value, in ascending order; one that writes it twice is there twice.
  std::span<const std::uint32_t> writers(std::uint32_t value) const { return writers_[value]; }
  // The same of those that read it, for all values.
  Lists readers() const { return by_value(false); }

 private:
  void renumber(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function);
  Lists by_value(bool written) const;
  void measure_widths(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function);

  std::uint32_t first_;  // instruction
  std::vector<std::uint32_t> begins_{0};
  std::vector<RegisterUse> uses_;  // until renumber(), values are numbers of the function
  std::vector<std::uint32_t> declared_;
  std::vector<std::uint32_t> numbers_;  // by declared register; empty where they are too many
  std::vector<std::uint8_t> widths_;
  Lists writers_;
};

}  // namespace frx::derive::ptx
