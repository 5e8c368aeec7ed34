#include "serve/mcp/roots.h"

#include <filesystem>

#include "answer/fingerprints.h"
#include "base/folders.h"
#include "base/text.h"
#include "http/message.h"

namespace frx::serve {
namespace {

namespace fs = std::filesystem;

// "file:///a%20b" as "/a b"; "" of anything else.
std::string path_of(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return {};
  uri.remove_prefix(scheme.size());
  if (uri.starts_with("localhost/")) uri.remove_prefix(9);
  const Result<std::string> decoded = http::percent_decoded(uri);
  const std::string path = decoded ? *decoded : std::string(uri);
  return path.starts_with('/') ? path : std::string();
}

Failure outside(const std::string& path, const std::vector<std::string>& folders) {
  return fail(ErrorKind::usage, "outside of the folders that may be read")
      .at(path)
      .hint(folders.empty() ? "the client named no folder below --root" : "they are: " + join(folders, ", "));
}

}  // namespace

Result<Roots> Roots::of(const std::vector<std::string>& folders) {
  Roots roots;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path path = fs::canonical(folder, error);
    if (error || !fs::is_directory(path, error)) return fail(ErrorKind::unreadable, "expected a folder").at(folder);
    roots.given_.push_back(path.string());
  }
  return roots;
}

void Roots::narrow(const std::vector<std::string>& uris) {
  std::vector<std::string> asked;
  for (const std::string& uri : uris) {
    const std::string path = path_of(uri);
    std::error_code error;
    const fs::path folder = path.empty() ? fs::path() : fs::canonical(path, error);
    if (path.empty() || error) continue;
    if (lies_in(folder.string(), given_)) {
      asked.push_back(folder.string());
    } else {  // a root of the client that holds one of ours
      for (const std::string& given : given_) {
        if (lies_in(given, std::vector{folder.string()})) asked.push_back(given);
      }
    }
  }
  const std::scoped_lock lock(mutex_);
  asked_ = std::move(asked);
  is_narrowed_ = true;
}

std::vector<std::string> Roots::folders() const {
  const std::scoped_lock lock(mutex_);
  return is_narrowed_ ? asked_ : given_;
}

Result<std::string> Roots::resolved(const std::string& path) const {
  const std::vector<std::string> allowed = folders();
  if (path.empty() || path == "-") return fail(ErrorKind::usage, "expected the path of a file or folder");
  if (allowed.empty()) return outside(path, allowed);
  std::error_code error;
  const fs::path asked = fs::path(path).is_absolute() ? fs::path(path) : fs::path(allowed.front()) / path;
  const fs::path real = fs::weakly_canonical(asked, error);
  if (error || !lies_in(real.string(), allowed)) return outside(path, allowed);
  if (fs::is_directory(real, error)) {
    if (const std::string link = link_out_of(real.string(), allowed); !link.empty()) return outside(link, allowed);
  }
  return answer::tidy_path(real.string());
}

}  // namespace frx::serve
