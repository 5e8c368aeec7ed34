// SHA-256 (FIPS 180-4): the fingerprint that `sha256sum` prints.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace frx {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // 64 hexadecimal digits. Nothing may be added afterwards.
  std::string finish();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> held_{};
  std::uint64_t total_ = 0;  // bytes
};

std::string sha256(std::string_view bytes);
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace frx
