// A lock for files that are read, extended and replaced: of the folder, because the file itself is replaced.
#pragma once

#include <string>

#include "capture/spawn.h"

namespace frx::cli {

// Held until it is destroyed, so that processes that add to one file at a time lose nothing. Where there is no folder, or it cannot be
// locked, nothing is held.
capture::Fd lock_folder_of(const std::string& file);

}  // namespace frx::cli
