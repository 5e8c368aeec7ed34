// Evidence from results that were written as JSON before (data/schemas): for callers that analysed the layers of a program one by one.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "answer/json.h"
#include "model/finding.h"
#include "report/evidence.h"

namespace frx::analyse {

// The findings of such results; what they point to lives here.
class RecordedEvidence {
 public:
  // Adds the findings of one result: of cuda_static_v1 those of the source; of ptx_analysis_v1 findings and, of one kernel, labels; of
  // ncu_analysis_v1 the labels of each kernel that hold and those that were ruled out; of trace_analysis_v1 and run_analysis_v1 the labels
  // of the steady state, else of the run; of layout.v1 the detectors that found something, as "layout_contiguous_churn". The result may
  // stand in {"result"}, as the command line prints it. Errors: it is no object of that kind.
  Result<> add(model::Layer layer, const answer::Json& result);

  report::Evidence take() { return std::move(evidence_); }

 private:
  void add_finding(model::Layer layer, const answer::Json& from, std::string_view kernel, model::Verdict verdict = model::Verdict::fires);
  void add_all(model::Layer layer, const answer::Json& list, std::string_view kernel, model::Verdict verdict = model::Verdict::fires);
  void add_code(model::Layer layer, const answer::Json& result);
  void add_profile(const answer::Json& result);
  void add_run(const answer::Json& result);
  void add_layout(const answer::Json& result);

  std::deque<std::string> texts_;
  std::deque<model::FindingType> types_;
  report::Evidence evidence_;
};

}  // namespace frx::analyse
