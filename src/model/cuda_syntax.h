// The syntax of one CUDA file as a flat tree.
//
// Nodes stand in preorder: the descendants of node n are n+1 up to its `last`, so that a walk over a whole
// function is a loop over an array, however deep the code is nested. Brackets, commas and comments are left
// out; operators and keywords stay, as `token`.
//
//   a[i] += 2      assignment
//                    left: subscript        argument: identifier `a`, indices: subscript_arguments (identifier `i`)
//                    op: token `+=`
//                    right: number `2`
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace frx::model::cuda {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

enum class NodeKind : std::uint8_t {
  other,
  token,
#define FRX_CUDA_NODE(name, grammar) name,
#include "model/cuda_nodes.def"
#undef FRX_CUDA_NODE
};

// What a node is to its parent.
enum class Role : std::uint8_t {
  plain,
  alternative,
  argument,
  arguments,
  body,
  condition,
  consequence,
  declarator,
  default_value,
  field,
  function,
  indices,
  initializer,
  left,
  name,
  op,
  parameters,
  right,
  scope,
  size,
  type,
  update,
  value,
};

struct Node {
  NodeKind kind = NodeKind::other;
  Role role = Role::plain;
  std::uint32_t begin = 0, end = 0;  // bytes of the text
  std::uint32_t parent = none;
  std::uint32_t last = 0;  // one past its last descendant
};

class Syntax {
 public:
  std::vector<Node> nodes;

  const Node& operator[](std::uint32_t n) const { return nodes[n]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes.size()); }
  NodeKind kind(std::uint32_t n) const { return n == none ? NodeKind::other : nodes[n].kind; }
  bool is(std::uint32_t n, NodeKind kind) const { return n != none && nodes[n].kind == kind; }

  // The first child, then each next one; `none` behind the last.
  std::uint32_t first_child(std::uint32_t n) const { return n + 1 < nodes[n].last ? n + 1 : none; }
  std::uint32_t next_sibling(std::uint32_t n) const {
    const std::uint32_t parent = nodes[n].parent;
    return parent != none && nodes[n].last < nodes[parent].last ? nodes[n].last : none;
  }
  // The first child with that role, or none.
  std::uint32_t child(std::uint32_t n, Role role) const {
    if (n == none) return none;
    for (std::uint32_t c = first_child(n); c != none; c = next_sibling(c)) {
      if (nodes[c].role == role) return c;
    }
    return none;
  }
  std::uint32_t child(std::uint32_t n, NodeKind kind) const {
    if (n == none) return none;
    for (std::uint32_t c = first_child(n); c != none; c = next_sibling(c)) {
      if (nodes[c].kind == kind) return c;
    }
    return none;
  }
};

}  // namespace frx::model::cuda
