// The libraries that unpack gzip, behind one face.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace frx::ingest {

class GzipEngine {
 public:
  enum class Status {
    more,           // wants more input or more room
    end_of_member,  // the input stands behind its trailer, which was right
    damaged,        // see message()
  };

  virtual ~GzipEngine() = default;
  // Moves both forward over what it took and gave.
  virtual Status run(std::span<const char>& packed, std::span<char>& room) = 0;
  // After end_of_member, when another one follows.
  virtual void next_member() = 0;
  const std::string& message() const { return message_; }

 protected:
  std::string message_;
};

std::unique_ptr<GzipEngine> zlib_engine();

// ISA-L, which is several times as fast. It is loaded when the first gzip is read, and null where it is not installed.
std::unique_ptr<GzipEngine> isal_engine();

}  // namespace frx::ingest
