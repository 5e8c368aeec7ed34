// The plan of a layout change. Whatever the text is, a plan that is read has changes that can be made, and its own text is the same plan.
#include "fuzz/input.h"
#include "report/layout/layout_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<frx::report::LayoutPlan> plan = frx::report::read_layout_plan("plan.json", std::string(input.text()));
  if (!plan) {
    require(!plan.error().message.empty() && plan.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(!plan->changes.empty());
  for (const frx::report::LayoutChange& change : plan->changes) require(!change.modules.empty() && !words_of(change).empty());
  const std::string text = layout_plan_text(*plan);
  const frx::Result<frx::report::LayoutPlan> again = frx::report::read_layout_plan("plan.json", text);
  require(again && layout_plan_text(*again) == text);
  return 0;
}
