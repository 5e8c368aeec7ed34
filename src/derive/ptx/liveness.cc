#include "derive/ptx/liveness.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "derive/ptx/cheap_values.h"
#include "derive/ptx/loads_together.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

// How many steps the analysis may take: ordinary code needs few for each instruction, small functions more.
constexpr std::size_t steps_per_instruction = 50;
constexpr std::size_t steps_at_least = 100'000;
constexpr std::size_t most_words_per_instruction = 4;
constexpr int most_iterations = 8;

// From live values to registers: ptxas adds some of its own, and a limited number for loads that it starts early. The constants are
// chosen so that most kernels of docs/validation/ptx.md that do not spill are within a tenth or a quarter.
constexpr double registers_for_nothing = 4, registers_for_each = 0.95;
constexpr std::uint32_t most_for_loads = 16;
constexpr std::uint32_t most_registers = 255;

class Solver {
 public:
  Solver(const model::Module& module, const model::Function& function, const FlowGraph& graph, const RegisterUses& uses)
      : module_(module), function_(function), graph_(graph), uses_(uses), cheap_(module, function, uses) {}

  Liveness solve();

 private:
  void describe_values();
  bool kills(std::uint32_t instruction, std::uint32_t value) const;
  void look_at_block(std::uint32_t block);
  std::optional<bool> follow_together(Lists& live_in);
  bool spread(std::span<const std::uint64_t> written, std::size_t words, std::span<std::uint64_t> live) const;
  void collect(std::span<const std::uint64_t> live, std::size_t words, Lists& live_in) const;
  bool follow_one_by_one(Lists& live_in);
  bool follow(std::uint32_t value, std::uint32_t block);
  void begin_at_end_of(std::uint32_t block, const Lists& live_in);
  void measure(std::uint32_t block, const Lists& live_in);

  // The properties of a value that are read most often, side by side.
  struct Value {
    std::uint32_t stamp = 0;  // equal to the current time while the value is in the set
    std::uint32_t root = 0;
    std::uint32_t root_stamp = 0, of_root = 0;  // of a root: how many of its values are in the set
    std::uint8_t root_width = 0, width_in_hand = 0;
    bool is_free = false, is_predicate = false;
  };
  // A set of values with constant-time clearing, and the registers that they need together.
  struct Live {
    std::vector<Value> values;
    std::uint32_t now = 0, registers = 0, predicates = 0;
  };
  void add(std::uint32_t value);
  void remove(std::uint32_t value);
  std::uint32_t in_hand(std::span<const RegisterUse> uses) const;

  const model::Module& module_;
  const model::Function& function_;
  const FlowGraph& graph_;
  const RegisterUses& uses_;
  const CheapValues cheap_;
  std::vector<Edge> needed_, written_;         // value, block: read there before it is written; written there
  std::vector<Edge> live_;                     // block, value
  std::vector<std::uint32_t> seen_, defines_;  // by block: the last value that was found to be live, or written
  std::size_t steps_left_ = 0;
  std::vector<std::uint32_t> open_;
  Live set_;
  std::uint32_t held_ = none;  // the block that has the values of set_ at its beginning
  Pressure pressure_;
};

Liveness Solver::solve() {
  const auto blocks = static_cast<std::uint32_t>(graph_.blocks.size());
  if (blocks == 0) return {by_begin(0, {}), {}};
  describe_values();
  for (std::uint32_t block = 0; block < blocks; ++block) look_at_block(block);
  Liveness result;
  steps_left_ = steps_at_least + steps_per_instruction * function_.instructions.size();
  std::optional<bool> known = follow_together(result.live_in);
  if (!known) known = follow_one_by_one(result.live_in);
  pressure_.known = *known;
  pressure_.for_loads = loads_together(module_, graph_, uses_);
  if (!pressure_.known) result.live_in = by_begin(blocks, {});
  for (std::uint32_t block = blocks; block-- > 0 && pressure_.known;) measure(block, result.live_in);
  result.pressure = pressure_;
  return result;
}

