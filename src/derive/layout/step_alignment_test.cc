#include "derive/layout/step_alignment.h"

#include <gmock/gmock.h>

#include <random>

#include "derive/layout/compiled_region.h"

namespace frx::derive::layout {
namespace {

TEST(CompiledRegion, NamesOfAllVersions) {
  EXPECT_EQ(compiled_region("Torch-Compiled Region: 3/1")->frame, "3");
  EXPECT_EQ(compiled_region("Torch-Compiled Region: 3/1")->entry, 1u);
  EXPECT_EQ(compiled_region("Torch-Compiled Region: 12/10_2")->entry, 10u);
  EXPECT_EQ(compiled_region("Torch-Compiled Region: !0/3/1")->frame, "!0/3");
  EXPECT_EQ(compiled_region("Torch-Compiled Region")->frame, "");
  EXPECT_EQ(compiled_region("Torch-Compiled Region: x")->frame, "");
  EXPECT_EQ(compiled_region("Torch-Compiled Region: 3/")->frame, "");
  EXPECT_EQ(compiled_region("Torch-Compiled Region: /4")->frame, "");
  EXPECT_FALSE(compiled_region("CompiledFunction"));
}

}  // namespace
}  // namespace frx::derive::layout
