// Whether anything looks at the errors of launches.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "derive/cuda/trace.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// Does something in these files ask for the error of a launch: cudaGetLastError(), or the result of a call that also reports it?
// By file.
std::vector<bool> files_that_look(const Sources& sources);

// May code around a launch look at its error: a function that the program does not define, or callers in files that
// were not read?
bool may_be_checked(const Program& program, const Function& function, const LaunchSite& site);

// Whether the host functions of one file look at errors, by name, and whether anything in other files does.
struct ErrorLooks {
  std::unordered_map<std::string_view, bool> functions;
  const std::vector<bool>* files = nullptr;
};
// `files` must outlive what is returned.
ErrorLooks error_looks(const Program& program, std::uint32_t source, const std::vector<bool>& files);

// The node behind the last one of a function that looks at errors, by its name: a call of something like check_error().
std::uint32_t end_of_looks(const Program& program, const Function& function, const ErrorLooks& of_file);

// Does the function that launches look at no error after that?
bool is_ignored(const Program& program, const Function& function, const LaunchSite& site, std::uint32_t end_of_looks);

// Gives the first launch of each file those of the file whose errors nothing looks at, where the program never asks for them; else those
// that are ignored by the functions that launch. All launches, by file and line.
void note_unchecked(std::vector<model::cuda::Launch>& launches, bool is_never_asked);

}  // namespace frx::derive::cuda
