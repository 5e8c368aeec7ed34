#include "report/layout/trial_trace.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "derive/compare/kernel_spelling.h"

namespace frx::report {
namespace {

std::string collective_text(const model::Timeline& timeline, const model::CollectiveArguments& one) {
  return fmt::format("{} {} {} -> {} of group {}", timeline.names[one.name], timeline.names[one.type], one.in_elements, one.out_elements,
                     timeline.names[one.group]);
}

void add_collectives(const model::Timeline& timeline, TrialTrace& trace) {
  std::vector<const model::CollectiveArguments*> order;
  for (const model::CollectiveArguments& one : timeline.collectives) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [&](const model::CollectiveArguments* one) { return timeline.start[one->event]; });
  for (const model::CollectiveArguments* one : order) trace.collectives.push_back(collective_text(timeline, *one));
  trace.has_collectives |= !trace.collectives.empty();
}

}  // namespace

TrialTrace trial_trace_of(const model::Timeline& timeline, std::size_t windows) {
  TrialTrace trace;
  derive::compare::KernelSpelling spelling;
  std::map<std::string, std::size_t> launches;
  std::set<std::string> namespaces;
  std::int64_t total = 0;
  for (std::size_t event = 0; event < timeline.size(); ++event) {
    const std::string_view name = timeline.name_of(event);
    if (timeline.kind[event] == model::EventKind::kernel) {
      ++launches[spelling(name)];
      total += timeline.duration[event];
      trace.has_collectives |= contains_ignoring_case(name, "nccl");
    } else if (timeline.kind[event] == model::EventKind::cpu_op) {
      const std::size_t colons = name.find("::");
      if (colons != name.npos && name.find_first_of(" (") == name.npos) namespaces.emplace(name.substr(0, colons));
    }
  }
  // Whole counts are divided once: sums of shares would differ between sides in their last digit.
  const auto per_window = static_cast<double>(windows);
  for (const auto& [name, count] : launches) trace.kernels[name] = static_cast<double>(count) / per_window;
  trace.kernel_ns = static_cast<double>(total) / per_window;
  trace.namespaces.assign(namespaces.begin(), namespaces.end());
  add_collectives(timeline, trace);
  return trace;
}

}  // namespace frx::report
