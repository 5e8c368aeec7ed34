// Prints docs/validation/before-after.md or calibration.md:  frx_pairs_validation CORPUS_DIR before-after|calibration
#include <cstdio>
#include <string_view>

#include "corpus/pairs.h"

int main(int count, char** arguments) {
  const std::string_view page = count == 3 ? arguments[2] : "";
  if (page != "before-after" && page != "calibration")
    return std::fprintf(stderr, "usage: frx_pairs_validation CORPUS_DIR before-after|calibration\n"), 2;
  const frx::corpus::PairOutcomes outcomes = frx::corpus::pair_outcomes(arguments[1]);
  std::fputs((page == "calibration" ? calibration_page(outcomes) : before_after_page(outcomes)).c_str(), stdout);
  for (const std::string& failure : outcomes.failures) std::fprintf(stderr, "not read: %s\n", failure.c_str());
}
