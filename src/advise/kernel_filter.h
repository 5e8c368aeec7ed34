// Filters that select the same kernels in ncu again.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace frx::advise {

// The name that ncu compares --kernel-name with by default: the function alone, without return type,
// namespaces, template arguments and parameters. "void at::native::reduce<float, 4>(int)" -> "reduce".
std::string kernel_base_name(std::string_view name);

// The value of --kernel-name that selects exactly these kernels, "" for none. Not yet quoted.
std::string kernel_filter(std::span<const std::string_view> names);

}  // namespace frx::advise
