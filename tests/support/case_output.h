// Compares what was printed with what a case expects.
//
// An expected line is literal, except that {{...}} holds a regular expression; a line of three dots
// stands for any number of lines. When a case is rebased, both survive where they still fit.
#pragma once

#include <string>
#include <string_view>

namespace frx::testing {

bool matches(std::string_view expected, std::string_view actual);

// Both texts, line against line: "-" expected, "+" found; long equal stretches are left out.
std::string difference(std::string_view expected, std::string_view actual);

// `text` with `name` wherever it speaks of `path` or of something below it. Where the path is short ("/frx"), its letters
// stand in other paths, too ("brief/frx_summary.txt"), which stay.
std::string with_name_of_path(std::string text, std::string_view path, std::string_view name);

// A new expectation that `actual` matches.
std::string rebased(std::string_view expected, std::string_view actual);

}  // namespace frx::testing
