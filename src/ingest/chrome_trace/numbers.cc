#include "ingest/chrome_trace/numbers.h"

#include <charconv>
#include <cmath>

namespace frx::ingest::trace {
namespace {

constexpr std::int64_t largest_us = 9'000'000'000'000'000;  // in ns it fits 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 1.5e3 and the like.
std::optional<TraceTime> by_double(std::string_view raw) {
  double value = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || end != raw.data() + raw.size() || !std::isfinite(value) || std::abs(value) > 9e15) return std::nullopt;
  return TraceTime{std::llround(value * 1000), value != std::floor(value)};
}

}  // namespace

std::optional<TraceTime> microseconds(const Token& token) {
  const std::string_view raw = token.raw;
  const bool negative = raw.starts_with('-');
  std::size_t at = negative;
  std::int64_t whole = 0;
  const std::size_t first = at;
  for (; at < raw.size() && is_digit(raw[at]); ++at) {
    if (whole > largest_us) return std::nullopt;
    whole = whole * 10 + (raw[at] - '0');
  }
  if (at == first || whole > largest_us) return std::nullopt;
  TraceTime time{whole * 1000, false};
  if (at < raw.size() && raw[at] == '.') {
    std::int64_t weight = 100;
    time.fractional = true;
    for (++at; at < raw.size() && is_digit(raw[at]) && weight > 0; ++at, weight /= 10) time.ns += weight * (raw[at] - '0');
    // Rounded: a tool that subtracted in floating point writes 12.300999999999998 for 12.301.
    time.ns += at < raw.size() && raw[at] >= '5' && is_digit(raw[at]);
    while (at < raw.size() && is_digit(raw[at])) ++at;
  }
  if (at < raw.size()) return by_double(raw);
  if (negative) time.ns = -time.ns;
  return time;
}

std::optional<std::uint64_t> whole(const Token& token) {
  std::uint64_t value = 0;
  const char* const last = token.raw.data() + token.raw.size();
  const auto [end, error] = std::from_chars(token.raw.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace frx::ingest::trace
