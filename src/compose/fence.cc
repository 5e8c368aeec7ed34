#include "compose/fence.h"

#include <cstdint>

#include "base/text.h"

namespace frx::compose {
namespace {

// FNV-1a, 64 bit: stable over platforms and versions.
std::uint64_t hash_of(std::string_view text, std::uint64_t salt) {
  std::uint64_t hash = 14695981039346656037ull ^ salt;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ull;
  }
  return hash;
}

std::string with_plain_line_ends(std::string_view content) {
  std::string plain;
  plain.reserve(content.size());
  for (std::string_view line : split(content, '\n')) {
    if (line.data() != content.data()) plain += '\n';
    if (line.ends_with('\r')) line.remove_suffix(1);
    plain += line;
  }
  return plain;
}

}  // namespace

std::string fence_word(std::string_view content) {
  for (std::uint64_t salt = 0;; ++salt) {
    const std::string word = fmt::format("DATA-{:016x}", hash_of(content, salt));
    if (content.find(word) == content.npos) return word;
  }
}

std::string fenced(std::string_view content) {
  std::string text = safe_text(with_plain_line_ends(content));
  while (text.ends_with('\n')) text.pop_back();
  const std::string word = fence_word(text);
  return fmt::format("<<<{}\n{}\n{}>>>\n", word, text, word);
}

}  // namespace frx::compose
