// The small language of conditions, scores and formulas in data/.
//
//   dram_throughput_pct > 80% and not (l2_cache_hit_rate_pct > 90%)
//   100% * stall_wait_per_issue / warp_cycles_per_issued_instruction
//   clamp((global_load_sectors_per_request - 4 sector/request) / 28 sector/request, 0, 1)
//
// Every operand has a unit: a metric brings its own, a literal may carry one (80%, 5 us, 1 GB/s).
// Adding or comparing different dimensions is refused when the text is read, with its column.
//
// Nothing is ever assumed for a value that was not measured. Numbers are present or unknown, truth is true, false or unknown (Kleene):
// `true or unknown` is true, `false and unknown` is false, everything else that needs the unknown is unknown. Functions: known(x), first(a,
// b, ...) the first present one, min and max over the present ones, total the sum of the present ones (unknown when none is), sum over all
// (unknown when one is), abs, ceil, clamp(x, low, high), log2(x), if(condition, a, b), ramp(x, from, to) which is 0 at `from`, 1 at `to`,
// linear between. `unknown` is a value that was not measured.
//
// A name may refer to another expression, which is then inserted, or to several values at once, for first, min, max, sum and total:
// max(stalls.memory).
//
// The grammar is frozen by docs/adr/0003: more complex logic is C++.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "base/units.h"

namespace frx::knowledge {

class Expression;

// The meaning of a name. The evaluator assigns values to the slots 0..n-1.
struct Operand {
  std::uint32_t slot = 0;
  Unit unit = {};
  bool is_truth = false;                // the name of a condition, not of a number
  const Expression* meaning = nullptr;  // the expression that replaces the name; slot and unit are unused then
  std::span<const Operand> each = {};   // several values under one name
  std::string_view name = {};           // of one of several
};

// Finds a name; nullopt makes the text malformed.
using Scope = std::function<std::optional<Operand>(std::string_view name)>;

// The value of a slot in the unit of its operand; nullopt when unknown. A truth value is 1 or 0.
using Lookup = std::function<std::optional<double>(std::uint32_t slot)>;

class Expression {
 public:
  // Reverse Polish: each step takes its operands off a stack and pushes one value, except unless_*, which skips the next steps when the
  // value on the stack already decides.
  enum class Op : std::uint8_t {
    literal,
    nothing,
    load,
    negate,
    add,
    subtract,
    multiply,
    divide,
    less,
    less_equal,
    greater,
    greater_equal,
    unless_false,
    unless_true,
    both,
    either,
    inverse,
    known,
    first,
    min,
    max,
    sum,
    total,
    abs,
    ceil,
    clamp,
    log2,
    choose,
    ramp,
  };
  struct Step {
    Op op;
    std::uint32_t argument = 0;  // slot, number of operands, or how many steps unless_* skips
    double value = 0;            // literal, or scale of a slot
  };

  // What was read of a text, wherever it lies: in constants of the program, or in memory that the expression keeps.
  struct Parts {
    std::span<const Step> code;
    std::span<const std::uint32_t> slots;
    std::string_view text;
    Dimension dimension;
    std::uint32_t depth = 0;  // values on the stack at most
    bool is_truth = false;
  };

  Expression() = default;
  // Of constants, which outlive it.
  explicit Expression(const Parts& parts) : parts_(parts) {}

  // `where` names file and line for messages.
  static Result<Expression> parse(std::string_view text, const Scope& scope, std::string where);
  // The expression that stands at a place of data/. Where it was compiled when frx was built, nothing is read and `scope` is not asked.
  static Result<Expression> read(const Value& text, const Scope& scope);

  bool empty() const { return parts_.code.empty(); }
  bool is_truth() const { return parts_.is_truth; }
  const Dimension& dimension() const { return parts_.dimension; }
  // The text as it was written; a name of several values is replaced by them. Lives as long as the expression and its copies.
  std::string_view text() const { return parts_.text; }
  // Slots it mentions, each once, in order of appearance.
  std::span<const std::uint32_t> slots() const { return parts_.slots; }

  // For code that inspects the steps, or writes them down.
  std::span<const Step> steps() const { return parts_.code; }
  std::uint32_t depth() const { return parts_.depth; }

  // In coherent base units (ns, byte, percent); divide by a Unit's scale to express it in that unit.
  std::optional<double> number(const Lookup& lookup) const;
  std::optional<bool> truth(const Lookup& lookup) const;

 private:
  friend class ExpressionParser;
  Parts parts_;
  std::shared_ptr<const void> memory_;  // of the parts; none where they are constants
};

}  // namespace frx::knowledge
