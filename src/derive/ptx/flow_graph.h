// The basic blocks of a function and where control may go between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ptx_module.h"

namespace frx::derive::ptx {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

// A list for each of many owners, stored in two arrays.
struct Lists {
  std::vector<std::uint32_t> begins{0};  // one more than owners
  std::vector<std::uint32_t> items;

  std::size_t size() const { return begins.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t owner) const {
    return std::span<const std::uint32_t>(items).subspan(begins[owner], begins[owner + 1] - begins[owner]);
  }
};

struct Edge {
  std::uint32_t from = 0, to = 0;
};
// visit(take) calls take(owner, item) for each item, in the same order both times.
template <typename Visit>
Lists lists_of(std::size_t owners, const Visit& visit) {
  Lists lists;
  lists.begins.assign(owners + 1, 0);
  visit([&](std::uint32_t owner, std::uint32_t) { ++lists.begins[owner + 1]; });
  for (std::size_t i = 0; i < owners; ++i) lists.begins[i + 1] += lists.begins[i];
  lists.items.resize(lists.begins.back());
  std::vector<std::uint32_t> next(lists.begins.begin(), lists.begins.end() - 1);
  visit([&](std::uint32_t owner, std::uint32_t item) { lists.items[next[owner]++] = item; });
  return lists;
}
// The targets of edges by their sources, in the order of the edges.
Lists by_begin(std::size_t owners, std::span<const Edge> edges);

// Block 0 is where the function begins. Instructions are numbers in the module.
struct FlowGraph {
  std::vector<::frx::model::ptx::Range> blocks;  // instructions; none is empty
  Lists successors, predecessors;                // each pair of blocks once
  std::vector<bool> leaves;                      // control may leave the function at the end of the block
  // Branches with unknown targets: they may go anywhere, and have no edges here.
  std::vector<std::uint32_t> unknown_branches;

  std::vector<std::uint32_t> block_at;  // by instruction of the function

  std::uint32_t block_of(std::uint32_t instruction) const { return block_at[instruction - blocks.front().begin]; }
};

// The graph is empty for a function without a body. Takes time linear in the size of the function.
FlowGraph flow_graph(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function);

}  // namespace frx::derive::ptx
