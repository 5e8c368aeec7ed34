#include "derive/trace/kernel_use.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"
#include "knowledge/knowledge.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

std::string kernel(std::string_view name, double begin, double length, std::string_view occupancy = "") {
  return event("kernel", name, "0/7", begin, length, fmt::format(R"("device": 0, "stream": 7{})", occupancy));
}

KernelUse use_of(const std::string& events) {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  const model::Timeline timeline = trace_of(trace_with(events));
  return kernel_use(timeline, attribute(timeline), known.classes, -1);
}

// What the names of kernels say, each of one nanosecond times a thousand.
TEST(KernelUse, NamesTellWhatMatrixWorkRunsOn) {
  for (const char* name :
       {"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn",
        "nvjet_tst_128x256_64x4_2x1_v_bz_TNT", "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4>",
        "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8"})
    EXPECT_EQ(use_of(kernel(name, 0, 1)).tensor_core_ns, 1000) << name;
  for (const char* name :
       {"ampere_sgemm_128x64_tn", "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nt_align1>",
        "volta_scudnn_128x64_relu_interior_nn_v1", "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3>(int)",
        "sm80_xmma_wgrad_implicit_gemm_indexed_f32f32_f32f32_f32_nhwckrsc_nhwc_tilesize128x128x8_stage3_g1_ffma_aligna4"})
    EXPECT_EQ(use_of(kernel(name, 0, 1)).fp32_matrix_ns, 1000) << name;
  for (const char* name : {"void at::native::vectorized_elementwise_kernel<4>(int)", "void cask_cudnn::computeOffsetsKernel<false>(int)",
                           "void at::native::multi_tensor_apply_kernel<int>(int)", "void cudnn::ops::nchwToNhwcKernel<float>(int)"}) {
    const KernelUse use = use_of(kernel(name, 0, 1));
    EXPECT_EQ(use.tensor_core_ns + use.fp32_matrix_ns, 0) << name;
  }
  EXPECT_EQ(use_of(kernel("attn_fwd_matmul", 0, 1)).other_matrix_ns, 1000);
}

TEST(KernelUse, CollectivesAreApart) {
  const KernelUse use = use_of(kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 0, 30) + kernel("ampere_sgemm_128x64_tn", 30, 10));
  EXPECT_EQ(use.all_ns, 40'000);
  EXPECT_EQ(use.computing_ns(), 10'000);
  EXPECT_EQ(use.fp32_matrix_ns, 10'000);
}

TEST(KernelUse, OccupancyIsWeightedByTime) {
  const std::string ten = R"(, "est. achieved occupancy %": 10)", fifty = R"(, "est. achieved occupancy %": 50)";
  const KernelUse use = use_of(kernel("a", 0, 30, ten) + kernel("b", 30, 10, fifty) + kernel("c", 40, 60));
  EXPECT_DOUBLE_EQ(*use.occupancy_pct, (30 * 10 + 10 * 50) / 40.0);
  EXPECT_EQ(use.occupancy_ns, 40'000);
  EXPECT_EQ(use_of(kernel("c", 0, 60)).occupancy_pct, std::nullopt);
  EXPECT_EQ(use_of(kernel("c", 0, 60, R"(, "est. achieved occupancy %": 400)")).occupancy_pct, std::nullopt);
}

TEST(KernelUse, PartsAreNeverMoreThanTheWhole) {
  std::string events;
  const char* names[] = {"ampere_sgemm_128x64_tn", "nvjet_tst_128", "gemm", "ncclKernel", "elementwise"};
  for (int i = 0; i < 40; ++i) {
    events += kernel(names[i * 7 % 5], 100 * i, 1 + i * 13 % 29);
    const KernelUse use = use_of(events);
    EXPECT_LE(use.collectives_ns + use.tensor_core_ns + use.fp32_matrix_ns + use.other_matrix_ns, use.all_ns);
  }
}

}  // namespace
}  // namespace frx::derive::trace
