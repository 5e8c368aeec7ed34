#include "ingest/fatbin/lz4_block.h"

#include <algorithm>
#include <cstdint>

namespace frx::ingest::fatbin {
namespace {

class Unpacker {
 public:
  Unpacker(std::string_view packed, std::size_t size) : packed_(packed), size_(size) {}

  // False: damaged. The last sequence ends behind its literals.
  bool run() {
    while (at_ < packed_.size()) {
      const unsigned lengths = byte();
      if (!take_literals(lengths >> 4)) return false;
      if (at_ == packed_.size()) return out_.size() == size_;
      if (!copy_match(lengths & 15)) return false;
    }
    return false;
  }

  std::string take() { return std::move(out_); }

 private:
  unsigned byte() { return at_ < packed_.size() ? static_cast<unsigned char>(packed_[at_++]) : 0; }

  // 15 is continued in further bytes, up to the first that is not 255.
  std::size_t whole_length(std::size_t length) {
    if (length < 15) return length;
    unsigned more = 255;
    while (more == 255 && at_ < packed_.size()) length += more = byte();
    return length;
  }

  bool take_literals(std::size_t length) {
    length = whole_length(length);
    if (length > packed_.size() - at_ || length > size_ - out_.size()) return false;
    out_ += packed_.substr(at_, length);
    at_ += length;
    return true;
  }

  // May overlap what it writes: then it repeats.
  bool copy_match(std::size_t length) {
    if (packed_.size() - at_ < 2) return false;
    std::size_t distance = byte();
    distance |= std::size_t{byte()} << 8;
    length = whole_length(length) + 4;
    if (distance == 0 || distance > out_.size() || length > size_ - out_.size()) return false;
    for (std::size_t left = length; left > 0;) {
      const std::size_t part = std::min(left, distance);
      out_.append(out_, out_.size() - distance, part);
      left -= part;
    }
    return true;
  }

  const std::string_view packed_;
  const std::size_t size_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> unpack_lz4_block(std::string_view packed, std::size_t size) {
  // A byte of a block becomes at most 255.
  if (size / 255 > packed.size()) {
    return fail(ErrorKind::malformed, "{} bytes of LZ4 cannot become {}", packed.size(), size);
  }
  Unpacker unpacker(packed, size);
  if (!unpacker.run()) return fail(ErrorKind::malformed, "the LZ4 data is damaged (expected {} bytes)", size);
  return unpacker.take();
}

}  // namespace frx::ingest::fatbin
