// One text into the words that a POSIX shell would make of it, without expansions: 'a b' "c d" e\ f are three.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx {

// Fails when a quote stays open. Linear.
Result<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace frx