void Solver::describe_values() {
  set_.values.resize(uses_.count());
  for (std::uint32_t i = 0; i < uses_.count(); ++i) {
    Value& value = set_.values[i];
    value.root = cheap_.root(i);
    value.root_width = uses_.width(value.root);
    value.width_in_hand = cheap_.is_made_again(i) ? uses_.width(i) : 0;
    value.is_free = cheap_.is_free(i);
    value.is_predicate = uses_.is_predicate(i);
  }
}

// Is the value dead before this instruction? A predicated instruction may leave an older value as it is.
bool Solver::kills(std::uint32_t instruction, std::uint32_t value) const {
  return module_.instructions[instruction].predicate == model::none || cheap_.is_written_once(value);
}

void Solver::look_at_block(std::uint32_t block) {
  const model::Range code = graph_.blocks[block];
  set_.now += 2;
  const std::uint32_t written = set_.now, read = written - 1;
  for (std::uint32_t i = code.begin; i < code.end; ++i) {
    for (const RegisterUse& use : uses_.of(i)) {
      std::uint32_t& stamp = set_.values[use.value].stamp;
      if (stamp == written || (stamp == read && !use.written)) continue;
      if (!use.written) {
        stamp = read;
        needed_.push_back({use.value, block});
      } else if (kills(i, use.value)) {
        stamp = written;
        written_.push_back({use.value, block});
      }
    }
  }
}

// Solves for all values of a block at once, as bit sets, as long as there are only a few bits for each instruction and few iterations
// suffice: ordinary code needs as many as its loops are deep. False: it would take more steps than following the values one by
// one may take. Nothing: the values are to be followed one by one.
std::optional<bool> Solver::follow_together(Lists& live_in) {
  const std::size_t words = (uses_.count() + 63) / 64, blocks = graph_.blocks.size();
  if (blocks * words > most_words_per_instruction * function_.instructions.size()) return std::nullopt;
  std::vector<std::uint64_t> live(blocks * words, 0), written(blocks * words, 0);
  for (const Edge& edge : needed_) live[edge.to * words + edge.from / 64] |= std::uint64_t{1} << edge.from % 64;
  for (const Edge& edge : written_) written[edge.to * words + edge.from / 64] |= std::uint64_t{1} << edge.from % 64;
  for (int iteration = 0; spread(written, words, live); ++iteration) {
    if (iteration == most_iterations) return std::nullopt;
  }
  collect(live, words, live_in);
  std::size_t steps = 0;
  for (std::size_t block = 0; block < blocks; ++block) steps += live_in[block].size() * graph_.predecessors[block].size();
  return steps <= steps_left_;
}

// Propagates from each block to its predecessors once, from the end of the code; returns whether anything changed.
bool Solver::spread(std::span<const std::uint64_t> written, std::size_t words, std::span<std::uint64_t> live) const {
  bool changed = false;
  for (std::size_t block = graph_.blocks.size(); block-- > 0;) {
    for (const std::uint32_t next : graph_.successors[block]) {
      for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t& here = live[block * words + w];
        const std::uint64_t more = live[next * words + w] & ~written[block * words + w] & ~here;
        here |= more;
        changed = changed || more != 0;
      }
    }
  }
  return changed;
}

void Solver::collect(std::span<const std::uint64_t> live, std::size_t words, Lists& live_in) const {
  live_in.begins.reserve(graph_.blocks.size() + 1);
  for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t bits = live[block * words + w]; bits != 0; bits &= bits - 1) {
        live_in.items.push_back(static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
    live_in.begins.push_back(static_cast<std::uint32_t>(live_in.items.size()));
  }
}

// Follows each value backwards from where it is read to where it is written.
bool Solver::follow_one_by_one(Lists& live_in) {
  const Lists needed = by_begin(uses_.count(), needed_), written = by_begin(uses_.count(), written_);
  seen_.assign(graph_.blocks.size(), none);
  defines_.assign(graph_.blocks.size(), none);
  for (std::uint32_t value = 0; value < uses_.count(); ++value) {
    if (needed[value].empty()) continue;
    for (const std::uint32_t block : written[value]) defines_[block] = value;
    for (const std::uint32_t block : needed[value]) {
      if (!follow(value, block)) return false;
    }
  }
  live_in = by_begin(graph_.blocks.size(), live_);
  return true;
}

