// Prints docs/validation/synthetic.md: what leads in made-up launches of known cause.
#include <cstdio>

#include "knowledge/knowledge.h"
#include "support/synthetic_score.h"

int main() {
  const auto knowledge = frx::knowledge::Knowledge::load("");
  if (!knowledge) return std::fprintf(stderr, "%s\n", frx::to_string(knowledge.error()).c_str()), 1;
  const std::string page = frx::testing::synthetic_page(frx::testing::score_synthetic(frx::testing::synthetic_count, *knowledge));
  std::fputs(page.c_str(), stdout);
}
