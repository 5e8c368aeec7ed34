// What a finding is recognised by in a later run: rule, file, kernel and the text of its line, never the number of the line.
#pragma once

#include <string>
#include <string_view>

#include "answer/answer.h"

namespace frx::answer {

// "./src/a.cu" and, below the current folder, "/home/me/src/a.cu" are "src/a.cu".
std::string tidy_path(std::string_view path);

// Fills in Issue::fingerprint, 32 hexadecimal digits, where it is "". Equal findings are numbered in their order.
void add_fingerprints(Issues& issues);

// The same without the file: a finding in a file that was moved or renamed. Not numbered.
std::string content_fingerprint(const Issue& issue);

}  // namespace frx::answer
