// One candidate of a detector into a finding: worded, with its saving, its severity and its rank.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/compare/kernel_spelling.h"
#include "derive/layout/candidate.h"
#include "knowledge/layout_detectors.h"
#include "report/layout/layout_report.h"

namespace frx::report {

// 3, 0.25, 1024: as sentences have it.
std::string shown_number(double value);

class CandidateJudge {
 public:
  // All of them outlive it.
  CandidateJudge(const derive::layout::LayoutTrace& trace, const knowledge::LayoutKnowledge& detectors, const LayoutTotals& totals);

  // Does the pattern hold for it?
  bool holds(const derive::layout::Candidate& candidate, const knowledge::LayoutPattern& pattern) const;
  // `site`: of its node; of a candidate without one, what only a log tells, it is not asked.
  LayoutFinding finding_of(const derive::layout::Candidate& candidate, const knowledge::LayoutDetector& detector,
                           const knowledge::LayoutPattern& pattern, const derive::layout::Site* site);

 private:
  std::optional<double> fact(const derive::layout::Candidate& candidate, std::string_view name) const;
  void word(const derive::layout::Candidate& candidate, const knowledge::LayoutPattern& pattern, LayoutFinding& finding) const;
  void add_words_of_node(derive::layout::Candidate& candidate) const;
  void add_saving(const derive::layout::Candidate& candidate, LayoutFinding& finding) const;
  void add_kernels(const derive::layout::Candidate& candidate, LayoutFinding& finding);
  void add_evidence(const derive::layout::Candidate& candidate, LayoutFinding& finding) const;
  void add_compatibility(const derive::layout::Candidate& candidate, LayoutFinding& finding) const;
  void find_objections();
  void judge(LayoutFinding& finding) const;
  bool is_cpu_only() const { return !trace_.has_gpu_work(); }

  const derive::layout::LayoutTrace& trace_;
  const knowledge::LayoutKnowledge& detectors_;
  const LayoutTotals& totals_;
  std::vector<std::string> objections_;  // to a change of layout
  derive::compare::KernelSpelling spelling_;
};

}  // namespace frx::report
