#include "ingest/cuda/kernel_heads.h"

#include <gtest/gtest.h>

#include "ingest/cuda/read_source.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::NodeKind;
using model::cuda::Source;

// The names of the kernels of a text, by its tokens.
std::vector<std::string> kernels_of(std::string text) {
  std::vector<std::string> names;
  for (const KernelHead& head : settle_kernel_heads(text)) names.push_back(text.substr(head.name_begin, head.name_end - head.name_begin));
  return names;
}

std::string settled(std::string text) {
  settle_kernel_heads(text);
  return text;
}

std::uint32_t kernel_nodes(const Source& source) {
  std::uint32_t count = 0;
  for (std::uint32_t n = 0; n < source.syntax.size(); ++n) {
    if (!source.syntax.is(n, NodeKind::function_definition)) continue;
    count += source.text_of(n).find("__global__") != std::string_view::npos;
  }
  return count;
}

TEST(CudaKernelHeads, CountsDefinitionsAndNotDeclarations) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(kernels_of("__global__ void a(int* p) {}\n__global__ void b(int* p);\nvoid c() {}"), Names{"a"});
  EXPECT_EQ(kernels_of("// __global__ void a() {}\nauto s = \"__global__ void b() {}\"; /* __global__ void c() {} */"), Names{});
  EXPECT_EQ(kernels_of("template <typename T, int N = (1 > 2)> __global__ void a(T* p) { if (p) {} }"), Names{"a"});
  EXPECT_EQ(kernels_of("template <> __global__ void a<float, 2>(float* p) {}"), Names{"a"});
  EXPECT_EQ(kernels_of("REGISTER(k)\n__global__ void a(void (*f)(int)) {}"), Names{"a"});
  EXPECT_EQ(kernels_of("f(((\n__global__ void a(int* p) {}"), Names{"a"});
  EXPECT_EQ(kernels_of("__global__ void NAME(a, b)(int* p) {}"), Names{"NAME"});
}

TEST(CudaKernelHeads, BlanksMacrosThatAreNotKnown) {
  EXPECT_EQ(settled("__global__ BOUNDS(256, 2) void k(int* a) {}"), "__global__                void k(int* a) {}");
  EXPECT_EQ(settled("__global__ void BOUNDS(256) k(int* a) {}"), "__global__ void             k(int* a) {}");
  EXPECT_EQ(settled("EXPORT __global__ HINT void k(int* a) {}"), "       __global__      void k(int* a) {}");
  EXPECT_EQ(settled("__global__ void NAME(x, _y)(int* a) {}"), "__global__ void NAME       (int* a) {}");
  EXPECT_EQ(settled("__global__ typename e<T, void>::type k(int* a) {}"), "__global__ typename e<T, void>::type k(int* a) {}");
}

// Each form is accepted by nvcc 13.0 for sm_90.
TEST(CudaKernelHeads, EveryAttributeIsReadWhereverItMayStand) {
  const std::vector<std::string> attributes{"__launch_bounds__(256)",
                                            "__launch_bounds__(256, 2)",
                                            "__launch_bounds__(256, 2, 4)",
                                            "__cluster_dims__(2, 1, 1)",
                                            "__maxnreg__(32)",
                                            "__block_size__((128, 1, 1), (2, 1, 1))",
                                            "__attribute__((used))",
                                            "[[maybe_unused]]",
                                            "__noinline__",
                                            "__forceinline__",
                                            "inline",
                                            "static",
                                            "extern \"C\""};
  const std::string body = "(const __grid_constant__ int n, float* __restrict__ a) { a[threadIdx.x] = n; }\n";
  for (const std::string& one : attributes) {
    std::vector<std::string> forms{one + " __global__ void k" + body};
    if (one != "extern \"C\"") {
      forms.push_back("__global__ " + one + " void k" + body);
      forms.push_back("__global__ void " + one + " k" + body);
      forms.push_back("void __global__ " + one + " k" + body);
    }
    for (const std::string& form : forms) {
      const Source source = read_source("k.cu", form).value();
      EXPECT_EQ(kernel_nodes(source), 1u) << form;
      EXPECT_TRUE(source.kernels_not_read.empty()) << form;
    }
  }
  for (const char* form : {"__device__ __managed__ int m; __global__ void k(int* a) { *a = m; }",
                           "__device__ __nv_pure__ int f(int a) { return a; } __global__ void k(int* a) { *a = f(1); }"}) {
    const Source source = read_source("k.cu", form).value();
    EXPECT_EQ(kernel_nodes(source), 1u) << form;
    EXPECT_EQ(source.errors, 0u) << form;
  }
}

TEST(CudaKernelHeads, AnErrorInFrontOfAKernelDoesNotHideIt) {
  const Source source = read_source("k.cu", "int a = = 3; struct { = ( \n__global__ void k(float* a) { a[0] = 1; }\n").value();
  EXPECT_EQ(kernel_nodes(source), 1u);
  EXPECT_TRUE(source.kernels_not_read.empty());
}

TEST(CudaKernelHeads, AKernelThatCannotBeReadIsNamed) {
  const Source source = read_source("k.cu", "int a;\n__global__ void k, (float* a) { a[0] = 1; }\n").value();
  ASSERT_EQ(source.kernels_not_read.size(), 1u);
  EXPECT_EQ(source.kernels_not_read[0].place.line, 2u);
  EXPECT_EQ(source.kernels_not_read[0].place.column, 1u);
}

}  // namespace
}  // namespace frx::ingest::cuda
