// The parts of the answer to --why that all kinds of reports share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "advise/advice.h"
#include "knowledge/knowledge.h"
#include "model/finding.h"

namespace frx::analyse {

// "  rule     data/...", and the condition below it; each line of `text` under its own word.
void add_story_lines(std::string& story, std::string_view word, std::string_view text);

// The recommendations that `field` asks for ("recommendations", or the id of a card), each with its rule and rank. Of a card of the
// catalogue that was not given: the bottlenecks it is for, with what became of them (`verdict_of`: "holds", "ruled out", ...). "" for
// another name.
using VerdictOf = std::string (*)(const void* report, std::string_view label);
std::string recommendation_story(const advise::Advice& advice, std::string_view of, std::string_view field,
                                 const knowledge::Knowledge& knowledge, VerdictOf verdict_of, const void* report);

// "does not hold: what was measured rules it out", "is inconclusive", of a label among those that hold or the others; "" for neither.
std::string verdict_words(std::span<const model::Finding> holds, std::span<const model::Finding> others, std::string_view label);

// No field, metric or label has this name.
Failure unknown_field(std::string_view field, std::string_view nearest);

}  // namespace frx::analyse
