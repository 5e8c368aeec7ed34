#include "history/series_name.h"

#include <gtest/gtest.h>

namespace frx::history {
namespace {

TEST(SeriesName, IsWhatWasMeasuredWithoutWhenAndWhere) {
  EXPECT_EQ(series_name("profile", "runs/gemm-2026-03-01.csv", "NVIDIA A100-SXM4-80GB"), "profile/gemm/nvidia-a100-sxm4-80gb");
  EXPECT_EQ(series_name("profile", "/tmp/gemm_20260301T114500.ncu-rep", ""), "profile/gemm");
  EXPECT_EQ(series_name("trace", "resnet.1764164695123.pt.trace.json.gz", ""), "trace/resnet");
  EXPECT_EQ(series_name("run", "nightly job", "Tesla T4"), "run/nightly-job/tesla-t4");
}

TEST(SeriesName, KeepsNumbersThatAreNoDates) {
  EXPECT_EQ(series_name("profile", "gemm_4096x4096.csv", ""), "profile/gemm_4096x4096");
  EXPECT_EQ(series_name("profile", "model-v1.5.csv", ""), "profile/model-v1.5");
  EXPECT_NE(series_name("profile", "gemm_512.csv", ""), series_name("profile", "gemm_1024.csv", ""));
}

TEST(SeriesName, IsNeverEmpty) {
  EXPECT_EQ(series_name("profile", "", ""), "profile/unnamed");
  EXPECT_EQ(series_name("profile", "2026-03-01.csv", ""), "profile/2026-03-01.csv");
  EXPECT_EQ(series_name("profile", "///", "???"), "profile/unnamed");
}

}  // namespace
}  // namespace frx::history
