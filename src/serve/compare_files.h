// Two files of a kind as one comparison, as `frx compare A B` answers.
#pragma once

#include <string>

#include "analyse/context.h"
#include "answer/answer.h"
#include "ingest/source.h"

namespace frx::serve {

// What the answer points into is kept by it, except for what the context keeps. Usage: they are of different kinds.
Result<answer::Answer> compare_files(ingest::Source first, ingest::Source second, const std::string& first_label,
                                     const std::string& second_label, analyse::Context& context);

}  // namespace frx::serve
