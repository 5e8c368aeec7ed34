// Files of the commands of frx kernel: profiles that are read, and names of files that are made of names of kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/full_profile.h"

namespace frx::cli {

// "gemm-512x512x512": letters, digits, '-' and '_' of the name, at most 80 of them. A name that has others, or is longer, gets the first
// digits of its SHA-256 besides, so that different names have different files. Never a path.
std::string file_stem_for(std::string_view kernel, const std::vector<std::uint32_t>& dimensions);

// A FullProfile, at most 64 MiB. Errors name the file.
Result<model::FullProfile> read_profile_file(const std::string& path);

// Writes it as it appears whole. A path that is a folder gets a file of the kernel's name in it. The path that was written.
Result<std::string> write_profile_file(const std::string& path, const model::FullProfile& profile);

// The store of baselines: files below this folder, one for each kernel and problem.
inline constexpr std::string_view baseline_folder = ".cgp-baselines";
std::string baseline_path(std::string_view stem);

}  // namespace frx::cli
