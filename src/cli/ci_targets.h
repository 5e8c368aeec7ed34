// What a repository holds that can be checked, and where the check runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io.h"

namespace frx::cli {

struct RepositoryFiles {
  // The folders and files at the top of the repository that hold code and that git knows; "." where there is no git or no repository;
  // nothing where git knows no code.
  std::vector<std::string> code = {};
  std::vector<std::string> recordings = {};  // files that git knows, in its order: profiles and traces, by their endings
};
RepositoryFiles files_of_repository(const Io& io);

// github, gitlab, jenkins, other ("CI" is set), or "".
std::string ci_service(const Io& io);

// `file` where it was given, else `usual` where there is such a file, else "".
std::string file_or_usual(const std::string& file, std::string_view usual);

// Appends to a file that others write to as well, such as $GITHUB_STEP_SUMMARY.
Result<> append_to(const std::string& path, std::string_view text);

}  // namespace frx::cli
