#include "derive/layout/forward_passes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "derive/layout/layout_trace.h"
#include "derive/trace/modules.h"

namespace frx::derive::layout {

std::vector<std::uint32_t> forward_passes(const model::Timeline& timeline, PassesOf of,
                                          const std::function<bool(std::uint32_t row)>& counts) {
  struct Root {
    std::vector<std::uint32_t> rows;
    std::int64_t time = 0;
  };
  const trace::ModuleRanges modules = trace::module_ranges(timeline, {});
  std::map<std::pair<std::uint32_t, std::uint32_t>, Root> roots;  // by track and name
  for (const std::uint32_t row : modules.rows) {
    if (modules.around[row] != none || (counts && !counts(row))) continue;
    Root& root = roots[{of == PassesOf::each_thread ? timeline.track[row] : 0, timeline.name[row]}];
    root.rows.push_back(row);
    root.time += timeline.duration[row];
  }
  const auto longest = std::ranges::max_element(roots, {}, [](const auto& root) { return root.second.time; });
  return longest == roots.end() ? std::vector<std::uint32_t>() : std::move(longest->second.rows);
}

}  // namespace frx::derive::layout
