// Prints what an analysis says, in the format that was asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"
#include "cli/io.h"

namespace frx::cli {

// The names of all formats.
std::vector<std::string> answer_formats();

// Fails, with nothing printed, when the answer cannot be written so.
Result<> print_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail = answer::Detail::full);

// Its files, into a folder; or the one for a language model alone.
Result<> write_brief(const answer::Answer& answer, const std::string& folder);
void print_prompt(Io& io, const answer::Answer& answer);

// For an answer that is printed before `report` goes.
template <typename Report>
std::shared_ptr<const Report> borrowed(const Report& report) {
  return {std::shared_ptr<const void>(), &report};
}

}  // namespace frx::cli
