// Does the condition of an `#if` hold when this code is compiled by nvcc for a GPU of today?
//
//   __CUDA_ARCH__ >= 300                  true: 7.5 is the oldest
//   CUDART_VERSION < 9000                 false
//   defined(__HIP_PLATFORM_AMD__)         false: that is another compiler
//   __CUDA_ARCH__ >= 900, defined(FAST)   unknown
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace frx::ingest::cuda {

// What a name of the text itself stands for, if that is a number.
using NumberOf = std::function<std::optional<std::int64_t>(std::string_view)>;

// What can be said for certain. `#ifdef X` is asked as "defined(X)".
std::optional<bool> truth_of(std::string_view condition, const NumberOf& number_of = nullptr);

// The same where names that are not known count as defined: which of two sides to read when only one can be.
std::optional<bool> likely_truth_of(std::string_view condition, const NumberOf& number_of = nullptr);

}  // namespace frx::ingest::cuda
