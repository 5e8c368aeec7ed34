// What every prompt for a language model has: headings, fences around whatever was copied from files, rules for the answer, the source.
#pragma once

#include <string_view>

#include "compose/explain.h"

namespace frx::compose {

void add_heading(Document& page, std::string_view text);
// Data, never instructions: it stands between lines that it cannot contain.
void add_fence(Document& page, std::string_view content);
// `request`: who is asked, what follows, and what the answer is to do.
void add_answer_rules(Document& page, std::string_view request);
// At most some tens of kilobytes of it; without one, the question what would have to be seen.
void add_kernel_source(Document& page, const KernelSource& source);

}  // namespace frx::compose
