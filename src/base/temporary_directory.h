// A private folder that disappears with its owner, also when a signal ends the program (leftovers.h).
#pragma once

#include <string>

#include "base/leftovers.h"
#include "base/result.h"

namespace frx {

class TemporaryDirectory {
 public:
  // In `parent` (usually $TMPDIR or /tmp), mode 0700, with an unpredictable name.
  static Result<TemporaryDirectory> make(const std::string& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;

  // It stays; its path.
  std::string keep();

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)), noted_(path_) {}
  std::string path_;
  Leftover noted_;
};

}  // namespace frx
