#include "knowledge/operator_categories.h"

#include <gtest/gtest.h>

#include "knowledge/knowledge.h"

namespace frx::knowledge {
namespace {

class OperatorCategoriesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Knowledge> loaded = Knowledge::load("");
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    knowledge_ = std::move(*loaded);
    Result<OperatorCategories> categories = OperatorCategories::load(knowledge_.library, knowledge_.classes);
    ASSERT_TRUE(categories) << to_string(categories.error());
    categories_ = std::move(*categories);
  }
  std::string_view category(std::string_view operation, std::string_view kernel = "", std::vector<std::string_view> around = {}) const {
    return categories_.id(categories_.of({kernel, operation, around}));
  }

  Knowledge knowledge_;
  OperatorCategories categories_;
};

TEST_F(OperatorCategoriesTest, AnOperatorIsKnownByItsName) {
  EXPECT_EQ(category("aten::addmm"), "gemm");
  EXPECT_EQ(category("aten::cudnn_convolution"), "convolution");
  EXPECT_EQ(category("aten::native_layer_norm"), "normalisation");
  EXPECT_EQ(category("aten::normal_"), "elementwise") << "not a norm";
  EXPECT_EQ(category("aten::upsample_bilinear2d"), "elementwise") << "not aten::linear";
  EXPECT_EQ(category("aten::maximum"), "elementwise") << "not a maximum over elements";
  EXPECT_EQ(category("aten::_softmax"), "reduction");
  EXPECT_EQ(category("aten::embedding_dense_backward"), "embedding");
  EXPECT_EQ(category("_C::rotary_embedding"), "elementwise");
  EXPECT_EQ(category("aten::copy_"), "copies");
  EXPECT_EQ(category("aten::_foreach_add_"), "optimizer");
  EXPECT_EQ(category("c10d::allreduce_"), "communication");
}

TEST_F(OperatorCategoriesTest, WhatIsAroundTheLaunchDecides) {
  EXPECT_EQ(category("aten::bmm", "sgemm", {"aten::bmm", "aten::scaled_dot_product_attention"}), "attention");
  EXPECT_EQ(category("aten::mul_", "", {"aten::mul_", "Optimizer.step#AdamW.step"}), "optimizer");
  EXPECT_EQ(category("aten::linear", "", {"aten::linear", "nn.Module: Attention_0"}), "gemm") << "a module holds many kinds of work";
}

TEST_F(OperatorCategoriesTest, AnUnknownOperatorIsJudgedByItsKernel) {
  EXPECT_EQ(category("", "void cutlass::Kernel<cutlass_80_wmma_tensorop_f16_s161616gemm_f16>"), "gemm");
  EXPECT_EQ(category("my::op", "void flash_fwd_kernel<...>"), "attention");
  EXPECT_EQ(category("", "ncclDevKernel_AllReduce_Sum_f16_RING_LL"), "communication");
  EXPECT_EQ(category("", "void at::native::reduce_kernel<512, 1>"), "reduction");
  EXPECT_EQ(category("", "matmul_k(float*, float*)"), "gemm");
  EXPECT_EQ(category("", "made_up"), "other");
  EXPECT_EQ(category("triton_red_fused_native_dropout_backward_sum_view_2"), "reduction") << "the name of what a compiler made";
  EXPECT_EQ(category("triton_poi_fused_gelu_view_9"), "elementwise");
}

}  // namespace
}  // namespace frx::knowledge
