#include "diagnose/framework_tax.h"

#include <algorithm>
#include <cmath>

namespace frx::diagnose {
namespace {

using model::RunFact;
using model::RunFacts;

int whole_points(double value) { return static_cast<int>(std::nearbyint(value)); }  // half to even

double share(double value) { return std::clamp(value, 0.0, 1.0); }

// The time of a stall is not attributed to the framework, whether the stall is large enough to be a bottleneck or not. Where the GPU's
// times are known its copies count as activity already.
double explained(const RunFacts& facts) {
  const bool copies_are_active = facts[RunFact::gpu_busy_fraction].has_value();
  return facts[RunFact::input_fraction].value_or(0) + facts[RunFact::sync_fraction].value_or(0) +
         (copies_are_active ? 0 : facts[RunFact::copy_fraction].value_or(0));
}

void add_contributors(const RunFacts& facts, double fragmentation, FrameworkTax& tax) {
  const double volatility = facts[RunFact::shape_volatility].value_or(0), small = facts[RunFact::small_kernel_fraction].value_or(0);
  const auto add = [&](std::string_view name, double points, bool inferred) {
    tax.contributors.push_back({name, whole_points(points), inferred});
  };
  if (fragmentation > 0.10) add("Kernel launch fragmentation", 100 * fragmentation, false);
  if (volatility < 0.30 && facts[RunFact::kernels_per_step].value_or(0) >= 30)
    add("Missing graph capture (opportunity)", 100 * tax.overhead_idle * (0.5 + 0.5 * fragmentation), true);
  if (small >= 0.40) add("Unfused elementwise operations (opportunity)", 50 * small, true);
  if (volatility >= 0.30) add("Dynamic-shape dispatch overhead", 100 * volatility, false);
  std::ranges::stable_sort(tax.contributors, std::ranges::greater{}, &TaxContributor::points);
}

}  // namespace

std::optional<FrameworkTax> framework_tax(const RunFacts& facts, const TaxLimits& limits) {
  if (facts[RunFact::profiler_windows].value_or(0) <= 0 || !facts[RunFact::gpu_utilization_pct]) return std::nullopt;
  FrameworkTax tax;
  tax.gpu_active = share(*facts[RunFact::gpu_utilization_pct] / 100);
  tax.pipeline_idle = std::min(1.0, explained(facts));
  tax.overhead_idle = std::max(0.0, 1 - tax.gpu_active - tax.pipeline_idle);
  const double fragmentation = share(0.6 * share(facts[RunFact::small_kernel_fraction].value_or(0)) +
                                     0.4 * std::min(1.0, facts[RunFact::kernels_per_step].value_or(0) / 100));
  tax.score = whole_points(std::clamp(100 * tax.overhead_idle * (0.5 + 0.5 * fragmentation), 0.0, 100.0));
  tax.severity = tax.score >= limits.high ? "high" : tax.score >= limits.medium ? "medium" : "low";
  tax.is_worth_naming = tax.score >= std::min(limits.high, limits.medium);
  if (tax.is_worth_naming && tax.overhead_idle >= 0.05) add_contributors(facts, fragmentation, tax);
  return tax;
}

}  // namespace frx::diagnose
