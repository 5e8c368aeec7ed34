// Recordings by name: names in a narrow column, products and their helpers, peaks, and which command wins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "ingest/nsys/testing.h"
#include "knowledge/knowledge.h"
#include "report/recordings/competition.h"
#include "report/recordings/cublas_profile.h"
#include "report/recordings/gemm_times.h"
#include "report/recordings/kernel_recording.h"

namespace frx::report {
namespace {

using ingest::nsys::testing::ExportBuilder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const knowledge::Knowledge& builtin_knowledge() {
  static const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  return knowledge;
}

// cgp R19, cgp D17
TEST(FittedKernelName, IsCutBetweenCharactersNeverInside) {
  std::string name;
  for (int i = 0; i < 60; ++i) name += "\xC3\xA9";  // two bytes each
  for (std::size_t cells = 8; cells < 50; ++cells) {
    const std::string fitted = fitted_kernel_name(name, cells);
    EXPECT_TRUE(is_utf8(fitted)) << cells;
    EXPECT_EQ(display_width(fitted), cells);
    EXPECT_TRUE(fitted.ends_with("...")) << fitted;
  }
}

// cgp R19
TEST(FittedKernelName, ShortensTemplatesByTheirParts) {
  EXPECT_EQ(fitted_kernel_name("void gemm<float, 4>(int)", 40), "void gemm<float, 4>(int)");
  EXPECT_EQ(fitted_kernel_name("void ns::gemm<float, 4>(float const*, float const*, float*, int)", 40), "ns::gemm<float, 4>");
  const std::string many = "void ns::gemm<" + std::string(100, 'T') + ">(int)";
  EXPECT_EQ(fitted_kernel_name(many, 40), "ns::gemm<" + std::string(27, 'T') + "...>");
  // The namespaces go before the name does.
  EXPECT_EQ(fitted_kernel_name("void a_namespace_of_many_letters::and_another_one::kernel_of_it<float>(int, int)", 40),
            "kernel_of_it<float>");
}

// cgp R19
TEST(FittedKernelName, OfATemplateOfFourKilobytesIsOneLine) {
  std::string name = "void k<";
  while (name.size() < 4096) name += "std::tuple<int, ";
  const std::string fitted = fitted_kernel_name(name + "(int)", 40);
  EXPECT_LE(display_width(fitted), 40u);
  EXPECT_THAT(fitted, StartsWith("k<std::tuple<int"));
}

TEST(FittedKernelName, MangledNamesAreDemangled) { EXPECT_EQ(fitted_kernel_name("_Z4axpyfPf", 40), "axpy(float, float*)"); }

TEST(WallTimes, MedianAndItsDeviation) {
  const WallTimes times{{5, 1, 2, 100, 3}, 1};
  EXPECT_EQ(times.median_ms(), 3);
  EXPECT_EQ(times.mad_ms(), 2);  // of 2, 2, 1, 97, 0
  EXPECT_EQ((WallTimes{{7}, 1}.mad_ms()), 0);
}

// cgp R11
TEST(GemmTimes, AHelperBelongsToTheProductBeforeItOnItsStream) {
  const model::Timeline timeline = ExportBuilder()
                                       .kernel(0, 100, 1, "ampere_s16816gemm_fp16", 1, 0, 7)
                                       .kernel(10, 60, 2, "nvjet_tst_128x256", 1, 0, 8)  // on another stream, meanwhile
                                       .kernel(100, 120, 3, "splitKreduce_kernel<float>", 1, 0, 7)
                                       .kernel(130, 140, 4, "softmax", 1, 0, 7)
                                       .read()
                                       .value();
  const GemmTimes times = gemm_times_of(timeline, builtin_knowledge().classes);
  ASSERT_THAT(times.rows, SizeIs(2));
  EXPECT_EQ(times.rows[0].kernel, "ampere_s16816gemm_fp16");
  EXPECT_EQ(times.rows[0].total_ns, 120);
  EXPECT_EQ(times.rows[0].helper_ns, 20);
  EXPECT_THAT(times.rows[0].helpers, ElementsAre("splitKreduce_kernel<float>"));
  EXPECT_EQ(times.rows[1].total_ns, 50);
  EXPECT_EQ(times.all.products, 2u);
  EXPECT_EQ(times.all.total_ns, 170);
  EXPECT_EQ(times.other_kernels, 1u);
}

// cgp R11
TEST(GemmTimes, NamesOfLibrariesAreProductsAndOthersAreNot) {
  const auto is_product = [](const std::string& name) {
    return gemm_times_of(ExportBuilder().kernel(0, 10, 1, name).read().value(), builtin_knowledge().classes).all.products == 1;
  };
  for (const char* name :
       {"ampere_sgemm_128x64_tn", "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16>(int)", "sm80_xmma_gemm_f16f16",
        "nvjet_hsh_64x8", "void gemv2T_kernel_val<int>(int)", "void cublasLt::gemm_kernel<float>()", "Gemm_big"})
    EXPECT_TRUE(is_product(name)) << name;
  for (const char* name : {"softmax", "void axpy_kernel_val<cublasAxpyParamsVal<float>>(int)", "sm86_xmma_fprop_implicit_gemm_tf32",
                           "fmha_cutlassF_f16", "vectorized_elementwise_kernel"})
    EXPECT_FALSE(is_product(name)) << name;
}

TEST(GemmTimes, AHelperWithoutAProductIsSaid) {
  const GemmTimes times =
      gemm_times_of(ExportBuilder().kernel(0, 10, 1, "splitKreduce_kernel").read().value(), builtin_knowledge().classes);
  EXPECT_THAT(times.rows, IsEmpty());
  EXPECT_THAT(times.notes, ElementsAre(HasSubstr("1 helper kernel before any product")));
}

CublasPeak peak(std::string_view operation, std::string gpu) {
  GpuAtHand at_hand;
  at_hand.name = std::move(gpu);
  return cublas_peak(*cublas_operation(operation), at_hand, builtin_knowledge().gpus);
}

// cgp D6, cgp D7
TEST(CublasPeak, IsDenseAndTellsTheAccumulationsApart) {
  EXPECT_NEAR(*peak("gemm_f16", "RTX 4090").tflops, 165.2, 0.1);
  EXPECT_NEAR(*peak("hgemm", "RTX 4090").tflops, 330.3, 0.1);
  EXPECT_NEAR(*peak("gemm_tf32", "RTX 4090").tflops, 82.6, 0.1);
  EXPECT_NEAR(*peak("gemm_f32", "RTX 4090").tflops, 82.6, 0.1);
  EXPECT_NEAR(*peak("gemm_bf16", "NVIDIA H100 80GB HBM3").tflops, 989.4, 0.1);
  EXPECT_NEAR(*peak("dgemm", "A100-SXM4-80GB").tflops, 19.5, 0.1);  // on tensor cores
  EXPECT_THAT(peak("gemm_f16", "RTX 4090").source, HasSubstr("data/gpus/ada.yaml"));
}

// cgp D6
TEST(CublasPeak, OfAnUnknownGpuThereIsNoneAndItSaysWhy) {
  for (const char* gpu : {"", "NVIDIA RTX 9999", "sm_86", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"}) {
    const CublasPeak none = peak("gemm_f16", gpu);
    EXPECT_EQ(none.tflops, std::nullopt) << gpu;
    EXPECT_NE(none.source, "") << gpu;
  }
  EXPECT_THAT(peak("gemm_bf16", "Tesla T4").source, HasSubstr("has no rate for bf16_tensor"));
}

CublasProfile profile_of(std::string_view operation, std::uint64_t size) {
  CublasProfile profile;
  profile.operation = cublas_operation(operation);
  profile.shape = {size, size, size};
  profile.peak = {100.0, 1000.0, "made up", "made up"};
  return profile;
}

// cgp R10, cgp D21
TEST(CublasProfile, WithoutARunThereIsNoThroughput) {
  CublasProfile profile = profile_of("sgemm", 1000);
  EXPECT_EQ(profile.tflops(GemmRow()), std::nullopt);
  EXPECT_EQ(profile.estimate(), std::nullopt);  // it was not asked for
  profile.is_estimate_wanted = true;
  ASSERT_TRUE(profile.estimate());
  EXPECT_DOUBLE_EQ(profile.estimate()->time_us, 20);  // 2e9 at 100 TFLOP/s
  profile.times.emplace();
  EXPECT_EQ(profile.estimate(), std::nullopt);  // something was measured
  profile.times.reset();
  profile.peak.tflops.reset();
  EXPECT_EQ(profile.estimate(), std::nullopt);  // of what?
}

TEST(CublasProfile, TheEstimateOfASmallProductIsThatOfItsBytes) {
  CublasProfile profile = profile_of("sgemm", 10);
  profile.is_estimate_wanted = true;
  EXPECT_DOUBLE_EQ(profile.estimate()->time_us, 1200.0 / 1e6);  // 300 numbers at 1000 GB/s
  EXPECT_THAT(profile.estimate()->basis, HasSubstr("bytes"));
}

// cgp R11
TEST(CublasProfile, EfficiencyIsOfProductsWithTheirHelpers) {
  const CublasProfile profile = profile_of("sgemm", 1000);
  GemmRow row;
  row.products = 4;
  row.total_ns = 160'000;  // 40 us of each
  row.helper_ns = 40'000;
  EXPECT_DOUBLE_EQ(*profile.tflops(row), 50);
  EXPECT_DOUBLE_EQ(*profile.efficiency_pct(row), 50);
}

TEST(CublasProfile, KernelsOfAnotherPrecisionAreDoubted) {
  const auto doubts = [](std::string_view operation, const char* kernel) {
    CublasProfile profile = profile_of(operation, 1000);
    profile.times.emplace();
    GemmRow row;
    row.kernel = kernel;
    row.products = 1;
    row.total_ns = 1e9;
    profile.times->rows.push_back(row);
    return doubts_about(profile);
  };
  EXPECT_THAT(doubts("gemm_f16", "ampere_h16816gemm_128"), ElementsAre(HasSubstr("accumulates in FP16")));
  EXPECT_THAT(doubts("hgemm", "ampere_fp16_s16816gemm_fp16"), ElementsAre(HasSubstr("accumulates in FP32")));
  EXPECT_THAT(doubts("sgemm", "ampere_sgemm_tf32_128"), ElementsAre(HasSubstr("TF32")));
  EXPECT_THAT(doubts("sgemm", "ampere_sgemm_128x64_tn"), IsEmpty());
}

TEST(CublasProfile, MoreThanThePeakIsDoubted) {
  CublasProfile profile = profile_of("sgemm", 1000);
  profile.times.emplace();
  GemmRow row;
  row.products = 1;
  row.total_ns = 10'000;  // 200 TFLOP/s
  profile.times->rows.push_back(row);
  EXPECT_THAT(doubts_about(profile), ElementsAre(HasSubstr("more than the peak")));
}

model::TimedCommand timed(std::string label, std::vector<double> runs, std::string failure = "") {
  model::TimedCommand command;
  command.label = std::move(label);
  command.runs_ms = std::move(runs);
  command.failure = std::move(failure);
  return command;
}

// cgp R20
TEST(Competition, ThereIsAWinnerWhereIntervalsAreApart) {
  const Competition competition = judge_competition(
      "x", {timed("slow", {20, 21, 20, 20.5, 20.2}), timed("fast", {10, 10.1, 10.2, 10, 10.1}), timed("slower", {30, 31, 30, 30, 30.4})},
      1);
  ASSERT_TRUE(competition.winner);
  EXPECT_EQ(*competition.winner, 1u);
  EXPECT_EQ(competition.verdict, "Winner: fast");
  EXPECT_FALSE(competition.any_failed());
}

// cgp R20
TEST(Competition, IsInconclusiveWhereOneOtherOverlaps) {
  const Competition competition = judge_competition(
      "x", {timed("a", {10, 15, 9, 12, 11}), timed("b", {11, 14, 10, 12, 13}), timed("slow", {100, 101, 99, 100, 102})}, 1);
  EXPECT_EQ(competition.winner, std::nullopt);
  EXPECT_THAT(competition.verdict, AllOf(StartsWith("Inconclusive: a and b"), HasSubstr("scatter")));
  ASSERT_TRUE(competition.competitors[2].against_fastest);
  EXPECT_EQ(competition.competitors[2].against_fastest->answer, derive::compare::Answer::worse);
}

// cgp R20
TEST(Competition, OneThatFailedHasNoTimesAndLosesToNobody) {
  const Competition alone = judge_competition("x", {timed("a", {10, 10, 10, 10, 10}), timed("b", {1, 1}, "exit code 3")}, 1);
  EXPECT_EQ(alone.competitors[1].median_ms, std::nullopt);
  EXPECT_EQ(alone.fastest, 0u);
  EXPECT_EQ(alone.winner, std::nullopt);
  EXPECT_THAT(alone.verdict, HasSubstr("a is the only one that ran"));
  EXPECT_TRUE(alone.any_failed());
  const Competition none = judge_competition("x", {timed("a", {}, "x"), timed("b", {}, "y")}, 1);
  EXPECT_EQ(none.fastest, std::nullopt);
  EXPECT_THAT(none.verdict, HasSubstr("every command failed"));
}

}  // namespace
}  // namespace frx::report
