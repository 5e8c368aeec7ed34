#include "derive/layout/copies.h"

#include <gmock/gmock.h>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

const knowledge::KernelClasses& classes() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::KernelClasses all = knowledge::KernelClasses::load(library).value();
  return all;
}

std::vector<Copy> copies_in(const LayoutTrace& trace) { return copies_of(trace, classes()); }

// contiguous > clone > copy_ is one copy of 8 x 4 floats, read once and written once.
TEST(Copies, NestedOnesCountOnce) {
  Recording made;
  made.contiguous("[8, 4]", "[1, 8]", "[4, 1]");
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const std::vector<Copy> copies = copies_in(*trace);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(trace->name(copies[0].node), "aten::contiguous");
  EXPECT_EQ(trace->name(copies[0].leaf), "aten::copy_");
  EXPECT_EQ(copies[0].kind, CopyKind::relayout);
  EXPECT_EQ(copies[0].bytes, 2 * 8 * 4 * 4);
  EXPECT_EQ(copies[0].time_ns, 10000);
  EXPECT_EQ(copies[0].hot, none);
  EXPECT_EQ(copies[0].confidence, 0.95);
}

struct KindRow {
  const char *from_type, *to_type, *from_strides, *to_strides;
  CopyKind expected;
};

TEST(Copies, StridesAndTypesTellTheKind) {
  const KindRow rows[] = {
      {"float", "float", "[4, 1]", "[4, 1]", CopyKind::plain},       {"float", "float", "[1, 8]", "[4, 1]", CopyKind::relayout},
      {"float", "c10::Half", "[4, 1]", "[4, 1]", CopyKind::cast},    {"float", "c10::Half", "[1, 8]", "[4, 1]", CopyKind::cast_relayout},
      {"float", "float", "[0, 1]", "[4, 1]", CopyKind::materialise}, {"float", "float", "[8, 1]", "[4, 1]", CopyKind::compact},
      {"c10::Half", "float", "[1, 8]", "[1, 8]", CopyKind::cast},
  };
  for (const KindRow& row : rows) {
    Recording made;
    made.op("aten::copy_",
            {"[[8, 4], [8, 4], []]", fmt::format("[{}, {}, []]", row.to_strides, row.from_strides),
             fmt::format(R"(["{}", "{}", "Scalar"])", row.to_type, row.from_type)},
            [&] { made.kernel("copy", 1); });
    const std::unique_ptr<LayoutTrace> trace = made.trace();
    const std::vector<Copy> copies = copies_in(*trace);
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(name_of(copies[0].kind), name_of(row.expected)) << row.from_type << row.from_strides << row.to_type << row.to_strides;
  }
}

