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
// Of those in which every answer can be written.
std::vector<std::string> common_formats();

// The format that was asked for; --json is short for one. An error when the two contradict each other.
Result<std::string> format_of(std::string_view command, bool json, const std::string& format);

// Fails, with nothing printed, when the answer cannot be written so.
Result<> print_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail = answer::Detail::full);

// Its files, into a folder; or the one for a language model alone.
Result<> write_brief(const answer::Answer& answer, const std::string& folder);
std::string prompt_of(const answer::Answer& answer);

// For an answer that is printed before `report` goes.
template <typename Report>
std::shared_ptr<const Report> borrowed(const Report& report) {
  return {std::shared_ptr<const void>(), &report};
}

}  // namespace frx::cli
