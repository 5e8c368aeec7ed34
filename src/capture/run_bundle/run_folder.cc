#include "capture/run_bundle/run_folder.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;

std::string new_id() {
  std::array<unsigned char, 6> bytes{};
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  std::string id = "run-";
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

// A name that is the same in every file system and shell.
bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 128 && name[0] != '.' && name[0] != '-' && std::all_of(name.begin(), name.end(), plain);
}

// For the owner alone: a bundle has the output of the program, its arguments and names of machines.
Result<> make_private_folder(const std::string& path, const std::string& shown) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno == EEXIST) return fail(ErrorKind::negative, "it exists already").at(shown).hint("choose another --run-id");
  return fail(ErrorKind::unreadable, "cannot make the folder: {}", std::strerror(errno)).at(shown);
}

}  // namespace

Result<RunFolder> RunFolder::create(const std::string& out, const std::string& run_id) {
  RunFolder folder;
  folder.id_ = run_id.empty() ? new_id() : run_id;
  if (!is_plain_name(folder.id_)) {
    return fail(ErrorKind::usage, "expected a run id of letters, digits, '-', '_' and '.', found '{}'", printable(folder.id_));
  }
  folder.shown_ = (fs::path(out) / folder.id_).string();
  std::error_code error;
  folder.absolute_ = fs::absolute(folder.shown_, error).lexically_normal().string();
  fs::create_directories(fs::path(folder.absolute_).parent_path(), error);
  if (error) return fail(ErrorKind::unreadable, "cannot make the folder: {}", error.message()).at(out);
  if (fs::exists(folder.zip_path(), error))
    return fail(ErrorKind::negative, "it exists already").at(folder.shown_ + ".zip").hint("choose another --run-id");
  TRY(make_private_folder(folder.absolute_, folder.shown_));
  for (const char* name : {"raw", "derived", "profiler"}) TRY(make_private_folder(folder.file(name), folder.file(name)));
  return folder;
}

std::vector<std::string> RunFolder::files() const {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(absolute_, fs::directory_options::skip_permission_denied, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) found.push_back(it->path().lexically_relative(absolute_).generic_string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void RunFolder::restrict_access() const {
  std::error_code ignored;
  for (const std::string& path : files()) {
    if (!fs::is_symlink(file(path), ignored)) fs::permissions(file(path), fs::perms::owner_read | fs::perms::owner_write, ignored);
  }
}

void RunFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(absolute_, ignored);
}

}  // namespace frx::capture
