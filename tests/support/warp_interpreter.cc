#include "support/warp_interpreter.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace frx::testing {
namespace {

namespace code = ::frx::model::ptx;
using code::Operand;

constexpr std::uint64_t shared_base = 0x40000000;  // of the first shared variable; far from where addresses wrap
constexpr std::uint64_t most_steps = 200'000;
__extension__ using Wide = __int128;
using Lanes = std::array<std::uint64_t, 32>;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, '.');) words.push_back(word);
  return words;
}

struct Kind {
  int bits = 0;
  bool with_sign = false;
};
Kind kind_of(std::string_view word) {
  if (word == "pred") return {32, false};
  if (word.size() < 2 || (word[0] != 's' && word[0] != 'u' && word[0] != 'b' && word[0] != 'f')) return {};
  if (word.find_first_not_of("0123456789", 1) != word.npos) return {};
  const int bits = std::stoi(std::string(word.substr(1)));
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? Kind{bits, word[0] == 's'} : Kind{};
}

// A register as the number its type says.
std::int64_t signed_value(std::uint64_t value, int bits) {
  switch (bits) {
    case 8: return static_cast<std::int8_t>(value);
    case 16: return static_cast<std::int16_t>(value);
    case 32: return static_cast<std::int32_t>(value);
    default: return static_cast<std::int64_t>(value);
  }
}
std::uint64_t unsigned_value(std::uint64_t value, int bits) {
  switch (bits) {
    case 8: return static_cast<std::uint8_t>(value);
    case 16: return static_cast<std::uint16_t>(value);
    case 32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

class Warp {
 public:
  Warp(const code::Module& module, const code::Function& function, const WarpLaunch& launch)
      : module_(module), function_(function), launch_(launch), registers_(function.register_count), words_of_form_(module.forms.size()) {}

  WarpTrace run();

 private:
  void place_variables();
  void step(std::uint32_t pc, std::uint32_t active);
  void execute(std::uint32_t lane);
  void move_on(std::uint32_t lane, const code::Instruction& instruction);
  void access(std::uint32_t pc, std::uint32_t active);
  std::uint64_t special(std::uint32_t number, std::uint32_t lane) const;
  std::uint64_t read(std::size_t at, std::uint32_t lane);
  std::uint64_t top(int number, std::uint32_t lane);
  std::size_t position(int number) const;
  std::uint64_t loaded(std::uint64_t address) const;
  std::uint64_t compute(const std::string& opcode, std::uint32_t lane);
  std::uint64_t divide(bool remainder, std::uint64_t a, std::uint64_t b) const;
  bool compare(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t multiply(std::uint32_t lane);
  std::uint64_t convert(std::uint32_t lane);
  std::uint64_t checked(Wide exact);
  std::uint64_t natural(std::uint64_t value);
  bool has(std::string_view word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }

  const code::Module& module_;
  const code::Function& function_;
  const WarpLaunch& launch_;
  std::vector<Lanes> registers_;
  std::map<std::string, std::uint64_t> addresses_;  // of shared variables
  std::array<std::uint32_t, 32> pc_{};
  std::array<std::array<std::uint32_t, 32>, 3> thread_{};
  std::vector<std::vector<std::string>> words_of_form_;
  WarpTrace trace_;
  // Of the instruction that runs.
  std::span<const std::string> words_;
  std::span<const Operand> operands_;
  Kind kind_;
};

void Warp::place_variables() {
  std::uint64_t at = shared_base;
  for (const code::Variable& one : module_.in(module_.variables, function_.variables)) {
    const std::uint64_t align = std::max(1u, one.align);
    at = (at + align - 1) / align * align;
    addresses_[std::string(module_.names[one.name])] = at;
    at += one.bytes;
  }
}

WarpTrace Warp::run() {
  place_variables();
  const std::uint64_t threads = std::uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
  const std::uint32_t out = function_.instructions.end;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t thread = launch_.warp * 32ull + lane;
    thread_[0][lane] = static_cast<std::uint32_t>(thread % launch_.block[0]);
    thread_[1][lane] = static_cast<std::uint32_t>(thread / launch_.block[0] % launch_.block[1]);
    thread_[2][lane] = static_cast<std::uint32_t>(thread / (launch_.block[0] * launch_.block[1]));
    pc_[lane] = thread < threads ? function_.instructions.begin : out;
    if (thread < threads) trace_.existing |= 1u << lane;
  }
  for (std::uint64_t steps = 0; trace_.problem.empty(); ++steps) {
    const std::uint32_t pc = *std::min_element(pc_.begin(), pc_.end());
    if (pc >= out) break;
    if (steps == most_steps) trace_.problem = "too many steps";
    std::uint32_t active = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) active |= static_cast<std::uint32_t>(pc_[lane] == pc) << lane;
    step(pc, active);
  }
  return std::move(trace_);
}

void Warp::step(std::uint32_t pc, std::uint32_t active) {
  const code::Instruction& instruction = module_.instructions[pc];
  std::vector<std::string>& words = words_of_form_[instruction.form];
  if (words.empty()) words = words_of(module_.form_of(instruction).text);
  words_ = words;
  operands_ = module_.operands_of(instruction);
  kind_ = kind_of(words_.back());
  std::uint32_t running = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const bool runs =
        instruction.predicate == code::none || (registers_[instruction.predicate][lane] != 0) != instruction.predicate_negated;
    running |= static_cast<std::uint32_t>(runs) << lane;
    pc_[lane] = pc + 1;
  }
  const std::string& opcode = words_[0];
  const bool is_memory = (opcode == "ld" || opcode == "st") && !has("param");
  if (is_memory && running != 0) access(pc, running);
  for (std::uint32_t lane = 0; lane < 32 && !is_memory; ++lane) {
    if ((running >> lane & 1) == 0) continue;
    if (opcode == "bra" || opcode == "ret" || opcode == "exit") {
      move_on(lane, instruction);
    } else if (opcode != "bar") {
      execute(lane);
    }
  }
}

