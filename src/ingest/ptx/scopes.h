// Resolves the names of registers and labels inside a function, block by block.
//
// Inline assembly has braces of its own and its own declarations, often the same names repeatedly; an inner declaration hides an outer one
// until its brace closes. A label may be used before it is declared, so that operands that may be labels are resolved at the end of the
// block, from the innermost on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/ptx/reading.h"

namespace frx::ingest::ptx {

class Scopes {
 public:
  explicit Scopes(Reading& in) : in_(in) {}

  void open();
  // Resolves the labels of the block and removes its declarations.
  void close();
  std::size_t depth() const { return blocks_.size(); }
  bool is_too_deep() const { return depth() >= 200; }

  // Resets the registers at the begin of a function; banks of the function follow `first_bank` in the module.
  void begin_function();
  std::uint64_t register_count() const { return registers_; }

  // Adds the bank to the module and numbers its registers; false when a function could not hold so many.
  bool declare(model::RegisterBank bank);
  // The number of a register in the function; `none` for another name.
  std::uint32_t register_named(std::string_view spelling) const;

  void define(model::Label label);
  // Operand `index` of the module is a symbol that may turn out to be a label.
  void may_be_label(std::uint32_t operand) { pending_.push_back(operand); }
  // Moves the positions of the operands from `first` on, the last of those above, by one.
  void moved(std::uint32_t first);
  // Removes the operands from `first` on.
  void forget_operands(std::uint32_t first);

 private:
  struct Block {
    std::size_t hidden, labels, pending;  // sizes of the lists at its begin
  };
  struct Hidden {
    std::uint32_t name, bank;
    bool numbered;
  };
  // A bank of numbered registers that was used.
  struct Recent {
    std::uint64_t prefix = 0;  // its characters, at most seven
    std::uint32_t first = 0, count = 0;
  };
  static std::size_t recent_slot(std::uint64_t prefix) { return prefix * 0x9FB21C651E98DF25 >> 58; }
  std::uint32_t recently_named(std::string_view spelling) const;
  void keep_recent(std::string_view prefix, const model::RegisterBank& bank) const;
  std::uint32_t in_bank(const std::vector<std::uint32_t>& banks, std::string_view name, std::uint64_t number) const;
  std::uint32_t numbered(std::string_view spelling, std::size_t digits) const;
  void settle_labels(const Block& block);

  Reading& in_;
  std::uint64_t registers_ = 0;
  // By name: the bank, as its index in the module + 1; 0 for none.
  std::vector<std::uint32_t> numbered_, single_, label_;
  // The number of visible declarations that make the fast path wrong: single registers such as %r1, and prefixes such as %r1<4>.
  std::size_t singles_with_digit_ = 0, prefixes_with_digit_ = 0;
  std::vector<Hidden> hidden_;
  // By prefix: nearly all registers of a function have one of a few. Empty again when declarations change.
  mutable std::array<Recent, 64> recent_{};
  std::vector<std::uint32_t> labels_, pending_;
  std::vector<Block> blocks_;
};

}  // namespace frx::ingest::ptx
