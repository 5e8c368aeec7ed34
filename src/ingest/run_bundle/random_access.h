// Random access to bytes: an archive is read from its end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace frx::ingest {

class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  virtual std::uint64_t size() const = 0;
  // Fills `buffer` from `offset` on. Fewer bytes are an error.
  virtual Result<> read_at(std::uint64_t offset, std::span<char> buffer) const = 0;
};

// A regular file.
Result<std::shared_ptr<const RandomAccess>> open_random_access(const std::string& path);
// `bytes` must outlive it.
std::shared_ptr<const RandomAccess> random_access_to(std::string_view bytes);
std::shared_ptr<const RandomAccess> random_access_holding(std::string bytes);

}  // namespace frx::ingest
