// What changed per operator between two captures of a model: the program before a change and after it.
//
// Everything is GPU time of kernels in an iteration. The rows of each side, that of kernels in no operator among them, add up to the total
// of that side, so that kernels which the change brings count against it. The total decides, never one row.
//
// (report/operator_comparison.h is the table of operators within a comparison of training runs, whose times are those of steps.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "derive/compare/two_samples.h"
#include "knowledge/operator_counters.h"
#include "report/operators/operator_capture.h"

namespace frx::report {

// Fewer iterations on a side decide nothing, whatever the interval.
inline constexpr std::size_t fewest_iterations = 5;

enum class RowStatus : std::uint8_t {
  same,  // any difference is within the noise floor
  faster,
  slower,
  inconclusive,  // on both sides, and what is known does not tell
  added,         // only after: "new"
  removed,       // only before
  fused,         // several operators before, which a kernel after computes
  split,         // the reverse
};
std::string_view name_of(RowStatus status);

// An operator of one side of a fused or split row.
struct RowPart {
  std::string name, shapes;
  double ns = 0, kernels = 0;  // in an iteration
};

struct RowCounter {
  std::string_view member;  // of profile.json (data/operators/counters.yaml)
  double before = 0, after = 0;
  bool is_moved = false;
};

// Whether time and counters of an operator agree. A change is credited only where both moved.
enum class Agreement : std::uint8_t {
  unknown,  // there are no counters on both sides, or it cannot be told whether the time changed
  neither_moved,
  both_moved,
  counters_only,
  time_only,
};
std::string_view name_of(Agreement agreement);  // "" of unknown

struct CaptureRow {
  std::string name;          // of a fused row the fused operator's; "": no operator is known
  std::string shapes;        // of its inputs before; "": not compared, or several
  std::string shapes_after;  // where they are others
  bool is_scope = false;     // a range of the program: no operator was recorded in it
  RowStatus status = RowStatus::inconclusive;
  std::optional<double> before_ns, after_ns;            // in an iteration; absent: not on that side
  std::optional<double> before_kernels, after_kernels;  // launches in an iteration
  derive::compare::Judgement judgement;                 // of its times, where it has one in every iteration of both sides
  std::vector<RowPart> parts_before, parts_after;       // of fused and split rows
  std::vector<RowCounter> counters;                     // that both sides have
  Agreement agreement = Agreement::unknown;

  double change_ns() const { return after_ns.value_or(0) - before_ns.value_or(0); }
};

// What the two differ in beside the change, or what is not known of it.
struct Caveat {
  std::string_view id;  // "other_gpu"
  std::string text;
};

enum class BatchCheck : std::uint8_t { same, different, unknown };
std::string_view name_of(BatchCheck check);

// "(no operator)" of "".
std::string_view shown_name(std::string_view row);

struct CaptureComparison {
  OperatorCapture before, after;
  bool by_shapes = false;                // both sides recorded shapes
  std::vector<CaptureRow> rows;          // largest change first
  std::vector<RowPart> remaining;        // the rows of the side after, largest first: what is left to be made faster
  derive::compare::Judgement judgement;  // of the total time of an iteration
  std::string_view why_not;  // "too_few_iterations", "within_noise", "too_scattered", "not_comparable"; "": the judgement stands
  std::vector<std::string> not_comparable;  // why the answer is inconclusive whatever the times
  BatchCheck batch = BatchCheck::unknown;
  std::vector<Caveat> caveats;

  double before_ns() const { return before.ns_per_iteration(); }
  double after_ns() const { return after.ns_per_iteration(); }
};

// not_enough: the batch differs and `allow_different_batch` is false; or one side marks iterations and the other does not; or a side has no
// kernels in iterations. O(n log n) in the number of rows and iterations with a kernel, but for fused operators: their number, of which at
// most 200 are looked at, times that of the others.
Result<CaptureComparison> compare_captures(OperatorCapture before, OperatorCapture after, const knowledge::OperatorCounters& counters,
                                           bool allow_different_batch = false);

// Which rows of the two sides are the same: indices of OperatorCapture::operators.
struct RowMatch {
  enum class Kind : std::uint8_t { plain, fused, split };
  std::vector<std::uint32_t> before, after;
  Kind kind = Kind::plain;
};

// By name and, where `by_shapes`, shapes; what is left by name in the order of the captures, where both sides have as many of that name,
// else all of that name together; then what was fused. Every row of both sides is in exactly one match.
std::vector<RowMatch> match_rows(const OperatorCapture& before, const OperatorCapture& after, bool by_shapes);

// Whether the model had a batch of the same size. By the shapes of its inputs where both captures have them. Else by those of operators:
// different where half of the operators that both sides have differ in the outermost dimension of their tensors alone, all by the same
// factor, and at most half as many in another way. `why`: the evidence for a difference.
BatchCheck check_batch(const OperatorCapture& before, const OperatorCapture& after, const std::vector<RowMatch>& matches, std::string& why);

// For compare_captures().
void add_caveats(CaptureComparison& comparison);

}  // namespace frx::report
