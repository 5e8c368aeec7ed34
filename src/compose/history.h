// What the commands of a history answer (src/history/views.h), as answers.
#pragma once

#include <memory>

#include "answer/answer.h"
#include "history/compared_ranks.h"
#include "history/views.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const history::Recorded> recorded);
answer::Answer answer_of(std::shared_ptr<const history::Listing> listing);
answer::Answer answer_of(std::shared_ptr<const history::Shown> shown);
answer::Answer answer_of(std::shared_ptr<const history::Trend> trend);
answer::Answer answer_of(std::shared_ptr<const history::Baselines> baselines);
// `mode`: "history_export", "history_import" or "history_pruned".
answer::Answer answer_of(std::shared_ptr<const history::Moved> moved, std::string mode);
answer::Answer answer_of(std::shared_ptr<const history::Health> health);
answer::Answer answer_of(std::shared_ptr<const history::ComparedRanks> ranks);

// The beginning of an id that people are shown.
std::string short_id(std::string_view id);

}  // namespace frx::compose
