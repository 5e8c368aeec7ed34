// Prints docs/validation/profiler-rules.md:  frx_profiler_rules_validation CORPUS_DIR
#include <cstdio>

#include "corpus/profiler_rules.h"

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: frx_profiler_rules_validation CORPUS_DIR\n"), 2;
  std::fputs(frx::corpus::profiler_rules_page(frx::corpus::profiler_rule_agreements(arguments[1])).c_str(), stdout);
}
