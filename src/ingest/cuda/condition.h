// Does the condition of an `#if` hold when this code is compiled for a supported GPU: by nvcc, unless it is said to be HIP?
//
//   __CUDA_ARCH__ >= 300                  true: 7.5 is the oldest
//   CUDART_VERSION < 9000                 false
//   defined(__HIP_PLATFORM_AMD__)         false: that is another compiler; of HIP it is unknown
//   __CUDA_ARCH__ >= 900, defined(FAST)   unknown
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace frx::ingest::cuda {

// The value of a name that the text itself defines, if that is a number.
using NumberOf = std::function<std::optional<std::int64_t>(std::string_view)>;

// Whether the text itself defines a name, where that is certain.
using IsDefined = std::function<std::optional<bool>(std::string_view)>;

// Of HIP nothing is known but what the text says: hipcc compiles for both vendors.
enum class Compiler : std::uint8_t { nvcc, hipcc };

// The result where it is certain. `#ifdef X` is passed as "defined(X)".
std::optional<bool> truth_of(std::string_view condition, const NumberOf& number_of = nullptr, const IsDefined& is_defined = nullptr,
                             Compiler compiler = Compiler::nvcc);

// The same where unknown names count as defined: it selects the branch to read when only one can be.
std::optional<bool> likely_truth_of(std::string_view condition, const NumberOf& number_of = nullptr, const IsDefined& is_defined = nullptr,
                                    Compiler compiler = Compiler::nvcc);

}  // namespace frx::ingest::cuda
