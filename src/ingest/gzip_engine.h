// The libraries that decompress gzip, behind one interface.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace frx::ingest {

class GzipEngine {
 public:
  enum class Status {
    more,           // needs more input or more output space
    end_of_member,  // the input is positioned after its trailer, which was correct
    damaged,        // see message()
  };

  virtual ~GzipEngine() = default;
  // Advances both past what it consumed and produced.
  virtual Status run(std::span<const char>& packed, std::span<char>& output) = 0;
  // Called after end_of_member, when another one follows.
  virtual void next_member() = 0;
  const std::string& message() const { return message_; }

 protected:
  std::string message_;
};

std::unique_ptr<GzipEngine> zlib_engine();

// ISA-L, which is several times as fast. It is loaded when the first gzip is read, and null where it is not installed.
std::unique_ptr<GzipEngine> isal_engine();

}  // namespace frx::ingest
