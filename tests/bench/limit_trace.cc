// The least work that could be called reading a trace of the PyTorch profiler, on one thread: finds every event and
// its members, converts numbers, interns names and keeps 40 bytes an event. It checks nothing, bears with nothing that
// is not as the profiler writes it, and analyses nothing; frx is measured as a multiple of it.
//
//   limit_trace FILE
#include <fcntl.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t window = std::size_t{256} << 10;
constexpr std::size_t padding = 64;

class Names {
 public:
  std::uint32_t id(std::string_view name) {
    const std::uint64_t hash = hash_of(name);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0) {
      const Known& known = known_[slots_[at] - 1];
      if (known.hash == hash && known.name == name) return slots_[at] - 1;
      at = (at + 1) & (slots_.size() - 1);
    }
    known_.push_back({hash, std::string(name)});
    slots_[at] = static_cast<std::uint32_t>(known_.size());
    if (known_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(known_.size() - 1);
  }
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::uint64_t hash;
    std::string name;
  };
  static std::uint64_t hash_of(std::string_view name) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t hash = name.size(), word = 0;
    std::size_t at = 0;
    for (; at + 8 <= name.size(); at += 8) {
      std::memcpy(&word, name.data() + at, 8);
      hash = (hash ^ word) * odd;
      hash ^= hash >> 32;
    }
    word = 0;
    std::memcpy(&word, name.data() + at, name.size() - at);
    hash = (hash ^ word) * odd;
    return hash ^ hash >> 29;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t i = 0; i < known_.size(); ++i) {
      std::size_t at = known_[i].hash & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i + 1;
    }
  }
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(4096);
  std::vector<Known> known_;
};

struct Event {
  std::int64_t start = 0, duration = 0;
  std::uint32_t name = 0, category = 0, pid = 0, tid = 0, correlation = 0;
  char phase = 0;
};
static_assert(sizeof(Event) == 40);

class Kept {
 public:
  void add(const Event& event) {
    if (count_ % per_block == 0) blocks_.push_back(std::make_unique_for_overwrite<Event[]>(per_block));
    blocks_.back()[count_++ % per_block] = event;
    checksum_ += event.duration + event.correlation;
  }
  std::size_t size() const { return count_; }
  std::int64_t checksum() const { return checksum_; }

 private:
  static constexpr std::size_t per_block = 1 << 16;
  std::vector<std::unique_ptr<Event[]>> blocks_;
  std::size_t count_ = 0;
  std::int64_t checksum_ = 0;
};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The quote that ends the string at `at`. A run of quotes stands behind the buffer.
const char* string_end(const char* at) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  for (;;) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto quotes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)));
    const auto both = quotes | static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, backslash)));
    if (both == 0) {
      at += 16;
      continue;
    }
    at += std::countr_zero(both);
    if (*at == '"') return at;
    at += 2;
  }
#else
  for (; *at != '"'; ++at) at += *at == '\\';
  return at;
#endif
}

class Scanner {
 public:
  // Takes the whole events of [at, end) and returns where the rest begins.
  const char* take(const char* at, const char* end) {
    if (!inside_) {
      constexpr std::string_view list = "\"traceEvents\": [";
      const std::size_t found = std::string_view(at, end).find(list);
      if (found == std::string_view::npos) return at;
      inside_ = true;
      at += found + list.size();
    }
    for (;;) {
      while (at < end && (*at == ',' || *at <= ' ')) ++at;
      if (at >= end || *at != '{') return at;
      Event event;
      const char* const next = members(at + 1, end, event);
      if (next >= end) return at;
      kept_.add(event);
      at = next;
    }
  }
  void print() const {
    std::printf("%zu events, %zu names, %zu categories, checksum %lld\n", kept_.size(), names_.size(), categories_.size(),
                static_cast<long long>(kept_.checksum()));
  }

