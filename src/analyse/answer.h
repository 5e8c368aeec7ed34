// What an analysis found, as an answer that any renderer writes.
#pragma once

#include <string>

#include "analyse/analyse.h"
#include "answer/answer.h"

namespace frx::analyse {

// `scope` of a run or a trace, for its page: run, steady_state or auto. A profile points into the context, which has to live
// longer than the answer; everything else is kept by the answer.
answer::Answer answer_of(const Analysis& analysis, const std::string& scope = "auto");

// The pages of the rules of its findings, read when a renderer first asks for one. `data_directory`: that of the analysis.
void add_rule_pages(answer::Answer& answer, const std::string& data_directory);

}  // namespace frx::analyse
