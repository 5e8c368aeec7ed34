// Prints what an analysis says, in the format that was asked for; and names the options that it cannot honour.
#pragma once

#include <initializer_list>
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

// An option of the command line, and what kind of input it needs.
struct OptionUse {
  std::string_view name;
  bool is_given = false;
  bool applies = false;        // the input is of that kind
  std::string_view goes_with;  // "one profile"
};

// docs/contract.md, 1.6: what the input cannot honour is named and not ignored. `what` the input is: "a trace".
Result<> expect_applicable(std::string_view command, std::string_view what, std::initializer_list<OptionUse> options);

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
