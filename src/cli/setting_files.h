// Where files of settings are, and what they say.
//
// That of a project is .frx.yaml in the folder in which the program works or above it, up to the folder that has .git. It may come from
// other people: it is a file of its own and no link, of at most 64 KiB, and where others may write into its folder it has to be the user's
// own.
#pragma once

#include <vector>

#include "cli/settings.h"

namespace frx::cli {

// The files, the weakest first: of the machine, of the user, and of the project or the one that was named.
Result<std::vector<SettingFile>> setting_files(const SettingSources& sources);

// The settings of a file in their order, with its paths below its folder. Malformed, with file and line.
Result<std::vector<Setting>> settings_in(const SettingFile& file);

}  // namespace frx::cli
