// What a comparison of implementations says, in words that the terminal and Markdown share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/implementation_comparison.h"

namespace frx::compose {

// "B (tiled.cu) is better: ...", the answer in one sentence.
std::string verdict_sentence(const report::ImplementationComparison& comparison);
// "source, PTX, Nsight Compute": what is known of a side.
std::string layers_of(const report::Implementation& side);
// "0.75", "-" when nobody knows.
std::string score_text(const std::optional<double>& score);
// Which layer a score is made of: "PTX", "unknown".
std::string_view evidence_words(const report::DimensionScore& score);
// ", 3 -> 1 places" of a finding that is on both sides, "" when nothing changed.
std::string places_text(const report::FindingChange& change);
// The finding on the side where it is; of one on both sides, where it is in the second.
const model::CodeFinding& finding_of(const report::FindingChange& change);
// A value with its unit, "-" when nobody knows.
std::string value_text(const std::optional<double>& value, std::string_view unit);
// Whether a row says anything: one that nobody knows, or that is 0 on both sides, does not.
bool tells(const report::NumberRow& row);
// Why a layer could not be had, once for both sides when the reason is the same.
std::vector<std::string> failure_sentences(const report::ImplementationComparison& comparison);

}  // namespace frx::compose
