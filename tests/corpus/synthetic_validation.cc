// Prints docs/validation/synthetic.md, or with "traces" docs/validation/synthetic-traces.md: what leads in made-up launches and traces of
// known cause.
#include <cstdio>
#include <string_view>

#include "knowledge/knowledge.h"
#include "support/synthetic_score.h"
#include "support/synthetic_trace_score.h"

namespace {

frx::Result<std::string> page(bool is_of_traces) {
  if (is_of_traces) {
    TRY_ASSIGN(const auto analyst, frx::report::TraceAnalyst::create(""));
    return frx::testing::synthetic_trace_page(frx::testing::score_synthetic_traces(frx::testing::synthetic_trace_count, *analyst));
  }
  TRY_ASSIGN(const auto knowledge, frx::knowledge::Knowledge::load(""));
  return frx::testing::synthetic_page(frx::testing::score_synthetic(frx::testing::synthetic_count, knowledge));
}

}  // namespace

int main(int count, char** arguments) {
  const frx::Result<std::string> text = page(count > 1 && std::string_view(arguments[1]) == "traces");
  if (!text) return std::fprintf(stderr, "%s\n", frx::to_string(text.error()).c_str()), 1;
  std::fputs(text->c_str(), stdout);
}
