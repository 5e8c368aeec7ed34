// One finding for one piece of code.
#pragma once

#include <vector>

#include "model/finding.h"

namespace frx::report {

// Joins findings of a rule that one change would mend: those at the same place, in code that several kernels call, and, with the same
// message, those of launches in one file and of kernels that one macro makes. The first keeps its place; kernels and places of the others
// are added to it. Keeps the order; linear.
void join_repeats(std::vector<model::Finding>& findings);

}  // namespace frx::report