bool Solver::follow(std::uint32_t value, std::uint32_t needed_in) {
  if (seen_[needed_in] == value) return true;
  seen_[needed_in] = value;
  open_.assign(1, needed_in);
  while (!open_.empty()) {
    const std::uint32_t block = open_.back();
    open_.pop_back();
    live_.push_back({block, value});
    const std::span<const std::uint32_t> predecessors = graph_.predecessors[block];
    if (steps_left_ < predecessors.size()) return false;
    steps_left_ -= predecessors.size();
    for (const std::uint32_t before : predecessors) {
      if (defines_[before] == value || seen_[before] == value) continue;
      seen_[before] = value;
      open_.push_back(before);
    }
  }
  return true;
}

void Solver::add(std::uint32_t number) {
  Value& value = set_.values[number];
  if (value.stamp == set_.now) return;
  value.stamp = set_.now;
  Value& root = set_.values[value.root];
  if (root.root_stamp != set_.now) root.of_root = 0;
  root.root_stamp = set_.now;
  if (!value.is_free && root.of_root++ == 0) set_.registers += value.root_width;
  set_.predicates += value.is_predicate;
}

void Solver::remove(std::uint32_t number) {
  Value& value = set_.values[number];
  if (value.stamp != set_.now) return;
  value.stamp = 0;
  if (!value.is_free && --set_.values[value.root].of_root == 0) set_.registers -= value.root_width;
  set_.predicates -= value.is_predicate;
}

// The operands of an instruction occupy registers of their own.
std::uint32_t Solver::in_hand(std::span<const RegisterUse> uses) const {
  std::uint32_t registers = 0;
  for (const RegisterUse& use : uses) registers += set_.values[use.value].width_in_hand;
  return registers;
}

// Mostly one of the next blocks was looked at before, and its values are still there.
void Solver::begin_at_end_of(std::uint32_t block, const Lists& live_in) {
  const std::span<const std::uint32_t> successors = graph_.successors[block];
  if (std::ranges::find(successors, held_) == successors.end()) {
    held_ = none;
    ++set_.now;
    set_.registers = set_.predicates = 0;
  }
  for (const std::uint32_t next : successors) {
    if (next == held_) continue;
    for (const std::uint32_t value : live_in[next]) add(value);
  }
}

// Goes backwards through the block, from the values that are live at its end. A result occupies a register even if it is never read.
// Blocks come in descending order: of several places that need as many registers the last one in the first block counts.
void Solver::measure(std::uint32_t block, const Lists& live_in) {
  begin_at_end_of(block, live_in);
  held_ = block;
  const model::Range code = graph_.blocks[block];
  std::uint32_t most = 0, most_at = none;
  for (std::uint32_t i = code.end; i-- > code.begin;) {
    const std::span<const RegisterUse> uses = uses_.of(i);  // reads come before writes
    const auto split = static_cast<std::size_t>(std::ranges::find_if(uses, &RegisterUse::written) - uses.begin());
    for (const RegisterUse& use : uses.subspan(split)) add(use.value);
    const std::uint32_t registers = set_.registers + in_hand(uses);
    if (registers > most || most_at == none) {
      most = registers;
      most_at = i;
    }
    pressure_.predicates = std::max(pressure_.predicates, set_.predicates);
    for (const RegisterUse& use : uses.subspan(split)) {
      if (kills(i, use.value)) {
        remove(use.value);
      } else {
        held_ = none;  // kept from here to the beginning of the block, whether it is live there or not
      }
    }
    for (const RegisterUse& use : uses.first(split)) add(use.value);
  }
  if (most < pressure_.registers) return;
  pressure_.registers = most;
  pressure_.instruction = most_at;
}

}  // namespace

std::uint32_t estimated_registers(const Pressure& pressure) {
  const double registers = registers_for_nothing + registers_for_each * pressure.registers + std::min(most_for_loads, pressure.for_loads);
  return static_cast<std::uint32_t>(std::min<long>(most_registers, std::lround(registers)));
}

Liveness liveness(const model::Module& module, const model::Function& function, const FlowGraph& graph, const RegisterUses& uses) {
  return Solver(module, function, graph, uses).solve();
}

}  // namespace frx::derive::ptx
