#include "ingest/ptx/scopes.h"

#include <algorithm>

namespace frx::ingest::ptx {
namespace {

// Registers are numbered with 32 bits, of which the highest values are reserved.
constexpr std::uint64_t most_registers = 0xF0000000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint32_t& slot(std::vector<std::uint32_t>& of, std::uint32_t name) {
  if (of.size() <= name) of.resize(std::max<std::size_t>(name + 1, of.size() * 2), 0);
  return of[name];
}

}  // namespace

void Scopes::begin_function() {
  registers_ = 0;
  open();
}

void Scopes::open() { blocks_.push_back({hidden_.size(), labels_.size(), pending_.size()}); }

void Scopes::close() {
  const Block block = blocks_.back();
  blocks_.pop_back();
  settle_labels(block);
  if (hidden_.size() > block.hidden) recent_.fill({});
  while (hidden_.size() > block.hidden) {
    const Hidden& last = hidden_.back();
    std::uint32_t& now = slot(last.numbered ? numbered_ : single_, last.name);
    if (is_digit(in_.module.names[last.name].back())) --(last.numbered ? prefixes_with_digit_ : singles_with_digit_);
    now = last.bank;
    hidden_.pop_back();
  }
  if (blocks_.empty()) pending_.clear();
}

void Scopes::settle_labels(const Block& block) {
  std::vector<model::Label>& labels = in_.module.labels;
  for (std::size_t i = block.labels; i < labels_.size(); ++i) slot(label_, labels[labels_[i]].name) = labels_[i] + 1;
  std::size_t kept = block.pending;
  for (std::size_t i = block.pending; i < pending_.size(); ++i) {
    model::Operand& operand = in_.module.operands[pending_[i]];
    const std::uint32_t label = operand.value < label_.size() ? label_[operand.value] : 0;
    if (label == 0) {
      pending_[kept++] = pending_[i];
    } else {
      operand.kind = model::Operand::label;
      operand.value = label - 1;
    }
  }
  pending_.resize(kept);
  for (std::size_t i = block.labels; i < labels_.size(); ++i) label_[labels[labels_[i]].name] = 0;
  labels_.resize(block.labels);
}

bool Scopes::declare(model::RegisterBank bank) {
  if (registers_ + bank.count > most_registers) return in_.expected("fewer registers than 32 bits can number");
  bank.first = static_cast<std::uint32_t>(registers_);
  registers_ += bank.count;
  in_.module.banks.push_back(bank);
  std::uint32_t& now = slot(bank.numbered ? numbered_ : single_, bank.name);
  hidden_.push_back({bank.name, now, bank.numbered});
  now = static_cast<std::uint32_t>(in_.module.banks.size());
  recent_.fill({});
  if (is_digit(in_.module.names[bank.name].back())) ++(bank.numbered ? prefixes_with_digit_ : singles_with_digit_);
  return true;
}

std::uint32_t Scopes::in_bank(const std::vector<std::uint32_t>& banks, std::string_view name, std::uint64_t number) const {
  const std::uint32_t id = in_.find_name(name);
  const std::uint32_t bank = id < banks.size() ? banks[id] : 0;
  return bank != 0 && number < in_.module.banks[bank - 1].count ? bank : 0;
}

// The bank of a register whose last `digits` characters are its number.
std::uint32_t Scopes::numbered(std::string_view spelling, std::size_t digits) const {
  const std::string_view number = spelling.substr(spelling.size() - digits);
  if (digits > 10 || (digits > 1 && number[0] == '0')) return 0;
  std::uint64_t value = 0;
  for (const char c : number) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return in_bank(numbered_, spelling.substr(0, spelling.size() - digits), value);
}

// A register of a bank that was used before: a prefix without digits, and a number as a bank numbers its registers.
std::uint32_t Scopes::recently_named(std::string_view spelling) const {
  constexpr std::size_t most_letters = 7, most_digits = 9;
  std::uint64_t prefix = 0;
  std::size_t at = 0;
  for (; at < spelling.size() && !is_digit(spelling[at]); ++at) prefix = prefix << 8 | static_cast<unsigned char>(spelling[at]);
  const std::size_t digits = spelling.size() - at;
  if (at > most_letters || digits == 0 || digits > most_digits || (digits > 1 && spelling[at] == '0')) return model::none;
  const Recent& recent = recent_[recent_slot(prefix)];
  if (recent.prefix != prefix) return model::none;
  std::uint32_t number = 0;
  for (; at < spelling.size() && is_digit(spelling[at]); ++at) number = number * 10 + static_cast<std::uint32_t>(spelling[at] - '0');
  return at == spelling.size() && number < recent.count ? recent.first + number : model::none;
}

void Scopes::keep_recent(std::string_view prefix, const model::RegisterBank& bank) const {
  if (prefix.size() > 7 || std::ranges::any_of(prefix, is_digit)) return;
  std::uint64_t key = 0;
  for (const char c : prefix) key = key << 8 | static_cast<unsigned char>(c);
  recent_[recent_slot(key)] = {key, bank.first, bank.count};
}

std::uint32_t Scopes::register_named(std::string_view spelling) const {
  if (prefixes_with_digit_ + singles_with_digit_ == 0) {
    if (const std::uint32_t known = recently_named(spelling); known != model::none) return known;
  }
  std::size_t digits = 0;
  while (digits + 1 < spelling.size() && is_digit(spelling[spelling.size() - 1 - digits])) ++digits;
  std::uint32_t bank = digits > 0 ? numbered(spelling, digits) : 0;
  std::size_t number_size = digits;
  // Prefixes that end in a digit themselves: %r1<4> declares %r10.
  for (std::size_t fewer = 1; prefixes_with_digit_ > 0 && fewer < std::min<std::size_t>(digits, 11); ++fewer) {
    const std::uint32_t other = numbered(spelling, fewer);
    if (other > bank) bank = other, number_size = fewer;
  }
  if (bank == 0 || singles_with_digit_ > 0) {
    const std::uint32_t single = in_bank(single_, spelling, 0);
    if (single > bank) return in_.module.banks[single - 1].first;
  }
  if (bank == 0) return model::none;
  std::uint32_t number = 0;
  for (const char c : spelling.substr(spelling.size() - number_size)) number = number * 10 + static_cast<std::uint32_t>(c - '0');
  keep_recent(spelling.substr(0, spelling.size() - number_size), in_.module.banks[bank - 1]);
  return in_.module.banks[bank - 1].first + number;
}

void Scopes::moved(std::uint32_t first) {
  for (std::size_t i = pending_.size(); i > 0 && pending_[i - 1] >= first; --i) ++pending_[i - 1];
}

void Scopes::forget_operands(std::uint32_t first) {
  while (!pending_.empty() && pending_.back() >= first) pending_.pop_back();
}

void Scopes::define(model::Label label) {
  labels_.push_back(static_cast<std::uint32_t>(in_.module.labels.size()));
  in_.module.labels.push_back(label);
}

}  // namespace frx::ingest::ptx