 private:
  static const char* blanks(const char* at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
    return at;
  }
  // Behind the object that begins before `at`. Behind `end` when it is not whole: quotes and brackets stand there.
  const char* members(const char* at, const char* end, Event& event) {
    for (;;) {
      at = blanks(at);
      if (*at == ',') at = blanks(at + 1);
      if (*at == '}') return at + 1;
      if (*at != '"' || at >= end) return end;
      const char* const key = at + 1;
      at = string_end(key);
      const auto size = static_cast<std::size_t>(at - key);
      at = blanks(at + 1);
      if (*at != ':' || at >= end) return end;
      at = value(std::string_view(key, size), blanks(at + 1), end, event);
      if (at >= end) return end;
    }
  }
  const char* value(std::string_view key, const char* at, const char* end, Event& event) {
    switch (key.size()) {
      case 2:
        if (key == "ts") return nanoseconds(at, event.start);
        if (key == "ph") event.phase = at[1];
        break;
      case 3:
        if (key == "dur") return nanoseconds(at, event.duration);
        if (key == "pid") return number(at, event.pid);
        if (key == "tid") return number(at, event.tid);
        if (key == "cat" && *at == '"') return text(categories_, at + 1, end, event.category);
        break;
      case 4:
        if (key == "name" && *at == '"') return text(names_, at + 1, end, event.name);
        if (key == "args" && *at == '{') return members(at + 1, end, event);
        break;
      case 11:
        if (key == "correlation") return number(at, event.correlation);
        break;
      default: break;
    }
    return skip(at, end);
  }
  static const char* text(Names& names, const char* at, const char* end, std::uint32_t& id) {
    const char* const close = string_end(at);
    if (close < end) id = names.id({at, static_cast<std::size_t>(close - at)});
    return close + 1;
  }
  static const char* nanoseconds(const char* at, std::int64_t& ns) {
    const bool negative = *at == '-';
    std::int64_t value = 0, weight = 100;
    for (at += negative; is_digit(*at); ++at) value = value * 10 + (*at - '0');
    value *= 1000;
    if (*at == '.') {
      for (++at; is_digit(*at); ++at, weight /= 10) value += weight * (*at - '0');
    }
    ns = negative ? -value : value;
    return at;
  }
  static const char* number(const char* at, std::uint32_t& id) {
    if (*at == '"') return string_end(at + 1) + 1;
    std::uint32_t value = 0;
    for (at += *at == '-'; is_digit(*at); ++at) value = value * 10 + static_cast<std::uint32_t>(*at - '0');
    id = value;
    return at;
  }
  static const char* skip(const char* at, const char* end) {
    int depth = 0;
    do {
      if (*at == '"') {
        at = string_end(at + 1) + 1;
      } else if (*at == '[' || *at == '{') {
        ++depth, ++at;
      } else if (*at == ']' || *at == '}') {
        --depth, ++at;
      } else if (depth > 0) {
        ++at;
      } else {
        while (*at != ',' && *at != '}' && *at != ']' && *at > ' ' && *at != '"') ++at;
        return at;
      }
    } while (depth > 0 && at < end);
    return at;
  }

  bool inside_ = false;
  Names names_, categories_;
  Kept kept_;
};

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? ::open(argv[1], O_RDONLY) : -1;
  if (file < 0) return std::fprintf(stderr, "usage: limit_trace FILE\n"), 2;
  std::vector<char> buffer(2 * window + padding);
  Scanner scanner;
  std::size_t have = 0;
  for (;;) {
    const ssize_t got = ::read(file, buffer.data() + have, window);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
    std::memset(buffer.data() + have, '"', padding);
    const char* const rest = scanner.take(buffer.data(), buffer.data() + have);
    have = static_cast<std::size_t>(buffer.data() + have - rest);
    if (have > window) return std::fprintf(stderr, "limit_trace: an event of more than 256 KiB\n"), 1;
    std::memmove(buffer.data(), rest, have);
  }
  scanner.print();
  return 0;
}
