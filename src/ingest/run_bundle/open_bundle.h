// A run bundle, whether it is a folder or a zip archive: which members it has, and each of them as a stream.
//
// In an archive the members may be at its root or below one folder, which is then removed from their paths. Nothing is extracted to disk,
// and no name can lead out of the bundle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "ingest/run_bundle/zip_archive.h"
#include "ingest/source.h"

namespace frx::ingest {

struct BundleMember {
  std::string path;         // relative, with '/'
  std::uint64_t bytes = 0;  // unpacked
};

// Does this list contain a run: a summary, a trace, metadata or a manifest?
bool looks_like_run(const std::vector<BundleMember>& members);

class RunBundle {
 public:
  // A folder or a .zip. Errors name the path: it does not exist, is no archive, is unsafe, or has no run in it.
  static Result<RunBundle> open(const std::string& path, const ZipLimits& limits = {});
  static Result<RunBundle> open(Source& source, const ZipLimits& limits = {});
  // An archive in memory; `name` is for messages.
  static Result<RunBundle> open_zip(std::string name, std::shared_ptr<const RandomAccess> bytes, const ZipLimits& limits = {});

  // "run-3f9c2a71b04e": the folder's name, also inside an archive; else the archive's name without .zip.
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  // Sorted by path.
  const std::vector<BundleMember>& members() const { return members_; }
  bool has(std::string_view path) const { return find(path) != nullptr; }
  const BundleMember* find(std::string_view path) const;
  // Errors name the bundle and the member.
  Result<std::unique_ptr<ByteSource>> open(std::string_view path) const;
  // The whole member; refuses more than `limit` bytes.
  Result<std::string> read(std::string_view path, std::uint64_t limit = std::uint64_t{64} << 20) const;

 private:
  static Result<RunBundle> open_folder(const std::string& path, std::uint64_t most_members);
  Result<> enter_folder_of_archive();

  std::string path_;    // as it is called
  std::string folder_;  // where it is, if it is no archive
  std::string name_;
  std::vector<BundleMember> members_;
  std::optional<ZipArchive> archive_;
  std::string prefix_;  // of the members in the archive
};

}  // namespace frx::ingest