TEST(Copies, AnExpandedSourceIsReadOnce) {
  Recording made;
  made.op("aten::copy_", {"[[8, 4], [8, 4], []]", "[[4, 1], [0, 1], []]", R"(["float", "float", "Scalar"])"},
          [&] { made.kernel("copy", 1); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(copies_in(*trace)[0].bytes, 8 * 4 * 4 + 4 * 4);
}

TEST(Copies, TransfersAreNone) {
  Recording made;
  made.op("aten::copy_", {"[[8, 4], [8, 4], []]", "[[4, 1], [1, 8], []]", R"(["float", "float", "Scalar"])"},
          [&] { made.kernel("Memcpy HtoD (Pageable -> Device)", 1, "gpu_memcpy"); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(copies_in(*trace)[0].kind, CopyKind::transfer);
}

// Without strides the kernel tells: the one that computes an index for each element copies between layouts.
TEST(Copies, WithoutStridesTheKernelTellsWithLessConfidence) {
  const std::pair<const char*, CopyKind> rows[] = {
      {"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda",
       CopyKind::relayout},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::direct_copy_kernel_cuda", CopyKind::plain},
      {"Memcpy DtoD (Device -> Device)", CopyKind::plain},
      {"something", CopyKind::unknown},
  };
  for (const auto& [kernel, kind] : rows) {
    Recording made;
    made.op("aten::copy_", {"[[8, 4], [8, 4], []]", "", R"(["float", "float", "Scalar"])"},
            [&] { made.kernel(kernel, 1, std::string_view(kernel).starts_with("Memcpy") ? "gpu_memcpy" : "kernel"); });
    const std::unique_ptr<LayoutTrace> trace = made.trace();
    const std::vector<Copy> copies = copies_in(*trace);
    EXPECT_EQ(name_of(copies[0].kind), name_of(kind)) << kernel;
    EXPECT_EQ(copies[0].confidence, 0.6);
  }
}

// Each contiguous() that was recorded is a copy: on a contiguous tensor it returns at once, and nothing is recorded.
TEST(Copies, WithoutShapesContiguousIsACopyOfLayout) {
  Recording made;
  made.op("aten::contiguous", {}, [&] { made.op("aten::copy_", {}, [&] { made.kernel("hip_copy", 1); }); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  EXPECT_EQ(copies_in(*trace)[0].kind, CopyKind::relayout);
}

TEST(Copies, LibrariesConvertTheOperandsOfConvolutions) {
  Recording made;
  made.op("aten::cudnn_convolution", {"[[8, 64, 28, 28], [128, 64, 3, 3]]", "", R"(["c10::Half", "c10::Half"])"}, [&] {
    made.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, true, false, (cudnnKernelDataType_t)0>", 5);
    made.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, true, false, (cudnnKernelDataType_t)0>", 3);
    made.kernel("sm80_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nchw", 50);
  });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const std::vector<Copy> copies = copies_in(*trace);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].origin, CopyOrigin::library);
  EXPECT_EQ(trace->name(copies[0].hot), "aten::cudnn_convolution");
  EXPECT_EQ(copies[0].bytes, 2.0 * 2 * 8 * 64 * 28 * 28);
  EXPECT_EQ(copies[1].bytes, 2.0 * 2 * 128 * 64 * 3 * 3);
}

// What is converted back is the result: 8 x 128 x 28 x 28 halves, where the values beside the tensors tell its sizes.
TEST(Copies, LibrariesConvertTheResultOfConvolutionsBack) {
  Recording made;
  made.op("aten::cudnn_convolution",
          {"[[8, 64, 28, 28], [128, 64, 3, 3], [], [], [], [], [], [], []]", "",
           R"(["c10::Half", "c10::Half", "ScalarList", "ScalarList", "ScalarList", "Scalar", "Scalar", "Scalar", "Scalar"])",
           R"(["", "", "[1, 1]", "[1, 1]", "[1, 1]", "1", "True", "False", "True"])"},
          [&] {
            made.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, true, false, (cudnnKernelDataType_t)0>", 5);
            made.kernel("void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true, false, (cudnnKernelDataType_t)0>", 6);
          });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const std::vector<Copy> copies = copies_in(*trace);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].bytes, 2.0 * 2 * 8 * 64 * 28 * 28);
  EXPECT_EQ(copies[1].bytes, 2.0 * 2 * 8 * 128 * 28 * 28);
}

TEST(Copies, KernelsOfInductorThatOnlyMoveElements) {
  EXPECT_TRUE(inductor_kernel("triton_poi_fused_clone_permute_3").only_moves);
  EXPECT_FALSE(inductor_kernel("triton_poi_fused_clone_permute_3").casts);
  EXPECT_TRUE(inductor_kernel("triton_poi_fused__to_copy_transpose_0").only_moves);
  EXPECT_TRUE(inductor_kernel("triton_poi_fused__to_copy_transpose_0").casts);
  EXPECT_TRUE(inductor_kernel("triton_poi_fused__unsafe_view_clone_12").only_moves);
  EXPECT_FALSE(inductor_kernel("triton_poi_fused_add_clone_3").only_moves);
  EXPECT_FALSE(inductor_kernel("triton_red_fused_native_layer_norm_0").only_moves);
  EXPECT_FALSE(inductor_kernel("gemm_fused_clone_0").only_moves);
  EXPECT_FALSE(inductor_kernel("triton_poi_fused_convolution_0").only_moves);
  EXPECT_TRUE(inductor_kernel("triton_poi_fused_convolution_0").is_convolution);
  EXPECT_FALSE(inductor_kernel("triton_poi_fused_convolution_relu_1").is_convolution);
}

// Before a convolution its operands are written in its order; the same name after one is its bias.
TEST(Copies, OperandsOfAConvolutionThatTheCompilerWrites) {
  Recording made;
  made.op("CompiledFunction", {}, [&] {
    made.kernel("triton_poi_fused_convolution_0", 5);
    made.kernel("triton_poi_fused_convolution_1", 4);
    made.op("aten::convolution", {}, [&] { made.op("aten::cudnn_convolution", {}, [&] { made.kernel("sm80_xmma_fprop_nhwc", 50); }); });
    made.kernel("triton_poi_fused_convolution_2", 3);
    made.op("aten::convolution", {}, [&] { made.op("aten::cudnn_convolution", {}, [&] { made.kernel("sm80_xmma_fprop_nhwc", 50); }); });
    made.kernel("triton_poi_fused_relu_3", 3);
    made.kernel("triton_poi_fused_convolution_4", 3);
    made.kernel("triton_poi_fused_add_5", 3);
  });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const std::vector<Copy> copies = copies_in(*trace);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].time_ns, 5000);
  EXPECT_EQ(copies[1].time_ns, 4000);
  EXPECT_EQ(trace->name(copies[0].hot), "aten::cudnn_convolution");
  EXPECT_EQ(copies[0].origin, CopyOrigin::compiled);
}

// Without operators the names of kernels are all there is.
TEST(Copies, OfLibrariesAreSeenWithoutOperators) {
  Recording made;
  made.step(1, [&] {
    made.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, true, false, (cudnnKernelDataType_t)0>", 6);
    made.kernel("sm80_xmma_fprop_nhwc", 50);
    made.kernel("triton_poi_fused_clone_permute_7", 4);
  });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const std::vector<Copy> copies = copies_in(*trace);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].origin, CopyOrigin::library);
  EXPECT_EQ(copies[0].node, none);
  EXPECT_EQ(copies[0].step, 0u);
  EXPECT_EQ(copies[1].origin, CopyOrigin::compiled);
}

// Recordings of a CPU have no kernels: the operator that copies is timed.
TEST(Copies, OfACpuAreTimedByTheirOperator) {
  Recording made;
  made.op("aten::contiguous", {"[[8, 4]]", "[[1, 8]]", R"(["float"])"}, [&] {
    made.op("aten::clone", {}, [&] {
      made.op("aten::copy_", {"[[8, 4], [8, 4], []]", "[[4, 1], [1, 8], []]", R"(["float", "float", "Scalar"])"});
    });
  });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const std::vector<Copy> copies = copies_in(*trace);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].time_ns, 1000);
  EXPECT_EQ(copies[0].kind, CopyKind::relayout);
}

}  // namespace
}  // namespace frx::derive::layout
