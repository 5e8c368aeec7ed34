#include "capture/gpu/visible_devices.h"

#include <gtest/gtest.h>

namespace frx::capture {
namespace {

using Indices = std::vector<unsigned>;

std::vector<GpuIdentity> gpus(bool alike) {
  return {{0, "H100", "GPU-aaaa-1"}, {1, alike ? "H100" : "T4", "GPU-aabb-2"}, {2, "H100", "GPU-cccc-3"}};
}

Indices seen(const std::optional<std::string>& variable, bool alike = true, std::string_view order = "") {
  return visible_gpus(gpus(alike), variable, order).indices;
}

TEST(VisibleGpus, AreAllWithoutTheVariable) { EXPECT_EQ(seen(std::nullopt), (Indices{0, 1, 2})); }

TEST(VisibleGpus, AreTheIndicesNamed) {
  EXPECT_EQ(seen("1"), (Indices{1}));
  EXPECT_EQ(seen(" 2, 0"), (Indices{0, 2}));
  EXPECT_EQ(seen("1,1"), (Indices{1}));
}

TEST(VisibleGpus, EndAtTheFirstThatNamesNone) {
  EXPECT_EQ(seen("0,7,1"), (Indices{0}));
  EXPECT_EQ(seen("-1"), Indices{});
  EXPECT_EQ(seen(""), Indices{});
  EXPECT_EQ(seen("1,-1,2"), (Indices{1}));
}

TEST(VisibleGpus, AreFoundByTheBeginningOfTheirUuid) {
  EXPECT_EQ(seen("GPU-cc"), (Indices{2}));
  EXPECT_EQ(seen("GPU-aa"), Indices{});                // could be two
  EXPECT_EQ(seen("GPU-aabb-2", false), (Indices{1}));  // certain in any order
}

// CUDA counts the fastest first, the driver in the order of the bus.
TEST(VisibleGpus, AreAllWhereTheIndexIsInDoubt) {
  const VisibleGpus visible = visible_gpus(gpus(false), "1", "");
  EXPECT_EQ(visible.indices, (Indices{0, 1, 2}));
  EXPECT_NE(visible.doubt.find("PCI_BUS_ID"), std::string::npos);
  EXPECT_EQ(seen("1", false, "PCI_BUS_ID"), (Indices{1}));
}

TEST(VisibleGpus, AreAllForPartsOfGpus) {
  const VisibleGpus visible = visible_gpus(gpus(true), "MIG-1234", "");
  EXPECT_EQ(visible.indices.size(), 3u);
  EXPECT_NE(visible.doubt.find("MIG"), std::string::npos);
}

}  // namespace
}  // namespace frx::capture
