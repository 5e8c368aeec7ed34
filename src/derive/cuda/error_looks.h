// What host code looks at: the error of a launch, or what later calls return.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// A launch that is refused (a wrong block, too much shared memory, no code for this GPU) shows in cudaGetLastError() alone; what later
// calls return tells of errors while a kernel ran.
enum class Look : std::uint8_t { nothing, of_later_calls, of_launch };

// The most that something in each file looks at.
std::vector<Look> looks_of_files(const Sources& sources);

// What the host functions of one file look at, by name, and what other files do.
struct ErrorLooks {
  std::unordered_map<std::string_view, Look> functions;
  std::unordered_set<std::string_view> checked_by_callers;  // behind a call of these, a function of the file looks at a launch
  const std::vector<Look>* files = nullptr;
};
// `files` must outlive what is returned.
ErrorLooks error_looks(const Program& program, std::uint32_t source, const std::vector<Look>& files);

// The nodes of a function behind which nothing more looks at a launch, or at anything. Of what it calls, functions and macros that are not
// given count by their names and arguments: check_error() may look at a launch, CHECK(cudaFree(p)) looks at that call.
struct LookEnds {
  std::uint32_t of_launch = 0, of_any = 0;
};
LookEnds ends_of_looks(const Program& program, const Function& function, const ErrorLooks& of_file);

// Functions of the C library, of the runtime and of MPI that look at no error of a launch.
bool is_harmless(std::string_view name);

}  // namespace frx::derive::cuda
