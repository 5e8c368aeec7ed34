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

// Each S_ here names everything before it: forty of them would be terabytes of text.
TEST(Demangle, RefusesNamesThatExplode) {
  std::string name = "_Z1fP1aIS_S_E";
  for (char last = '0'; last < '9'; ++last) name += std::string("P1aIS") + last + "_S" + last + "_E";
  std::string many = name;
  for (char last = 'A'; last < 'Z'; ++last) many += std::string("P1aIS") + last + "_S" + last + "_E";
  EXPECT_EQ(demangled_alone(many), "");
}

TEST(Demangle, SpendsItsBudget) {
  DemanglingBudget budget{20};
  EXPECT_EQ(demangled("_Z4axpyfPf", budget), "axpy(float, float*)");
  EXPECT_EQ(demangled("_Z4axpyfPfPfPf", budget), "");
}

}  // namespace
}  // namespace frx
