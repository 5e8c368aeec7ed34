// Findings, in words, as JSON and as a code scanner shows them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "compose/parts.h"
#include "model/finding.h"

namespace frx::compose {

// "kernel.cu:12:5", "kernel.ptx:40 (kernel.cu:12)".
std::string place_text(const model::TextPlace& place);

// Of a page.
inline constexpr std::size_t findings_shown = 10;

// "FINDINGS (k of n)" with at most `limit`, each with place, message and what to do.
// `none`: what to say where there are none.
void add_findings(Document& page, std::span<const model::Finding> findings, std::size_t limit, std::string_view none = "None.");

// One line per label: score, names, how it is proven, evidence.
void add_labels(Document& page, std::span<const model::Finding> labels);

// What speaks for it, in a few words: the place in the code, the two first readings, the score; "" for an inconclusive one.
std::string evidence_words(const model::Finding& finding);

// Of a label, by its score: high, medium, low; "unknown" without one.
std::string_view severity_of(const model::Finding* label);

// What a code scanner shows.
answer::Issue issue_of(const model::Finding& finding);

}  // namespace frx::compose
