#include "ingest/nsys/graph_nodes.h"

#include <algorithm>

#include "ingest/nsys/tracks.h"

namespace frx::ingest::nsys {

// A node may be listed again when its graph is updated; it was captured where it was listed first.
void GraphNodes::add_node(const Row& row) {
  const std::optional<std::int64_t> time = row.integer(0), thread = row.integer(1), node = row.integer(2);
  if (!time || !thread || !node) return;
  const std::int64_t original = row.integer_or(3, 0);
  const Made made{{*time, *thread}, original == *node ? 0 : original};
  const auto [at, is_new] = nodes_.try_emplace({process_of(*thread), *node}, made);
  if (!is_new && *time < at->second.capture.time) at->second = made;
}

// The node at the beginning of the chain of copies; null where the recording lacks it. Chains that run in a circle have no beginning.
const GraphNodes::Made* GraphNodes::first_of(Node node) const {
  constexpr int longest_chain = 16;
  for (int copies = 0; copies < longest_chain; ++copies) {
    const auto at = nodes_.find(node);
    if (at == nodes_.end()) return nullptr;
    if (at->second.original == 0) return &at->second;
    node.second = at->second.original;
  }
  return nullptr;
}

std::vector<std::pair<std::uint32_t, GraphNodes::Capture>> GraphNodes::captures() const {
  std::vector<std::pair<std::uint32_t, Capture>> found;
  for (const Kernel& kernel : kernels_) {
    if (const Made* const made = first_of(kernel.node)) found.emplace_back(kernel.row, made->capture);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace frx::ingest::nsys
