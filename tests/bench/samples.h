// Small Nsight Compute exports for the microbenchmarks; gen_ncu_csv.py makes the realistic large ones.
#pragma once

#include <cstddef>
#include <string>

namespace frx::bench {

// At least `bytes` bytes of whole launches, and at least one.
std::string tall_sample(std::size_t bytes);
std::string wide_sample(std::size_t bytes);

std::string first_lines(const std::string& text, std::size_t count);

}  // namespace frx::bench
