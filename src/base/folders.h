// Whether paths lie in folders, whatever links lead to them.
#pragma once

#include <span>
#include <string>

namespace frx {

// `folders` are resolved already. True for such a folder itself, false for a path that cannot be resolved.
bool lies_in(const std::string& path, std::span<const std::string> folders);

// A link in the folder, or below it, that leads out of these folders; "" where there is none.
std::string link_out_of(const std::string& folder, std::span<const std::string> folders);

}  // namespace frx
