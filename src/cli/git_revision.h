// The commit that the working copy around the current folder is at.
#pragma once

#include <string>

#include "capture/host.h"

namespace frx::cli {

// As git says; "" outside of a repository, and without git.
std::string git_revision(const capture::Host& host);

}  // namespace frx::cli
