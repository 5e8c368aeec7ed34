#include "derive/ptx/register_uses.h"

#include <algorithm>

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Operand;

class Collector {
 public:
  Collector(const model::Form& form, std::span<const Operand> operands, std::vector<RegisterUse>& into)
      : form_(form), operands_(operands), into_(into) {}

  // Collects either the registers that are read or those that are written.
  void collect(bool writes);

 private:
  void add(const Operand& top, std::span<const Operand> parts);
  bool is_result(std::size_t top_level, const Operand& operand, std::size_t behind) const;

  const model::Form& form_;
  std::span<const Operand> operands_;
  std::vector<RegisterUse>& into_;
  bool writes_ = false;
};

void Collector::collect(bool writes) {
  writes_ = writes;
  std::size_t number = 0;
  for (std::size_t at = 0; at < operands_.size(); ++number) {
    const Operand& top = operands_[at];
    const std::size_t behind = at + 1 + top.parts;
    const bool written = is_result(number, top, behind);
    // Only half of a register is written; the other half stays.
    const bool read = !written || form_.reads_result || top.kind == Operand::selected;
    if (writes ? written : read) add(top, operands_.subspan(at + 1, top.parts));
    at = behind;
  }
}

// An address is read even where its memory is written; a call writes only the list before the name.
bool Collector::is_result(std::size_t number, const Operand& operand, std::size_t behind) const {
  if (operand.kind == Operand::address || number >= form_.results) return false;
  return form_.flow != model::Flow::call || (operand.kind == Operand::list && behind < operands_.size());
}

void Collector::add(const Operand& top, std::span<const Operand> parts) {
  if (top.kind == Operand::reg) into_.push_back({top.value, writes_});
  for (const Operand& part : parts) {
    if (part.kind == Operand::reg) into_.push_back({part.value, writes_});
  }
}

std::uint8_t width_of(const model::RegisterBank& bank) {
  if (bank.type == model::Type::pred) return 0;
  return static_cast<std::uint8_t>(std::max(1, (model::bits_of(bank.type) * bank.lanes + 31) / 32));
}

}  // namespace

RegisterUses::RegisterUses(const model::Module& module, const model::Function& function) : first_(function.instructions.begin) {
  begins_.reserve(function.instructions.size() + 1);
  for (const model::Instruction& instruction : module.code(function)) {
    if (instruction.predicate != model::none) uses_.push_back({instruction.predicate, false});
    Collector collector(module.form_of(instruction), module.operands_of(instruction), uses_);
    collector.collect(false);
    collector.collect(true);
    begins_.push_back(static_cast<std::uint32_t>(uses_.size()));
  }
  renumber(module, function);
}

// Uses a table by declared register where the declarations are few enough, and a search otherwise.
void RegisterUses::renumber(const model::Module& module, const model::Function& function) {
  if (function.register_count <= 4 * uses_.size() + 1024) {
    std::vector<std::uint32_t>& number = numbers_;
    number.assign(function.register_count, 0);
    for (const RegisterUse& use : uses_) number[use.value] = 1;
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      if (number[i] == 0) continue;
      number[i] = count();
      declared_.push_back(i);
    }
    for (RegisterUse& use : uses_) use.value = number[use.value];
  } else {
    for (const RegisterUse& use : uses_) declared_.push_back(use.value);
    std::sort(declared_.begin(), declared_.end());
    declared_.erase(std::unique(declared_.begin(), declared_.end()), declared_.end());
    const auto number = [&](std::uint32_t i) { return std::lower_bound(declared_.begin(), declared_.end(), i) - declared_.begin(); };
    for (RegisterUse& use : uses_) use.value = static_cast<std::uint32_t>(number(use.value));
  }
  measure_widths(module, function);
}

std::uint32_t RegisterUses::value_of(std::uint32_t declared) const {
  if (!numbers_.empty()) return numbers_[declared];
  return static_cast<std::uint32_t>(std::lower_bound(declared_.begin(), declared_.end(), declared) - declared_.begin());
}

void RegisterUses::measure_widths(const model::Module& module, const model::Function& function) {
  // Banks are in the order of their numbers.
  const auto banks = module.in(module.banks, function.banks);
  std::size_t bank = 0;
  for (const std::uint32_t number : declared_) {
    while (bank + 1 < banks.size() && number - banks[bank].first >= banks[bank].count) ++bank;
    widths_.push_back(bank < banks.size() ? width_of(banks[bank]) : 1);
  }
}

}  // namespace frx::derive::ptx
