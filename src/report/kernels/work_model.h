// How many floating-point operations a launch does, where the caller says so: by an expression, or by the shape of a known operation.
//
//   gemm         M,N,K  2MNK
//   conv         M,N,K  2MNK of the equivalent product: M positions of the output, N channels of it, K values that each is made of
//   attention    M,N,K  4MNK: queries, keys, size of a head; of all heads together, M is the queries of all of them
//   elementwise  up to three numbers: one operation for each element
//   reduction    the same
//   custom       by an expression only
//
// Nothing is assumed: a size alone names the problem and says nothing of its operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::report {

struct WorkRequest {
  std::string operation = {};              // of the list above, or ""
  std::string shape = {};                  // "4096,4096,512", or ""
  std::string flops = {};                  // "2*M*N*K + M*N", or ""; M, N, K and SIZE are the numbers given
  std::optional<std::uint64_t> size = {};  // N of a problem of N x N x N
};

struct WorkModel {
  std::string operation;                  // "gemm"; "" where none was named
  std::vector<std::uint32_t> dimensions;  // of the problem; empty where they are not known
  std::optional<double> flops;            // of one launch
  std::string from;                       // "2*M*N*K of gemm 512x512x512", "--flops 2*M*N*K"; "" without operations
};

// The names that `operation` may have.
std::vector<std::string> operation_names();

// Usage errors name the option: an operation without its shape, a shape of too few numbers, an expression that is none or has a unit.
Result<WorkModel> work_of(const WorkRequest& request);

// "512x512x512"; "" without any.
std::string dimensions_text(const std::vector<std::uint32_t>& dimensions);

}  // namespace frx::report
