#include "derive/ptx/testing.h"

namespace frx::derive::ptx {
namespace {

using testing::Derived;
using testing::of_kernel;

TEST(PtxFlow, ABranchWithAPredicateHasTwoPaths) {
  EXPECT_EQ(of_kernel("@%p1 bra L;\nmov.u32 %r1, 1;\nL: ret;").edges(), "1 2 , 2 , end, ");
  EXPECT_EQ(of_kernel("bra L;\nmov.u32 %r1, 1;\nL: ret;").edges(), "2 , 2 , end, ");
}

TEST(PtxFlow, LeavingMayDependOnAPredicate) {
  EXPECT_EQ(of_kernel("@%p1 exit;\nmov.u32 %r1, 1;").edges(), "1 end, end, ");
  EXPECT_EQ(of_kernel("trap;\nret;").edges(), "end, end, ");
}

TEST(PtxFlow, ACallComesBack) { EXPECT_EQ(of_kernel("call f, (%r1);\nmov.u32 %r1, 1;\nret;").edges(), "end, "); }

TEST(PtxFlow, AnIndirectBranchGoesToAllOfItsTargets) {
  EXPECT_EQ(of_kernel("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: ret;\nB: exit;").edges(), "1 2 , end, end, ");
}

TEST(PtxFlow, ATargetThatIsNowhereIsSaid) {
  const Derived it = of_kernel("@%p1 bra NOWHERE;\nret;");
  EXPECT_EQ(it.edges(), "1 , end, ");
  EXPECT_EQ(it.graph.unknown_branches.size(), 1u);
}

TEST(PtxFlow, ALabelAtTheEndIsTheEnd) { EXPECT_EQ(of_kernel("@%p1 bra L;\nret;\nL:").edges(), "1 end, end, "); }

TEST(PtxDominators, OfADiamond) {
  const Derived it = of_kernel("@%p1 bra A;\nmov.u32 %r1, 1;\nbra B;\nA: mov.u32 %r1, 2;\nB: ret;");
  const Dominators before = dominators(it.graph), behind = post_dominators(it.graph);
  for (std::uint32_t block = 1; block < 4; ++block) EXPECT_EQ(before.nearest(block), 0u);
  EXPECT_EQ(behind.nearest(0), 3u);
  EXPECT_EQ(behind.nearest(3), 4u);  // the end
  EXPECT_TRUE(before.dominates(0, 3));
  EXPECT_FALSE(before.dominates(1, 3));
}

TEST(PtxLoops, AreNestedByTheirHeaders) {
  const Derived it = of_kernel("A: mov.u32 %r1, 1;\nB: add.s32 %r1, %r1, 1;\n@%p1 bra B;\n@%p2 bra A;\nC: @%p3 bra C;\nret;");
  const Loops loops = find_loops(it.graph, dominators(it.graph));
  ASSERT_EQ(loops.all.size(), 3u);
  EXPECT_EQ(loops.depth_of(0), 1u);
  EXPECT_EQ(loops.depth_of(1), 2u);
  EXPECT_EQ(loops.depth_of(2), 1u);
  EXPECT_EQ(loops.depth_of(3), 1u);
  EXPECT_EQ(loops.depth_of(4), 0u);
  EXPECT_EQ(loops.irreducible_edges, 0u);
  const Loop& outer = loops.all[loops.innermost[0]];
  EXPECT_EQ(outer.blocks, 3u);
  EXPECT_EQ(loops.all[loops.innermost[1]].parent, loops.innermost[0]);
}

TEST(PtxLoops, ACycleWithTwoEntriesIsNoNaturalLoop) {
  const Derived it = of_kernel("@%p1 bra B;\nA: mov.u32 %r1, 1;\nB: mov.u32 %r1, 2;\n@%p2 bra A;\nret;");
  const Loops loops = find_loops(it.graph, dominators(it.graph));
  EXPECT_EQ(loops.irreducible_edges, 1u);
  EXPECT_TRUE(loops.all.empty());
}

TEST(PtxLoops, CodeThatIsNeverReachedHasNone) {
  const Derived it = of_kernel("ret;\nA: bra A;");
  EXPECT_TRUE(find_loops(it.graph, dominators(it.graph)).all.empty());
}

// Every pair of blocks of random graphs, by the definition: without `by`, is `node` out of reach?
TEST(PtxDominators, AgreeWithTheDefinition) {
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t size = 1 + random(9);
    std::vector<Edge> edges, back;
    for (std::uint32_t i = 0; i < size + size / 2; ++i) edges.push_back({random(size), random(size)});
    for (const Edge& edge : edges) back.push_back({edge.to, edge.from});
    const Lists next = by_begin(size, edges);
    const Dominators found(0, next, by_begin(size, back));
    const auto reached_without = [&](std::uint32_t removed) {
      std::vector<bool> seen(size, false);
      std::vector<std::uint32_t> open = {0};
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at == removed || seen[at]) continue;
        seen[at] = true;
        for (const std::uint32_t to : next[at]) open.push_back(to);
      }
      return seen;
    };
    const std::vector<bool> reached = reached_without(none);
    for (std::uint32_t by = 0; by < size; ++by) {
      const std::vector<bool> without = reached_without(by);
      for (std::uint32_t node = 0; node < size; ++node) {
        if (reached[node] && reached[by]) EXPECT_EQ(found.dominates(by, node), !without[node]) << round;
      }
    }
  }
}

}  // namespace
}  // namespace frx::derive::ptx
