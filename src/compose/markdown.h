// Markdown as GitHub shows it in pull requests and in the summary of a workflow.
//
// Names and paths come from files: nothing in them may become a link, markup, HTML or another cell of a table.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace frx::compose {

// On one line, with a backslash before what Markdown would take for its own.
std::string markdown_text(std::string_view text);

// `text` as code, "" for none.
std::string markdown_code(std::string_view text);

// "| a | b |\n"; the cells are Markdown already.
std::string markdown_row(std::initializer_list<std::string> cells);
// The heading of a table: the first column to the left, all others to the right when they are `numbers`.
std::string markdown_head(std::initializer_list<std::string> cells, bool numbers = true);

}  // namespace frx::compose
