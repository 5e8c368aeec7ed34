#include "ingest/cuda/postorder.h"

#include <algorithm>

namespace frx::ingest::cuda {

bool Postorder::has(model::cuda::NodeKind kind, Mark since) const {
  return std::any_of(nodes_.begin() + since, nodes_.end(), [&](const Made& made) { return made.kind == kind; });
}

// In reverse order a node comes before its descendants. A node has as many nodes before it in preorder as in postorder, minus its
// descendants, plus its ancestors.
void Postorder::move_to(model::cuda::Syntax& into, std::uint32_t parent, std::uint32_t offset) {
  const std::uint32_t base = into.size();
  into.nodes.resize(base + nodes_.size());
  open_.clear();
  for (std::uint32_t n = mark(); n-- > 0;) {
    const Made& made = nodes_[n];
    while (!open_.empty() && n < open_.back().first) open_.pop_back();
    const std::uint32_t below = n - made.first;
    const std::uint32_t place = base + n - below + static_cast<std::uint32_t>(open_.size());
    model::cuda::Node& node = into.nodes[place];
    node.kind = made.kind;
    node.role = made.role;
    node.begin = made.begin + offset;
    node.end = made.end + offset;
    node.parent = open_.empty() ? parent : open_.back().second;
    node.last = place + below + 1;
    open_.emplace_back(made.first, place);
  }
  nodes_.clear();
}

}  // namespace frx::ingest::cuda
