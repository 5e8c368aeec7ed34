// Matrix products of a recording, as the program asked for them: a kernel of a library and the kernels that finish its work are one
// product.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/kernel_classes.h"
#include "model/session.h"
#include "model/timeline.h"
#include "report/recordings/recorded_times.h"

namespace frx::report {

// Products whose main kernel has the same name. Times are nanoseconds.
struct GemmRow {
  std::string kernel;
  std::vector<std::string> helpers;                 // kernels counted into them: those that add up the parts of a split product
  std::uint64_t products = 0, helper_launches = 0;  // products: launches of the main kernel
  double total_ns = 0, helper_ns = 0;               // total: with the helpers
  std::optional<double> shortest_ns, longest_ns;    // of one product; absent where launches are not distinguished

  double average_ns() const { return total_ns / static_cast<double>(products); }
};

struct GemmTimes {
  std::vector<GemmRow> rows;        // by time
  GemmRow all;                      // all of them; without a kernel. `products` is 0 where there is none
  std::uint64_t other_kernels = 0;  // names of kernels that are no product and belong to none
  std::vector<std::string> notes;
};

// Products and helpers are told by name (classes gemm and gemm_helper of data/kernels). A helper belongs to the product that was launched
// last before it on its stream.
GemmTimes gemm_times_of(const model::Timeline& timeline, const knowledge::KernelClasses& classes);
// Of sums by name, which do not tell launches apart: helpers belong to the only product; where there are several, to all of them together.
GemmTimes gemm_times_of(const RecordedTimes& times, const knowledge::KernelClasses& classes);

}  // namespace frx::report
