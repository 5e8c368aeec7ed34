#include "derive/ptx/loops.h"

#include <utility>

namespace frx::derive::ptx {
namespace {

class Finder {
 public:
  Finder(const FlowGraph& graph, const Dominators& dominators) : graph_(graph), dominators_(dominators) {
    loops_.innermost.assign(graph.blocks.size(), none);
  }

  Loops find();

 private:
  void traverse();
  void collect(std::uint32_t header);
  void add_to(std::uint32_t loop, std::uint32_t block);
  std::uint32_t outermost(std::uint32_t loop);

  const FlowGraph& graph_;
  const Dominators& dominators_;
  Loops loops_;
  std::vector<std::uint32_t> postorder_;
  std::vector<std::uint32_t> around_;  // by loop: an enclosing loop, with path compression
  std::vector<std::uint32_t> open_;
};

Loops Finder::find() {
  if (graph_.blocks.empty()) return std::move(loops_);
  traverse();
  for (const std::uint32_t header : postorder_) collect(header);  // inner headers come first
  for (std::size_t i = loops_.all.size(); i-- > 0;) {
    Loop& loop = loops_.all[i];
    if (loop.parent != none) loop.depth = loops_.all[loop.parent].depth + 1;
  }
  for (const Loop& loop : loops_.all) {
    if (loop.parent != none) loops_.all[loop.parent].blocks += loop.blocks;
  }
  return std::move(loops_);
}

// Traverses depth first. An edge to a block that is still open is a back edge; if that block does not dominate its source, the
// cycle has another entry.
void Finder::traverse() {
  enum : std::uint8_t { unseen, open, done };
  std::vector<std::uint8_t> state(graph_.blocks.size(), unseen);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{0, 0}};
  state[0] = open;
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge == graph_.successors[block].size()) {
      state[block] = done;
      postorder_.push_back(block);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = graph_.successors[block][edge++];
    if (state[next] == open && !dominators_.dominates(next, block)) ++loops_.irreducible_edges;
    if (state[next] != unseen) continue;
    state[next] = open;
    stack.emplace_back(next, 0);
  }
}

void Finder::collect(std::uint32_t header) {
  const auto number = static_cast<std::uint32_t>(loops_.all.size());
  Loop loop{header};
  for (const std::uint32_t before : graph_.predecessors[header]) {
    if (!dominators_.dominates(header, before)) continue;
    ++loop.back_edges;
    open_.push_back(before);
  }
  if (loop.back_edges == 0) return;
  loops_.all.push_back(loop);
  around_.push_back(none);
  add_to(number, header);
  while (!open_.empty()) {
    const std::uint32_t block = open_.back();
    open_.pop_back();
    add_to(number, block);
  }
}

// Adds the block, or the outermost loop that already contains it, and then its predecessors.
void Finder::add_to(std::uint32_t loop, std::uint32_t block) {
  std::uint32_t entry = block;
  if (loops_.innermost[block] == none) {
    loops_.innermost[block] = loop;
    ++loops_.all[loop].blocks;
  } else {
    const std::uint32_t inner = outermost(loops_.innermost[block]);
    if (inner == loop) return;
    loops_.all[inner].parent = around_[inner] = loop;
    entry = loops_.all[inner].header;
  }
  if (entry == loops_.all[loop].header) return;
  for (const std::uint32_t before : graph_.predecessors[entry]) {
    if (dominators_.reaches(before)) open_.push_back(before);
  }
}

std::uint32_t Finder::outermost(std::uint32_t loop) {
  std::uint32_t top = loop;
  while (around_[top] != none) top = around_[top];
  while (around_[loop] != none && around_[loop] != top) loop = std::exchange(around_[loop], top);
  return top;
}

}  // namespace

Loops find_loops(const FlowGraph& graph, const Dominators& dominators) { return Finder(graph, dominators).find(); }

}  // namespace frx::derive::ptx
