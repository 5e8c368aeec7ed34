// Text in UTF-16 or UTF-32 as UTF-8, so that no reader of a format has to know: PowerShell's `>` writes UTF-16.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace frx::ingest {

struct Encoding {
  std::uint32_t unit = 1;  // bytes of a code unit: 1 (UTF-8 or no text), 2, 4
  bool is_big_endian = false;
  std::uint32_t mark = 0;  // bytes of the byte order mark at the start
};

// By the byte order mark, or by where the zeros of ASCII characters are among the first bytes.
Encoding encoding_of(std::string_view head);

// Decodes a source of 2 or 4 bytes a code unit. What is no character becomes U+FFFD, also half a code unit at the end.
class Utf8Source : public ByteSource {
 public:
  Utf8Source(ByteSource& source, Encoding encoding) : source_(source), encoding_(encoding) {}
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  Result<> decode();
  std::uint32_t unit_at(std::size_t i) const;
  void add(std::uint32_t point);

  ByteSource& source_;
  Encoding encoding_;
  std::vector<char> raw_;  // a chunk; its first `kept_` bytes are a begun character
  std::size_t kept_ = 0;
  std::string text_;  // decoded, delivered up to `given_`
  std::size_t given_ = 0;
  bool is_started_ = false, at_end_ = false;
};

}  // namespace frx::ingest
