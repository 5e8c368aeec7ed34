// Small functions on text that the standard library lacks.
//
// Text from files is bytes: it may be invalid UTF-8 and may carry terminal escapes (base/safe_text.h). shorten() cuts it between
// characters, never inside one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/safe_text.h"

namespace frx {

std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);  // ASCII, as to_lower
bool equals_ignoring_case(std::string_view a, std::string_view b);
bool contains_ignoring_case(std::string_view text, std::string_view part);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

// "a", "a and b", "a, b and c".
std::string join_with_and(std::span<const std::string> parts);
bool is_utf8(std::string_view text);
// Length in bytes of the valid UTF-8 sequence at the start of `text`, which is not empty; 0 when there is none.
std::size_t utf8_length(std::string_view text);

// The number of terminal cells, counting one per code point.
std::size_t display_width(std::string_view text);
// The byte where the first `cells` of them end.
std::size_t end_of_cells(std::string_view text, std::size_t cells);

// "text", or its beginning and "..." when it has more than `width` cells.
std::string clip(std::string_view text, std::size_t width);

// Filled up with blanks to `width` cells.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// At most `width` cells, the middle replaced by "..." when it does not fit.
std::string shorten(std::string_view text, std::size_t width);

// Words of `text` on lines of at most `width` cells; a longer word keeps a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// The candidate nearest to `word` when it is near enough to be a typing mistake, else "".
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// What stands behind the last separator of a path of any system: a path says who works where, its last part is
// enough to recognise a file.
std::string_view file_name_in(std::string_view path);

// What people call a mangled C++ function: "cub::Reduce" for "_ZN3cub6ReduceIfEEvPT_", without arguments. Any
// other name as it is. Linear, whatever the name; a full demangler can be led into exponential output.
std::string readable_symbol(std::string_view symbol);

// One argument of a POSIX shell command line, quoted only when it has to be.
std::string shell_quote(std::string_view argument);

}  // namespace frx
