// The folders that a client may have files read from. No file outside of them is opened, whatever a path, a link or an #include says.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"

namespace frx::serve {

class Roots {
 public:
  // The folders of --root, which have to exist.
  static Result<Roots> of(const std::vector<std::string>& folders);
  Roots(Roots&& other) noexcept : given_(std::move(other.given_)), asked_(std::move(other.asked_)) {}

  // What a client says of itself ("file:///home/me/app"), within the folders of --root; others are left out.
  void narrow(const std::vector<std::string>& uris);
  std::vector<std::string> folders() const;
  // The path, resolved; a relative one is below the first root. Fails for one that is outside, or leads there by a link in it.
  Result<std::string> resolved(const std::string& path) const;

 private:
  Roots() = default;

  std::vector<std::string> given_;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;  // empty: all that were given
  bool is_narrowed_ = false;
};

}  // namespace frx::serve
