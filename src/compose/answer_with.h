// The answers that are one page and one result, made of one report.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "answer/answer.h"

namespace frx::compose {

// The answer keeps the report. `mode`: as in answer::Answer.
template <typename Report>
answer::Answer answer_with(std::string_view what, std::string_view mode, std::shared_ptr<const Report> report,
                           answer::Document (*document)(const Report&), void (*put)(answer::JsonObject&, const Report&)) {
  answer::Answer answer{.what = std::string(what), .mode = std::string(mode)};
  answer.document = [&shown = *report, document](answer::Detail) { return document(shown); };
  answer.payload = [&shown = *report, put](answer::JsonObject& out) { put(out, shown); };
  answer.kept.push_back(std::move(report));
  return answer;
}

}  // namespace frx::compose
