#include "derive/ptx/register_uses.h"

#include <algorithm>

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Operand;

// The registers that one instruction after the other reads and writes.
class Collector {
 public:
  explicit Collector(std::vector<RegisterUse>& into) : into_(into) {}

  void collect(const model::Form& form, std::span<const Operand> operands);

 private:
  void add(std::span<const Operand> operand, bool read, bool written);

  std::vector<RegisterUse>& into_;
  std::vector<RegisterUse> writes_;  // of the instruction, which come after what it reads
};

// An address is read even where its memory is written; a call writes only the list before the name.
bool is_result(const model::Form& form, std::size_t number, const Operand& operand, bool is_last) {
  if (operand.kind == Operand::address || number >= form.results) return false;
  return form.flow != model::Flow::call || (operand.kind == Operand::list && !is_last);
}

void Collector::collect(const model::Form& form, std::span<const Operand> operands) {
  writes_.clear();
  std::size_t number = 0;
  for (std::size_t at = 0; at < operands.size(); ++number) {
    const Operand& top = operands[at];
    const std::size_t behind = at + 1 + top.parts;
    const bool written = is_result(form, number, top, behind >= operands.size());
    // Only half of a register is written; the other half stays.
    add(operands.subspan(at, 1 + top.parts), !written || form.reads_result || top.kind == Operand::selected, written);
    at = behind;
  }
  into_.insert(into_.end(), writes_.begin(), writes_.end());
}

void Collector::add(std::span<const Operand> operand, bool read, bool written) {
  for (const Operand& part : operand) {
    if (part.kind != Operand::reg) continue;
    if (read) into_.push_back({part.value, false});
    if (written) writes_.push_back({part.value, true});
  }
}

std::uint8_t width_of(const model::RegisterBank& bank) {
  if (bank.type == model::Type::pred) return 0;
  return static_cast<std::uint8_t>(std::max(1, (model::bits_of(bank.type) * bank.lanes + 31) / 32));
}

}  // namespace

RegisterUses::RegisterUses(const model::Module& module, const model::Function& function) : first_(function.instructions.begin) {
  begins_.reserve(function.instructions.size() + 1);
  uses_.reserve(function.operands.size());
  Collector collector(uses_);
  for (const model::Instruction& instruction : module.code(function)) {
    if (instruction.predicate != model::none) uses_.push_back({instruction.predicate, false});
    collector.collect(module.form_of(instruction), module.operands_of(instruction));
    begins_.push_back(static_cast<std::uint32_t>(uses_.size()));
  }
  renumber(module, function);
  writers_ = by_value(true);
}

Lists RegisterUses::by_value(bool written) const {
  return lists_of(count(), [&](const auto& take) {
    for (std::uint32_t i = 0; i + 1 < begins_.size(); ++i) {
      for (std::uint32_t use = begins_[i]; use < begins_[i + 1]; ++use) {
        if (uses_[use].written == written) take(uses_[use].value, first_ + i);
      }
    }
  });
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
