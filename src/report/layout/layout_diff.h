// Two reports about layouts: which findings are new, gone, worse, better, the same, and about which that cannot be said.
//
// Findings are the same when their detector and site are: modules and operators first, so that lines may move. Counts and bytes decide,
// since they are those of the program; time decides only where these are equal, by 10 % and more, since there is one recording of each
// side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/layout/layout_record.h"

namespace frx::report {

enum class LayoutOutcome : std::uint8_t { added, worse, better, same, gone, inconclusive };
// "new", "worse", "better", "same", "gone", "inconclusive".
std::string_view name_of(LayoutOutcome change);

struct LayoutNumberChange {
  std::string_view name;  // "copies_per_step"
  std::string_view unit;  // "", "byte", "us", "%"
  std::optional<double> before, after;
  std::string why_not;  // why they are not compared, a sentence; "": they are, where both are known

  bool is_compared() const { return why_not.empty() && before && after; }
  std::optional<double> change_pct() const;  // absent where `before` is 0
};

struct LayoutFindingChange {
  LayoutOutcome change = LayoutOutcome::same;
  std::optional<std::size_t> before, after;  // indices of findings
  std::string reason;                        // what decided, or why it is inconclusive: a sentence
  std::vector<LayoutNumberChange> numbers;   // count, bytes, time of a step
  bool has_moved = false;                    // the line, the file or the pattern is another one
};

struct LayoutDiff {
  LayoutRecord before, after;
  std::vector<LayoutFindingChange> findings;  // by change in the order of the enumeration, then as the reports rank them
  std::vector<LayoutNumberChange> totals;
  std::vector<std::string> inconclusive;  // what differs between the sides, and what therefore is not compared, in sentences
  std::vector<std::string> notes;

  std::size_t count(LayoutOutcome change) const;
  const LayoutRecordFinding& finding(const LayoutFindingChange& change) const;  // of the second side where it has it
};

// O(n log n) in the findings.
LayoutDiff diff_layouts(LayoutRecord before, LayoutRecord after);

// What --fail-on asks.
enum class LayoutFailure : std::uint8_t {
  never,
  added,  // a new finding
  worse,  // a new one, or one that became worse
  high,   // one of these whose severity is HIGH
};
// 0: it did not happen; 1: it did; 3: it did not, but what is inconclusive may be it.
int exit_code_of(const LayoutDiff& diff, LayoutFailure failure);

}  // namespace frx::report
