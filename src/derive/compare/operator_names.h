// The names under which operators and kernels of two runs are the same.
#pragma once

#include <cstddef>
#include <string_view>

namespace frx::derive::compare {

// Compilers number their kernels, starting anew in every run: "triton_poi_fused_add_relu_3" is "triton_poi_fused_add_relu". All other names
// are unchanged: another tile in the name of a kernel is another kernel.
std::string_view canonical_name(std::string_view name);

// Whether it is the name of a kernel that a compiler made of several operators: "triton_poi_fused_add_relu_3".
bool is_fused_name(std::string_view name);

// The limit of fused operators that are taken apart in a comparison; a compiler makes tens of them.
inline constexpr std::size_t most_fused_operators = 200;

// Whether the name `fused` of a compiler that fuses operators contains `operation`: "triton_poi_fused_add_relu" contains "aten::relu"
// and "aten::add_".
bool is_fused_of(std::string_view fused, std::string_view operation);

}  // namespace frx::derive::compare