void Warp::move_on(std::uint32_t lane, const code::Instruction& instruction) {
  const bool leaves = operands_.empty();
  pc_[lane] = leaves ? function_.instructions.end : module_.labels[operands_[0].value].instruction;
  static_cast<void>(instruction);
}

// The operand with this number, parts not counted.
std::size_t Warp::position(int number) const {
  std::size_t at = 0;
  while (number-- > 0 && at < operands_.size()) at += 1 + operands_[at].parts;
  return at;
}

std::uint64_t Warp::special(std::uint32_t number, std::uint32_t lane) const {
  const std::string_view name = module_.names[module_.specials[number].name];
  if (name == "%laneid") return lane;
  const std::size_t axis = static_cast<std::size_t>(name.back() - 'x');
  if (name.starts_with("%tid.")) return thread_[axis][lane];
  if (name.starts_with("%ntid.")) return launch_.block[axis];
  return name.starts_with("%ctaid.") ? launch_.block_index[axis] : launch_.grid[axis];
}

std::uint64_t Warp::read(std::size_t at, std::uint32_t lane) {
  const Operand& it = operands_[at];
  switch (it.kind) {
    case Operand::reg: {
      const std::uint64_t value = registers_[it.value][lane];
      return (it.flags & Operand::negated) != 0 ? value == 0 : value;
    }
    case Operand::special: return special(it.value, lane);
    case Operand::integer: return static_cast<std::uint64_t>(std::int64_t{it.signed_value()});
    case Operand::wide: return module_.constants[it.value];
    case Operand::symbol: return addresses_.at(std::string(module_.names[it.value]));
    default: trace_.problem = "operand"; return 0;
  }
}

std::uint64_t Warp::top(int number, std::uint32_t lane) { return read(position(number), lane); }

std::uint64_t Warp::loaded(std::uint64_t address) const {
  std::uint64_t value = (address + launch_.seed) * 0x9E3779B97F4A7C15;
  value ^= value >> 31;
  return value * 0xBF58476D1CE4E5B9 >> 40 & 0xFFFF;
}

void Warp::access(std::uint32_t pc, std::uint32_t active) {
  const bool is_load = words_[0] == "ld";
  const std::size_t at = position(is_load ? 1 : 0);
  Touch touch{pc, active, {}};
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    touch.addresses[lane] = read(at + 1, lane) + static_cast<std::uint64_t>(std::int64_t{operands_[at].signed_value()});
    if (has("shared")) touch.addresses[lane] = static_cast<std::uint32_t>(touch.addresses[lane]);
    for (std::size_t i = 0; is_load && i <= operands_[0].parts; ++i) {
      if (operands_[i].kind == Operand::reg) registers_[operands_[i].value][lane] = loaded(touch.addresses[lane]);
    }
  }
  trace_.touches.push_back(touch);
}

// A result that should have fitted.
std::uint64_t Warp::checked(Wide exact) {
  const auto value = static_cast<std::uint64_t>(exact);
  if (kind_.bits == 32 && exact != static_cast<std::int32_t>(exact)) trace_.wrapped = true;
  return value;
}

// An operand of an operation without sign.
std::uint64_t Warp::natural(std::uint64_t value) {
  if (kind_.bits == 32 && (value & 0x80000000) != 0) trace_.wrapped = true;
  return unsigned_value(value, kind_.bits);
}

std::uint64_t Warp::divide(bool remainder, std::uint64_t a, std::uint64_t b) const {
  if (kind_.with_sign) {
    const std::int64_t x = signed_value(a, kind_.bits), y = signed_value(b, kind_.bits);
    if (y == 0 || y == -1) return remainder ? 0 : static_cast<std::uint64_t>(-x);
    return static_cast<std::uint64_t>(remainder ? x % y : x / y);
  }
  const std::uint64_t x = unsigned_value(a, kind_.bits), y = unsigned_value(b, kind_.bits);
  return y == 0 ? ~0ull : remainder ? x % y : x / y;
}

