#include "base/demangle.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

std::string demangled_alone(std::string_view name) {
  DemanglingBudget budget;
  return demangled(name, budget);
}

TEST(Demangle, WritesKernelNamesAsTheirSource) {
  EXPECT_EQ(demangled_alone("_Z4axpyfPf"), "axpy(float, float*)");
  EXPECT_EQ(demangled_alone("_Z2tkILi3EEvPf"), "void tk<3>(float*)");
  EXPECT_EQ(demangled_alone("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_"),
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> "
            ">(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangled_alone(""), "");
  EXPECT_EQ(demangled_alone("axpy"), "");
  EXPECT_EQ(demangled_alone("_Z"), "");
  EXPECT_EQ(demangled_alone("_Z4axp"), "");
}

// Each further argument is a pair of the one before it: forty of them would be terabytes of text.
TEST(Demangle, RefusesNamesThatExplode) {
  const auto pairs = [](int count) {
    std::string name = "_Z1f1aIiiE";
    for (int i = 0; i < count; ++i) name += fmt::format("S_IS{0}_S{0}_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
    return name;
  };
  EXPECT_EQ(demangled_alone(pairs(1)), "f(a<int, int>, a<a<int, int>, a<int, int> >)");
  EXPECT_GT(demangled_alone(pairs(8)).size(), 5000u);
  EXPECT_EQ(demangled_alone(pairs(36)), "");
}

TEST(Demangle, SpendsItsBudget) {
  DemanglingBudget budget{30};
  EXPECT_EQ(demangled("_Z4axpyfPf", budget), "axpy(float, float*)");
  EXPECT_EQ(budget.bytes, 11u);
  EXPECT_EQ(demangled("_Z4axpyfPf", budget), "");
}

}  // namespace
}  // namespace frx
