// Which registers and labels the names inside a function mean, block by block.
//
// Inline assembly stands in braces of its own and declares what it likes, often the same names again and
// again; an inner declaration hides an outer one until its brace closes. A label may be used before it is
// known, so that operands that may be one are settled at the end of the block, from the innermost on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/ptx/reading.h"

namespace frx::ingest::ptx {

class Scopes {
 public:
  explicit Scopes(Reading& in) : in_(in) {}

  void open();
  // Settles the labels of the block and forgets what it declared.
  void close();
  std::size_t depth() const { return blocks_.size(); }
  bool is_too_deep() const { return depth() >= 200; }

  // Registers of the function that begins; banks of the function stand behind `first_bank` in the module.
  void begin_function();
  std::uint64_t register_count() const { return registers_; }

  // Adds the bank to the module and numbers its registers; false when a function could not hold so many.
  bool declare(model::RegisterBank bank);
  // The number of a register in the function; `none` when this is no register.
  std::uint32_t register_named(std::string_view spelling) const;

  void define(model::Label label);
  // Operand `index` of the module is a symbol that may turn out to be a label.
  void may_be_label(std::uint32_t operand) { pending_.push_back(operand); }
  // The operands from `first` on, the last of those above, moved by one.
  void moved(std::uint32_t first);
  // Operands from `first` on are gone.
  void forget_operands(std::uint32_t first);

 private:
  struct Block {
    std::size_t hidden, labels, pending;  // sizes of the lists when it was opened
  };
  struct Hidden {
    std::uint32_t name, bank;
    bool numbered;
  };
  std::uint32_t in_bank(const std::vector<std::uint32_t>& banks, std::string_view name, std::uint64_t number) const;
  std::uint32_t numbered(std::string_view spelling, std::size_t digits) const;
  void settle_labels(const Block& block);

  Reading& in_;
  std::uint64_t registers_ = 0;
  // By name: the bank, as its index in the module + 1; 0 for none.
  std::vector<std::uint32_t> numbered_, single_, label_;
  // How many visible ones make the quick way wrong: single registers such as %r1, and prefixes such as %r1<4>.
  std::size_t singles_with_digit_ = 0, prefixes_with_digit_ = 0;
  std::vector<Hidden> hidden_;
  std::vector<std::uint32_t> labels_, pending_;
  std::vector<Block> blocks_;
};

}  // namespace frx::ingest::ptx