bool Warp::compare(std::uint64_t a, std::uint64_t b) const {
  const std::string& how = words_[1];
  const std::uint64_t ua = unsigned_value(a, kind_.bits), ub = unsigned_value(b, kind_.bits);
  const std::int64_t sa = signed_value(a, kind_.bits), sb = signed_value(b, kind_.bits);
  if (how == "eq") return ua == ub;
  if (how == "ne") return ua != ub;
  if (how == "lt") return kind_.with_sign ? sa < sb : ua < ub;
  if (how == "le") return kind_.with_sign ? sa <= sb : ua <= ub;
  if (how == "gt") return kind_.with_sign ? sa > sb : ua > ub;
  return kind_.with_sign ? sa >= sb : ua >= ub;
}

std::uint64_t Warp::multiply(std::uint32_t lane) {
  const std::uint64_t a = top(1, lane), b = top(2, lane);
  const bool adds = words_[0] == "mad";
  if (has("wide")) {
    const std::uint64_t product =
        kind_.with_sign ? static_cast<std::uint64_t>(signed_value(a, kind_.bits) * signed_value(b, kind_.bits)) : natural(a) * natural(b);
    return product + (adds ? top(3, lane) : 0);
  }
  if (has("hi")) return (unsigned_value(a, 32) * unsigned_value(b, 32)) >> 32;
  const Wide product = Wide{signed_value(a, kind_.bits)} * signed_value(b, kind_.bits);
  return checked(product + (adds ? signed_value(top(3, lane), kind_.bits) : 0));
}

std::uint64_t Warp::convert(std::uint32_t lane) {
  const Kind to = kind_of(words_[words_.size() - 2]);
  const std::uint64_t value = top(1, lane);
  if (!kind_.with_sign && to.bits > kind_.bits) natural(value);
  const std::uint64_t source =
      kind_.with_sign ? static_cast<std::uint64_t>(signed_value(value, kind_.bits)) : unsigned_value(value, kind_.bits);
  return to.with_sign ? static_cast<std::uint64_t>(signed_value(source, to.bits)) : unsigned_value(source, to.bits);
}

std::uint64_t Warp::compute(const std::string& opcode, std::uint32_t lane) {
  if (opcode == "mul" || opcode == "mad") return multiply(lane);
  if (opcode == "cvt") return convert(lane);
  const std::uint64_t a = top(1, lane);
  if (opcode == "mov" || opcode == "cvta") return a;
  const std::int64_t sa = signed_value(a, kind_.bits);
  if (opcode == "neg") return checked(-Wide{sa});
  if (opcode == "abs") return static_cast<std::uint64_t>(sa < 0 ? -sa : sa);
  if (opcode == "not") return has("pred") ? a == 0 : ~a;
  const std::uint64_t b = top(2, lane);
  const std::int64_t sb = signed_value(b, kind_.bits);
  if (opcode == "add") return checked(Wide{sa} + sb);
  if (opcode == "sub") return checked(Wide{sa} - sb);
  if (opcode == "and") return a & b;
  if (opcode == "or") return a | b;
  if (opcode == "xor") return a ^ b;
  if (opcode == "shl") return b >= 64 || b >= static_cast<std::uint64_t>(kind_.bits) ? 0 : checked(Wide{sa} << b);
  if (opcode == "shr")
    return kind_.with_sign                               ? static_cast<std::uint64_t>(sa >> std::min<std::uint64_t>(b, 63))
           : b >= static_cast<std::uint64_t>(kind_.bits) ? 0
                                                         : natural(a) >> b;
  if (opcode == "min") return kind_.with_sign ? (sa < sb ? a : b) : natural(a) < natural(b) ? a : b;
  if (opcode == "max") return kind_.with_sign ? (sa < sb ? b : a) : natural(a) < natural(b) ? b : a;
  if (opcode == "div" || opcode == "rem") return divide(opcode == "rem", a, b);
  if (opcode == "setp") return compare(a, b);
  const std::uint64_t c = top(3, lane);
  if (opcode == "selp") return c != 0 ? a : b;
  if (opcode == "bfe") return unsigned_value(a, kind_.bits) >> b & ((1ull << c) - 1);
  trace_.problem = "instruction " + opcode;
  return 0;
}

void Warp::execute(std::uint32_t lane) {
  if (operands_.empty() || operands_[0].kind != Operand::reg) {
    trace_.problem = "result";
    return;
  }
  std::uint64_t value = 0;
  if (words_[0] == "ld") {
    const auto parameters = module_.in(module_.variables, function_.parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name == operands_[2].value) value = launch_.parameters.at(i);
    }
  } else {
    value = compute(words_[0], lane);
  }
  int bits = kind_.bits;
  if (words_[0] == "cvt") bits = std::max(32, kind_of(words_[words_.size() - 2]).bits);
  if (has("wide")) bits *= 2;
  registers_[operands_[0].value][lane] = unsigned_value(value, bits);
}

}  // namespace

WarpTrace run_warp(const code::Module& module, const code::Function& function, const WarpLaunch& launch) {
  return Warp(module, function, launch).run();
}

}  // namespace frx::testing
