// Findings of static analysis, for every reader.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "compose/parts.h"
#include "report/code_report.h"

namespace frx::compose {

// "kernel.cu:12:5", "kernel.ptx:40 (kernel.cu:12)".
std::string place_text(const model::TextPlace& place);

// "FINDINGS (k of n)" with at most `limit`, each with place, message and what to do.
void add_findings(Document& page, std::span<const model::CodeFinding> findings, std::size_t limit);

// One line per label: score, names, how it is proven, evidence.
void add_labels(Document& page, std::span<const diagnose::CodeLabelFinding> labels);

// What a code scanner shows.
answer::Issue issue_of(const model::CodeFinding& finding);

}  // namespace frx::compose
