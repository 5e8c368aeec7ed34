// What layouts cost, as an answer.
#pragma once

#include <memory>

#include "answer/answer.h"
#include "report/layout/layout_report.h"

namespace frx::compose {

struct LayoutStyle {
  bool is_utf8 = true;                 // else "|" stands for a middle dot, and "->" for an arrow
  std::size_t shown = 10;              // rows of the table; the JSON has all
  std::optional<double> seconds = {};  // that the analysis took; absent: the last line has none
};

// `report` must have been made by report::analyse_layout().
answer::Answer answer_of(std::shared_ptr<const report::LayoutReport> report, const LayoutStyle& style);

// "L3 (strides yes, stacks no)"
std::string evidence_level_text(const report::LayoutReport& report);

}  // namespace frx::compose
