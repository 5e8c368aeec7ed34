// How much a folder holds, measured a little at a time so that a folder of a million files does not delay the program.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace frx::capture {

class FolderWatch {
 public:
  explicit FolderWatch(std::string folder) : folder_(std::move(folder)) {}

  // Looks at up to `entries` more files, beginning again where all were seen. The bytes on the disk of those seen since the beginning, or
  // of the last whole pass where that is more. Links are not followed; what disappears meanwhile is left out.
  std::uint64_t look(std::size_t entries);
  // All files were seen since the last call of look() that began again.
  bool is_complete() const { return !open_ && waiting_.empty(); }

 private:
  struct Close {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  void take(const dirent& entry);
  bool open_next();

  std::string folder_, current_;
  std::vector<std::string> waiting_;  // folders below it that were not read yet
  std::unique_ptr<DIR, Close> open_;
  std::uint64_t bytes_ = 0, whole_ = 0;
};

// Bytes that are free for this user where a file or folder is; all there could be where that is not known.
std::uint64_t free_bytes_at(const std::string& path);

}  // namespace frx::capture
