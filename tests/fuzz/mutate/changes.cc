#include "fuzz/mutate/changes.h"

#include <algorithm>
#include <array>

namespace frx::fuzz {

Changes::Changes(std::uint64_t seed, std::size_t most, OfBytes of_bytes) : state_(seed), most_(most), of_bytes_(std::move(of_bytes)) {
  if (!of_bytes_) of_bytes_ = [this](std::string& bytes) { mutate_bytes(bytes, *this); };
}

// SplitMix64.
std::uint64_t Changes::bits() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

std::size_t Changes::below(std::size_t n) { return n == 0 ? 0 : bits() % n; }

std::uint64_t Changes::number() {
  switch (below(4)) {
    case 0: return below(20);
    case 1: return (std::uint64_t{1} << below(64)) + below(3) - 1;
    case 2: return std::array<std::uint64_t, 5>{0xFF, 0xFFFF, 0xFFFFFFFF, ~std::uint64_t{0}, ~std::uint64_t{0} >> 1}[below(5)] - below(2);
    default: return bits() >> below(64);
  }
}

std::size_t Changes::times(std::size_t size) {
  const std::size_t wanted = one_in(16) ? std::size_t{1} << below(14) : 1 + below(4);
  return std::clamp<std::size_t>(most_ / 2 / std::max<std::size_t>(size, 1), 1, wanted);
}

void mutate_bytes(std::string& bytes, Changes& changes) {
  const std::size_t at = changes.below(bytes.size()), size = 1 + changes.below(std::min<std::size_t>(bytes.size() - at, 8));
  switch (bytes.empty() ? 0 : changes.below(5)) {
    case 0: bytes.insert(at, changes.times(1), static_cast<char>(changes.bits())); break;
    case 1: bytes.erase(at, size); break;
    case 2: bytes[at] = static_cast<char>(changes.number()); break;
    case 3: bytes[at] = static_cast<char>(bytes[at] ^ 1 << changes.below(8)); break;
    default: bytes.insert(changes.below(bytes.size()), std::string(bytes, at, size));
  }
}

void mutate_any(std::string& bytes, Changes& changes) {
  const std::string_view text = bytes;
  if (text.starts_with(std::string_view("NVR\0", 4))) return mutate_report(bytes, changes);
  if (text.starts_with("\x7f"
                       "ELF") ||
      text.starts_with("\x50\xED\x55\xBA") || text.starts_with("!<arch>\n"))
    return mutate_fatbin(bytes, changes);
  if (text.starts_with("PK\x03\x04")) return mutate_zip(bytes, changes);
  if (text.starts_with('{') || text.starts_with('[')) return mutate_json(bytes, changes);
  if (text.find(".version") != text.npos) return mutate_ptx(bytes, changes);
  if (text.find("__global__") != text.npos) return mutate_cuda(bytes, changes);
  mutate_table(bytes, changes);
}

}  // namespace frx::fuzz
