#include "derive/compare/kernel_spelling.h"

#include <gtest/gtest.h>

namespace frx::derive::compare {
namespace {

struct Spellings {
  std::string_view nsys, ncu;  // or any other two tools
};

// The left ones are in the style of EDG, as both tools of NVIDIA write it unless they are told otherwise; the right ones in that of the
// Itanium ABI, with the casts and names of parameters of which the styles differ.
constexpr Spellings same[] = {
    {"void at::native::<unnamed>::fill_kernel<(int)4, float>(int, T2)",
     "void at::native::(anonymous namespace)::fill_kernel<4, float>(int, float)"},
    {"void gemm<(int)128, (bool)1>(float *)", "void gemm<128, true>(float*)"},
    {"gemm<128,0>", "void gemm<(int)128, (bool)0>(const float *, int)"},
    {"void convert<float, (cudnnKernelDataType_t)2>(T1, const T1 *)", "void convert<float, 2>(float, float const*)"},
    {"void adam<(at::native::ADAM_MODE)1, (bool)0>(T1)", "void adam<(ADAM_MODE)1, false>(float)"},
    {"void elementwise<copy(at::TensorIteratorBase &)::[lambda(float) (instance 1)], std::array<char *, (unsigned long)2>>(int, T2, T3)",
     "void elementwise<copy(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
     "copy(at::TensorIteratorBase&)::{lambda(float)#1})"},
    {"void k<f()::[lambda() (instance 2)]::operator ()() const::[lambda(c10::Half) (instance 3)]>(int)",
     "void k<f()::{lambda()#2}::operator()() const::{lambda(c10::Half)#3}>(int)"},
    {"void k<f()::{lambda(float)#1}>(int)", "void k<f()::'lambda'(float)>(int)"},
    {"void k<f()::{lambda(float)#3}>(int)", "void k<f()::'lambda1'(float)>(int)"},
    {"void gemv<Strided<const float>, float>(Params<T1, T2>)",
     "void gemv<Strided<float const>, float>(Params<Strided<float const>, float>)"},
    {"void <unnamed>::softmax<float, (int)6>(T1 *)", "void (anonymous namespace)::softmax<float, 6>(float*)"},
    {"void unnamed>::tiled<32>(const float *, int)", "void (anonymous namespace)::tiled<32>(float const*, int)"},
    {"unnamed>::saxpy(float, const float *)", "<unnamed>::saxpy(float, const float *)"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_tn_align1>(T1::Params)",
     "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_tn_align1>(cutlass_80_simt_sgemm_128x128_8x4_tn_align1::Params)"},
    {"fill<std::vector<int>>(int)", "void fill<std::vector<int, std::allocator<int> > >(int)"},
    // Of PyTorch and cuDNN, as exports of Nsight Systems and traces of the PyTorch profiler have them.
    {"std::enable_if<!T7, void>::type internal::gemvx::kernel<int, float, (bool)0, (int)7, cublasGemvParamsEx<int, Strided<const "
     "float>>>(T9)",
     "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, false, 7, cublasGemvParamsEx<int, Strided<float const> > "
     ">(int)"},
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, (bool)0, (bool)1, (cudnnKernelDataType_t)0>"
     "(cudnn::engines_precompiled::nchw2nhwc_params_t<T3>, const T1 *, T2 *)",
     "void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, true, (cudnnKernelDataType_t)0>"
     "(cudnn::engines_precompiled::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, __nv_bfloat16*)"},
    {"void at::native::<unnamed>::CatArrayBatchedCopy<at::native::<unnamed>::OpaqueType<(unsigned int)2>, unsigned int, (int)4, "
     "(int)64>(T1 *)",
     "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64>"
     "(at::native::(anonymous namespace)::OpaqueType<2u>*)"},
    {"void <unnamed>::elementwise_kernel_with_index<int, at::native::arange_cuda_out(const c10::Scalar &, at::Tensor &)::[lambda() "
     "(instance "
     "1)]::operator ()() const::[lambda(long) (instance 4)]>(int, T2, T1)",
     "void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar const&, at::Tensor&)"
     "::{lambda()#1}::operator()() const::{lambda(long)#4}>(int, long, int)"},
    {"void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::ScanTileState<long, (bool)1>>(T1, int)",
     "void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::ScanTileState<long, true> "
     ">(at_cuda_detail::cub::ScanTileState<long, true>, int)"},
    // A lambda of a function template: of Nsight Compute 2025.3 and of the PyTorch profiler 2.11, on an H200.
    {"void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float>>"
     "(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
     "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >"
     "(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1}>(int, "
     "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&, "
     "at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1})"},
    {"k<void <unnamed>::launch<float>(int)::[lambda(int) (instance 1)]>(int)",
     "k<(anonymous namespace)::launch<float>(int)::{lambda(int)#1}>(int)"},
    {"k<void ::launch<float>(int)::[lambda(int) (instance 1)]>(int)",
     "k<void (anonymous namespace)::launch<float>(int)::{lambda(int)#1}>(int)"},
    {"k<unsigned long long, std::enable_if<(bool)1, T1 *>::type make<(int)3>(float)::[lambda() (instance 1)]>(int)",
     "k<unsigned long long, make<3>(float)::{lambda()#1}>(int)"},
    {"offset<(int)-2, (unsigned int)4>", "offset<-2, 4u>"},
    {"axpy(float *, int)", "axpy"},
    {"sm80_xmma_gemm_f16f16_tn_n", "sm80_xmma_gemm_f16f16_tn_n"},
};

TEST(KernelSpelling, TheSameKernelHasOneNameInAllTools) {
  for (const Spellings& pair : same) EXPECT_EQ(canonical_kernel_name(pair.nsys), canonical_kernel_name(pair.ncu)) << pair.nsys;
}

constexpr Spellings different[] = {
    {"triton_poi_fused_add_1", "triton_poi_fused_add_10"},
    {"void gemm<(int)4>(float *)", "void gemm<(int)8>(float *)"},
    {"void k<f()::[lambda(float) (instance 1)]>()", "void k<f()::[lambda(float) (instance 2)]>()"},
    {"a::kernel<float>", "b::kernel<float>"},
    {"kernel<float>", "kernel<double>"},
    {"kernel<foo<int>, bar>", "kernel<foo<int, bar>>"},
    {"kernel<unsigned int>", "kernel<int>"},
    {"kernel<unsigned long>", "kernel<long>"},
    {"kernel<unsigned __int128>", "kernel<__int128>"},
    {"kernel<float _Complex>", "kernel<double _Complex>"},
    {"copy", "copy2"},
};

TEST(KernelSpelling, OtherKernelsKeepOtherNames) {
  for (const Spellings& pair : different) EXPECT_NE(canonical_kernel_name(pair.nsys), canonical_kernel_name(pair.ncu)) << pair.nsys;
}

TEST(KernelSpelling, NothingIsLeftOfWhatIsNotTheName) {
  EXPECT_EQ(canonical_kernel_name("void at::native::<unnamed>::fill_kernel<(int)4, const float *>(int, T2)"),
            "at::native::fill_kernel<4,float*>");
  EXPECT_EQ(canonical_kernel_name("unsigned long long count<true>(int) [clone .kd]"), "count<1>");
  EXPECT_EQ(canonical_kernel_name("f<operator<<, 2>(int)"), "f<operator<<,2>");
  EXPECT_EQ(canonical_kernel_name("(())"), "(())") << "never empty";
  EXPECT_EQ(canonical_kernel_name("k<f("), "k<f");
}

TEST(KernelSpelling, MangledNamesAreReadFirst) {
  KernelSpelling spelling;
  EXPECT_EQ(spelling("_Z4gemmILi4EEvPf"), spelling("void gemm<(int)4>(float *)"));
  EXPECT_EQ(spelling("_ZN12_GLOBAL__N_14gemmILb1EEEvPf"), spelling("void <unnamed>::gemm<(bool)1>(float *)"));
  EXPECT_EQ(spelling("_Zgarbage"), "_Zgarbage");
}

}  // namespace
}  // namespace frx::derive::compare
