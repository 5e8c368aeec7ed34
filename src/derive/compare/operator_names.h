// By which names operators and kernels of two runs are the same.
#pragma once

#include <string_view>

namespace frx::derive::compare {

// Compilers number what they make, and count anew in every run: "triton_poi_fused_add_relu_3" is "triton_poi_fused_add_relu".
// All other names stand as they are: another tile in the name of a kernel is another kernel.
std::string_view canonical_name(std::string_view name);

// Whether a compiler that fuses operators says in `fused` that `operation` is in it: "triton_poi_fused_add_relu" holds "aten::relu"
// and "aten::add_".
bool is_fused_of(std::string_view fused, std::string_view operation);

}  // namespace frx::derive::compare
