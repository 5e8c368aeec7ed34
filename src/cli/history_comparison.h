// An answer beside one that was recorded, by the comparison that there is for its kind.
#pragma once

#include <string>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"
#include "history/record.h"

namespace frx::cli {

// One side: the record, and what to call it.
struct ComparedRecord {
  history::Record record;
  std::string label;
};

struct HistoryComparison {
  answer::Answer answer;
  bool is_worse = false;  // the second takes more time, or has new or worse findings
};

// `further`: more records of the configuration of the first, which show how much it differs from itself. Not enough: answers of two kinds,
// or of one that has no comparison.
Result<HistoryComparison> compare_records(const ComparedRecord& first, const ComparedRecord& second,
                                          const std::vector<history::Record>& further);

}  // namespace frx::cli
