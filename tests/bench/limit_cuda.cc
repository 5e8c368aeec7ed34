// The least work that could be called reading CUDA source, on one thread: finds every token of the files, skips
// comments and strings (raw ones too), hashes identifiers, converts numbers, and counts kernels, launches and
// braces. It keeps no token and analyses nothing; frx is measured as a multiple of it.
//
//   limit_cuda FILE...
#include <array>
#include <cstdint>
#include <cstdio>

#include "limit_lexer.h"

namespace {

using limit::Bytes;
constexpr limit::Language language = limit::Language::cuda;

class Reader {
 public:
  // Says where it stopped: at a comment or a string that goes on behind the end.
  const char* read(const char* at, const char* end);

  std::uint64_t tokens = 0, kernels = 0, launches = 0, sum = 0;
  std::int64_t depth = 0;

 private:
  const char* word(const char* at, const char* end);
  void mark(const char* at);

  std::array<std::uint32_t, 4096> words_{};  // by the lowest bits of their hashes
};

bool begins_raw(const char* begin, const char* end) {
  return *end == '"' && end[-1] == 'R' && (end - begin == 1 || (end - begin <= 3 && (*begin == 'u' || *begin == 'U' || *begin == 'L')));
}

// R"mark( ... )mark"
const char* raw_end(const char* quote, const char* end) {
  const auto* const open = static_cast<const char*>(std::memchr(quote, '(', static_cast<std::size_t>(end - quote)));
  if (open == nullptr) return nullptr;
  std::array<char, 20> close{};
  const auto size = static_cast<std::size_t>(open - quote - 1);
  if (size > 16) return quote + 1;
  close[0] = ')';
  std::memcpy(close.data() + 1, quote + 1, size);
  close[size + 1] = '"';
  const auto* const at = static_cast<const char*>(memmem(open, static_cast<std::size_t>(end - open), close.data(), size + 2));
  return at == nullptr ? nullptr : at + size + 2;
}

const char* Reader::word(const char* at, const char* end) {
  constexpr std::string_view global = "__global__";
  const char* const begin = at;
  do ++at;
  while (limit::is_word<language>(*at));
  if (begins_raw(begin, at)) return raw_end(at, end);
  ++words_[limit::hash_of(begin, at) & (words_.size() - 1)];
  kernels += std::string_view(begin, static_cast<std::size_t>(at - begin)) == global;
  return at;
}

void Reader::mark(const char* at) {
  if (*at == '{') ++depth;
  if (*at == '}') --depth;
  if (at[0] == '<' && at[1] == '<' && at[2] == '<') ++launches;
}

const char* Reader::read(const char* at, const char* end) {
  while (at < end) {
    const char* behind = at + 1;
    switch (limit::class_of<language>(*at)) {
      case Bytes::space: ++at; continue;
      case Bytes::word: behind = word(at, end); break;
      case Bytes::digit: {
        const limit::Number number = limit::number_at(at);
        sum += number.value;
        behind = number.end;
        break;
      }
      case Bytes::quote: behind = limit::string_end(at, end); break;
      case Bytes::slash: behind = limit::comment_end(at, end); break;
      case Bytes::mark: mark(at); break;
    }
    if (behind == nullptr) return at;
    at = behind;
    ++tokens;
  }
  return at;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  Reader reader;
  for (int i = 1; i < count; ++i) {
    limit::Source source(arguments[i]);
    if (!source.read([&](const char* at, const char* end) { return reader.read(at, end); })) return 1;
  }
  std::printf("%d files, %llu tokens, %llu kernels, %llu launches, depth %lld, sum %llu\n", count - 1,
              static_cast<unsigned long long>(reader.tokens), static_cast<unsigned long long>(reader.kernels),
              static_cast<unsigned long long>(reader.launches), static_cast<long long>(reader.depth),
              static_cast<unsigned long long>(reader.sum));
  return 0;
}
