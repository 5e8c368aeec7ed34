// Prints what an analysis says, in the format that was asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer.h"
#include "base/result.h"
#include "cli/io.h"
#include "cli/syntax.h"

namespace frx::cli {

// The names of all formats.
std::vector<std::string> answer_formats();
// Of those in which every answer can be written.
std::vector<std::string> common_formats();

// The format that was asked for; --json is short for one. An error when the two contradict each other.
Result<std::string> format_of(std::string_view command, bool json, const std::string& format);

// --open, of commands with --format: the page in a file that is opened in a browser.
void describe_open(Syntax& syntax, bool& open);
// From here on print_answer() opens a page. Usage: the format is no page.
Result<> open_if_asked(std::string_view command, bool open, std::string_view format, Io& io);

// Fails, with nothing printed, when the answer cannot be written so. With Io::opens_page it is written to a file, whose name is printed.
Result<> print_answer(Io& io, const answer::Answer& answer, std::string_view format, answer::Detail detail = answer::Detail::full);

// The same as a text for a file: 80 columns, no colour.
Result<std::string> rendered_for_file(const Io& io, const answer::Answer& answer, std::string_view format,
                                      answer::Detail detail = answer::Detail::brief);

// Its files, into a folder; or the one for a language model alone.
Result<> write_brief(const answer::Answer& answer, const std::string& folder);
std::string prompt_of(const answer::Answer& answer);

// For an answer that is printed before `report` goes.
template <typename Report>
std::shared_ptr<const Report> borrowed(const Report& report) {
  return {std::shared_ptr<const void>(), &report};
}

}  // namespace frx::cli
