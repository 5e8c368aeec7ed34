// One spelling for the name of a kernel, whichever tool wrote it.
//
// Nsight Systems, Nsight Compute and traces demangle with different libraries, in different versions:
//
//   void at::native::vectorized_elementwise_kernel<(int)4, at::native::<unnamed>::fill(Scalar)::[lambda(float) (instance 1)]>(int, T2)
//   void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::fill(c10::Scalar)::{lambda(float)#1}>(int, ...)
//
// Kept are the qualified name, template arguments and the numbers of lambdas; left out are return types, parameters, casts, unnamed
// namespaces, const, blanks, suffixes of numbers and allocators that are defaults. Numbers at the end of a name stay: "triton_1" is not
// "triton_10".
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/demangle.h"

namespace frx::derive::compare {

// Of a name as people read it. O(n); never empty unless `name` is.
std::string canonical_kernel_name(std::string_view name);

// The same for many names of one file, each computed once. Mangled names are demangled first.
class KernelSpelling {
 public:
  const std::string& operator()(std::string_view name);

 private:
  std::unordered_map<std::string, std::string> known_;
  DemanglingBudget budget_;
};

}  // namespace frx::derive::compare
