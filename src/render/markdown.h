// Markdown as GitHub shows it in pull requests and in the summary of a workflow.
//
// Names and paths come from files: nothing in them may become a link, markup, HTML or another cell of a table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "answer/document.h"

namespace frx::render {

// On one line, with a backslash before what Markdown would take for its own.
std::string markdown_text(std::string_view text);

// `text` as code, "" for none; in a table it may not hold what ends a cell.
std::string markdown_code(std::string_view text, bool in_table = false);

std::string markdown_of(const answer::Document& document);

// To another file: "[`name`](target) words".
struct PageLink {
  std::string target, name, words;
};

// The same as a file of its own, whose headings begin at the highest level; then a list of links.
std::string page_of_file(const answer::Document& document, std::span<const PageLink> links = {});

}  // namespace frx::render
