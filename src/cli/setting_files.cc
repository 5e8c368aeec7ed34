#include "cli/setting_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/document.h"
#include "base/files.h"
#include "base/folders.h"
#include "base/text.h"
#include "capture/spawn.h"
#include "history/clickhouse/place.h"

namespace frx::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view project_file = ".frx.yaml";
constexpr std::uint64_t longest_file = 64 << 10;  // bytes
constexpr std::size_t most_values = 256;          // of a list

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Whether the file may be believed where it lies: a folder that others write into, such as /tmp, may hold theirs.
bool is_of_a_safe_folder(const fs::path& file) {
  struct stat folder {
  }, own{};
  if (::stat(file.parent_path().c_str(), &folder) != 0 || ::lstat(file.c_str(), &own) != 0) return false;
  return (folder.st_mode & S_IWOTH) == 0 || own.st_uid == ::geteuid() || own.st_uid == 0;
}

// "" where there is none. A file that is found and may not be believed is passed over.
std::string project_file_above(const std::string& from) {
  std::error_code error;
  for (fs::path folder = fs::absolute(from, error); !error; folder = folder.parent_path()) {
    const fs::path file = folder / project_file;
    struct stat info {};
    if (::lstat(file.c_str(), &info) == 0 && is_of_a_safe_folder(file)) return file.string();
    if (fs::exists(folder / ".git", error) || folder == folder.root_path()) break;
  }
  return {};
}

// As the person in that folder would write it.
std::string shown(const std::string& path, const std::string& folder) {
  const fs::path relative = fs::path(path).lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

SettingFile file_at(SettingOrigin origin, const fs::path& path) {
  std::error_code error;
  return {origin, path.string(), fs::exists(fs::symlink_status(path, error))};
}

std::string absolute_or(const std::optional<std::string>& value, const std::string& otherwise) {
  return value && value->starts_with('/') ? *value : otherwise;  // XDG: a path that is not absolute does not count
}

std::optional<SettingFile> file_of_the_machine(const SettingSources& sources) {
  std::string folders = sources.environment("XDG_CONFIG_DIRS").value_or("");
  if (folders.empty()) folders = "/etc/xdg";
  for (const std::string_view folder : split(folders, ':')) {
    if (!folder.starts_with('/')) continue;
    SettingFile file = file_at(SettingOrigin::machine, fs::path(folder) / "frx" / "config.yaml");
    if (file.is_there) return file;
  }
  return std::nullopt;
}

std::optional<SettingFile> file_of_the_user(const SettingSources& sources) {
  const std::string home = absolute_or(sources.environment("HOME"), "");
  const std::string folder = absolute_or(sources.environment("XDG_CONFIG_HOME"), home.empty() ? "" : home + "/.config");
  if (folder.empty()) return std::nullopt;
  return file_at(SettingOrigin::user, fs::path(folder) / "frx" / "config.yaml");
}

// Of a project, read through one descriptor that follows no link: what was looked at is what is read.
Result<std::string> read_project_file(const std::string& path) {
  const capture::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file && errno != ELOOP) return fail(ErrorKind::unreadable, "cannot be opened: {}", std::strerror(errno)).at(path);
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(ErrorKind::malformed, "the settings of a project are a file, and no link, folder or device").at(path);
  std::string text(longest_file + 1, '\0');
  std::size_t size = 0;
  for (ssize_t read = 1; read != 0 && size < text.size();) {
    read = ::read(file.get(), text.data() + size, text.size() - size);
    if (read < 0 && errno != EINTR) return fail(ErrorKind::unreadable, "cannot be read: {}", std::strerror(errno)).at(path);
    size += static_cast<std::size_t>(std::max<ssize_t>(read, 0));
  }
  if (size > longest_file) return fail(ErrorKind::malformed, "settings have at most {} KiB", longest_file >> 10).at(path);
  text.resize(size);
  return text;
}

// The values of an entry, as they are written.
Result<std::vector<std::string>> texts_of(const SettingKind& kind, const Value& value) {
  if (!value.is_text() && !(kind.is_list() && value.is_list()))
    return fail(ErrorKind::malformed, "{}: expected {}", kind.key, expected_value(kind)).at(value.where());
  if (value.size() > most_values)
    return fail(ErrorKind::malformed, "{}: expected at most {} values, found {}", kind.key, most_values, value.size()).at(value.where());
  std::vector<std::string> texts;
  for (std::size_t i = 0; value.is_list() && i < value.size(); ++i) {
    if (!value.item(i).is_text())
      return fail(ErrorKind::malformed, "{}: expected {}", kind.key, expected_value(kind)).at(value.item(i).where());
    texts.emplace_back(value.item(i).text());
  }
  if (value.is_text()) texts.emplace_back(value.text());
  return texts;
}

