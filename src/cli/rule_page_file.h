// A page of a rule or label as docs/ holds it.
#pragma once

#include <string>

#include "compose/rule_page.h"

namespace frx::cli {

std::string text_of_page(const compose::RulePageFile& file);

}  // namespace frx::cli
