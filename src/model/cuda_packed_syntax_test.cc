#include "model/cuda_packed_syntax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace frx::model::cuda {
namespace {

bool are_equal(const Syntax& a, const Syntax& b) {
  return std::ranges::equal(a.nodes, b.nodes, [](const Node& x, const Node& y) {
    return x.kind == y.kind && x.role == y.role && x.begin == y.begin && x.end == y.end && x.parent == y.parent && x.last == y.last;
  });
}

// Several trees one behind the other, as of a file and the bodies of its macros.
Syntax random_trees(std::mt19937& random, std::uint32_t size) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Syntax syntax;
  std::vector<std::uint32_t> open;
  for (std::uint32_t n = 0; n < size; ++n) {
    while (!open.empty() && below(3) == 0) open.pop_back();
    Node node;
    node.kind = static_cast<NodeKind>(below(80));
    node.role = static_cast<Role>(below(23));
    node.begin = below(10) == 0 ? below(1u << 31) : 7 * n;
    node.end = node.begin + (below(10) == 0 ? below(1u << 30) : below(200));
    node.parent = open.empty() ? none : open.back();
    syntax.nodes.push_back(node);
    for (const std::uint32_t around : open) syntax.nodes[around].last = n + 1;
    syntax.nodes[n].last = n + 1;
    open.push_back(n);
  }
  return syntax;
}

Syntax one_node() {
  Syntax syntax;
  syntax.nodes.emplace_back();
  return syntax;
}

TEST(PackedSyntax, GivesBackTheTreeItWasMadeFrom) {
  std::mt19937 random(7);
  Syntax unpacked;  // the next one takes the place of the last
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Syntax syntax = random_trees(random, i * i % 3000);
    PackedSyntax(syntax).unpack(unpacked);
    EXPECT_TRUE(are_equal(unpacked, syntax)) << i;
  }
}

TEST(PackedSyntax, OfNothingIsEmpty) {
  EXPECT_TRUE(PackedSyntax().empty());
  EXPECT_TRUE(PackedSyntax(Syntax()).empty());
  Syntax syntax = one_node();
  PackedSyntax().unpack(syntax);
  EXPECT_TRUE(syntax.nodes.empty());
}

}  // namespace
}  // namespace frx::model::cuda
