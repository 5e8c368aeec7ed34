#include "derive/compare/operator_names.h"

#include <gtest/gtest.h>

namespace frx::derive::compare {
namespace {

TEST(CanonicalName, IsWithoutTheNumberOfACompiler) {
  EXPECT_EQ(canonical_name("triton_poi_fused_add_relu_3"), "triton_poi_fused_add_relu");
  EXPECT_EQ(canonical_name("triton_poi_fused_add_relu_12"), "triton_poi_fused_add_relu");
  EXPECT_EQ(canonical_name("triton_mm"), "triton_mm");
  EXPECT_EQ(canonical_name("triton_"), "triton_");
  EXPECT_EQ(canonical_name("sm80_xmma_gemm_f16f16_128x64_3"), "sm80_xmma_gemm_f16f16_128x64_3");
  EXPECT_EQ(canonical_name("conv1d_2"), "conv1d_2");
}

TEST(IsFusedOf, TheNameSaysWhatIsInIt) {
  EXPECT_TRUE(is_fused_of("triton_poi_fused_add_relu_3", "aten::relu"));
  EXPECT_TRUE(is_fused_of("triton_poi_fused_add_relu_3", "aten::add_"));
  EXPECT_TRUE(is_fused_of("triton_per_fused__softmax_0", "aten::_softmax"));
  EXPECT_TRUE(is_fused_of("triton_red_fused_native_layer_norm_7", "aten::native_layer_norm"));
  EXPECT_FALSE(is_fused_of("triton_poi_fused_addmm_relu_3", "aten::add"));
  EXPECT_FALSE(is_fused_of("triton_poi_fused_add_3", "aten::mul"));
  EXPECT_FALSE(is_fused_of("fused_add_3", "aten::add"));
  EXPECT_FALSE(is_fused_of("triton_poi_fused_add_3", "add"));
  EXPECT_FALSE(is_fused_of("triton_poi_fused_add_3", "aten::__"));
}

}  // namespace
}  // namespace frx::derive::compare
