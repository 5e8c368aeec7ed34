// Nodes in the order in which a parser finishes them: operands before what they are operands of.
//
// A node takes all nodes since a mark as its children, so that the left operand need not be moved when the operator is seen, and the nodes
// of a failed attempt are cut off.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/cuda_syntax.h"

namespace frx::ingest::cuda {

class Postorder {
 public:
  using Mark = std::uint32_t;

  Mark mark() const { return static_cast<Mark>(nodes_.size()); }
  void cut(Mark mark) { nodes_.resize(mark); }
  void clear() { nodes_.clear(); }

  // A node whose children are all since `first`.
  void add(model::cuda::NodeKind kind, std::uint32_t begin, std::uint32_t end, Mark first) {
    nodes_.push_back({kind, model::cuda::Role::plain, begin, end, first});
  }
  void leaf(model::cuda::NodeKind kind, std::uint32_t begin, std::uint32_t end) { add(kind, begin, end, mark()); }
  // Sets the role of the newest node in its parent.
  void is(model::cuda::Role role) { nodes_.back().role = role; }
  void relabel(Mark node, model::cuda::NodeKind kind) { nodes_[node].kind = kind; }
  model::cuda::NodeKind newest() const { return nodes_.back().kind; }
  std::uint32_t newest_end() const { return nodes_.back().end; }
  bool has(model::cuda::NodeKind kind, Mark since) const;

  // Writes all of them in preorder, below node `parent` of `into`; bytes are moved by `offset`.
  void move_to(model::cuda::Syntax& into, std::uint32_t parent, std::uint32_t offset);

 private:
  struct Made {
    model::cuda::NodeKind kind;
    model::cuda::Role role;
    std::uint32_t begin, end;
    Mark first;
  };
  std::vector<Made> nodes_;
  std::vector<std::pair<Mark, std::uint32_t>> open_;  // first node below one, and its number in preorder
};

}  // namespace frx::ingest::cuda
