// The findings of static analysis on one side and not on the other, kernel by kernel.
//
// The same rule may hold in ten kernels: each is a finding of its own, so that one that was fixed is visible. Findings of kernels that are
// on one side only are not comparable; they are listed and marked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "derive/compare/kernel_pairs.h"
#include "report/implementation.h"

namespace frx::report {

enum class Change : std::uint8_t { resolved, appeared, persistent };
// "resolved", "new", "persistent".
std::string_view name_of(Change change);

// A rule in a pair of kernels. Views and pointers lead into the reports.
struct FindingChange {
  std::string_view code;
  std::string kernel;                                        // "copy", "naive -> tiled", "" for none
  const model::Finding *first = nullptr, *second = nullptr;  // the surest of each side, null where it does not hold
  std::size_t first_places = 0, second_places = 0;           // number of places
  std::size_t pair = 0;                                      // index into FindingChanges::pairs
  bool is_comparable = true;                                 // as in FindingChanges for its pair

  Change change() const { return !second ? Change::resolved : !first ? Change::appeared : Change::persistent; }
  const model::Finding& either() const { return first ? *first : *second; }
};

// One for each rule and change: "uncoalesced_access is gone (copy)", "warp_divergence is new in 12 kernels (a, b, c, ...)".
std::vector<std::string> sentences_of(std::span<const FindingChange* const> changes);

struct FindingChanges {
  std::vector<std::string> first_symbols, second_symbols;  // kernels, by the names in findings
  std::vector<std::string> first_kernels, second_kernels;  // the same, readable
  std::vector<derive::compare::KernelPair> pairs;          // of these
  // By pair: the kernels are on both sides and were all analysed to their ends. Elsewhere the absence of a finding proves nothing.
  std::vector<bool> is_comparable;
  std::vector<FindingChange> all;  // most severe first

  // "copy", "naive -> tiled", "multiply + add -> fused".
  std::string kernel_of(const derive::compare::KernelPair& pair) const;
  // The rules with this change in some kernel, sorted.
  std::vector<std::string> codes(Change change) const;
};

// Both sides must have the layer.
FindingChanges changes_in_source(const CudaReport& first, const CudaReport& second);
FindingChanges changes_in_ptx(const PtxReport& first, const PtxReport& second);

}  // namespace frx::report
