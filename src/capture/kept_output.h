// A file with what a stream said: all of it, or, where that is more than a limit, its first and its last part:
//
//   epoch 1
//   ...
//   [frx: 1048576 bytes left out]
//   ...
//   Traceback (most recent call last): ...
//
// The file is there at every moment; until the end it has what came first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/spawn.h"

namespace frx::capture {

class KeptOutput {
 public:
  // Makes the file, or empties it. `limit`: bytes of the stream that are kept; of the last part at most a MiB.
  static Result<KeptOutput> make(const std::string& path, std::uint64_t limit);

  void take(std::string_view bytes);
  // Puts the last part into the file. Call it once, after all bytes.
  void finish();

  std::uint64_t bytes() const { return bytes_; }      // that were taken
  const std::string& error() const { return error_; }  // why the file is not complete, or ""

 private:
  void write(std::string_view bytes);
  void keep_last(std::string_view bytes);

  Fd file_;
  std::string path_, error_;
  std::uint64_t limit_ = 0, bytes_ = 0;
  std::string last_;      // of all bytes, a ring: the oldest one is at `oldest_` once it is full
  std::size_t last_size_ = 0, oldest_ = 0;
};

}  // namespace frx::capture