// A relative path is below the folder of the file; of a project every path is, whatever links say.
Result<std::string> path_of(const SettingKind& kind, const SettingFile& file, const std::string& text) {
  const fs::path given(text), folder = fs::path(file.path).parent_path();
  const fs::path path = (given.is_absolute() ? given : folder / given).lexically_normal();
  if (file.origin != SettingOrigin::project) return path.string();
  std::error_code error;
  const std::string real = fs::weakly_canonical(folder.empty() ? "." : folder, error).string();
  if (given.is_absolute() || !lies_in(fs::absolute(path, error).string(), std::vector<std::string>{real}))
    return fail(ErrorKind::malformed, "{}: '{}' leads out of the folder of the project", kind.key, shorten(printable(text), 60));
  return path.string();
}

Failure unknown_key(std::string_view key) {
  const std::string_view near = nearest(key, setting_keys());
  return fail(ErrorKind::malformed, "unknown key '{}'", shorten(printable(key), 60))
      .hint(near.empty() ? std::string("frx config show has all keys") : fmt::format("did you mean '{}'?", near));
}

Result<Setting> setting_of(std::string_view key, const Value& value, const SettingFile& file) {
  const SettingKind* const kind = setting_kind(key);
  if (kind == nullptr) return unknown_key(key);
  TRY_ASSIGN(const std::vector<std::string> texts, texts_of(*kind, value));
  Setting setting{kind, {}, file.origin, {}};
  for (const std::string& text : texts) {
    TRY_ASSIGN(std::string one, setting_value(*kind, text));
    const bool is_store = kind->type == SettingType::store && !history::clickhouse::is_place(one);
    const bool is_path = kind->type == SettingType::path || kind->type == SettingType::paths || is_store;
    if (is_path) {
      TRY_ASSIGN(one, path_of(*kind, file, one));
    }
    setting.values.push_back(std::move(one));
  }
  if (setting.values.empty()) return fail(ErrorKind::malformed, "{}: expected {}", kind->key, expected_value(*kind));
  return setting;
}

}  // namespace

Result<std::vector<SettingFile>> setting_files(const SettingSources& sources) {
  std::vector<SettingFile> files;
  if (std::optional<SettingFile> file = file_of_the_machine(sources)) files.push_back(std::move(*file));
  if (std::optional<SettingFile> file = file_of_the_user(sources)) files.push_back(std::move(*file));
  if (sources.named.empty()) {
    const std::string path = project_file_above(sources.folder);
    files.push_back({SettingOrigin::project, path.empty() ? path : shown(path, sources.folder), !path.empty()});
    return files;
  }
  if (is_folder(sources.named)) return fail(ErrorKind::usage, "expected a file, found a folder").at(sources.named);
  files.push_back(file_at(SettingOrigin::named, sources.named));
  if (!files.back().is_there) return fail(ErrorKind::usage, "there is no such file").at(sources.named);
  return files;
}

Result<std::vector<Setting>> settings_in(const SettingFile& file) {
  TRY_ASSIGN(const std::string text,
             file.origin == SettingOrigin::project ? read_project_file(file.path) : read_file(file.path, longest_file));
  TRY_ASSIGN(const Document document, parse_yaml(file.path, text));
  const DocumentView view = document.view();
  const Value root(view);
  std::vector<Setting> settings;
  if (!root) return settings;
  if (!root.is_map()) return fail(ErrorKind::malformed, "expected keys with values, such as gpu: h100").at(root.where());
  for (std::size_t i = 0; i < root.size(); ++i) {
    const std::string_view key = root.key(i);
    Result<Setting> setting = setting_of(key, root.value(i), file);
    if (!setting) {
      Error error = std::move(setting).error();
      if (error.where.empty()) error.where = root.value(i).where();
      return Failure{std::move(error)};
    }
    setting->from = root.value(i).where();
    if (std::ranges::count(settings, setting->kind, &Setting::kind) > 0)
      return fail(ErrorKind::malformed, "{} stands there twice", setting->kind->key).at(setting->from);
    settings.push_back(std::move(*setting));
  }
  return settings;
}

}  // namespace frx::cli
