#include "base/moment.h"

#include <fmt/format.h>

#include <chrono>

#include "base/day.h"

namespace frx {
namespace {

constexpr std::int64_t second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

// The rest of a day, which is not negative for moments before 1970 either.
std::int64_t within_day(std::int64_t ms) { return ((ms % day) + day) % day; }

// Digits as a number; -1 where there is none, or something else.
std::int64_t digits_in(std::string_view text) {
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = 10 * number + (c - '0');
  }
  return text.empty() ? -1 : number;
}

// "12:44:55", "12:44:55.12".
std::optional<std::int64_t> time_in(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const std::int64_t hours = digits_in(text.substr(0, 2)), minutes = digits_in(text.substr(3, 2)), seconds = digits_in(text.substr(6, 2));
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) return std::nullopt;
  std::int64_t ms = hours * hour + minutes * minute + seconds * second;
  text.remove_prefix(8);
  if (text.empty()) return ms;
  if (text.size() > 4 || text[0] != '.' || digits_in(text.substr(1)) < 0) return std::nullopt;
  std::int64_t scale = second;
  for (std::size_t i = 1; i < text.size(); ++i) scale /= 10;
  return ms + digits_in(text.substr(1)) * scale;
}

}  // namespace

std::string moment_text(std::int64_t ms) {
  const std::int64_t rest = within_day(ms), fraction = rest % second;
  const std::string text =
      fmt::format("{}T{:02}:{:02}:{:02}", day_of((ms - rest) / second), rest / hour, rest / minute % 60, rest / second % 60);
  return fraction == 0 ? text + "Z" : fmt::format("{}.{:03}Z", text, fraction);
}

std::string minute_text(std::int64_t ms) {
  const std::int64_t rest = within_day(ms);
  return fmt::format("{} {:02}:{:02}", day_of((ms - rest) / second), rest / hour, rest / minute % 60);
}

std::optional<std::int64_t> moment_in(std::string_view text) {
  const std::string_view date = text.substr(0, 10);
  if (!is_day(date)) return std::nullopt;
  const std::chrono::sys_days begin = std::chrono::year_month_day(std::chrono::year(static_cast<int>(digits_in(date.substr(0, 4)))),
                                                                  std::chrono::month(static_cast<unsigned>(digits_in(date.substr(5, 2)))),
                                                                  std::chrono::day(static_cast<unsigned>(digits_in(date.substr(8, 2)))));
  const std::int64_t ms = std::int64_t{begin.time_since_epoch().count()} * day;
  text.remove_prefix(date.size());
  if (text.empty()) return ms;
  if ((text[0] != 'T' && text[0] != ' ') || text.back() != 'Z') return std::nullopt;
  const std::optional<std::int64_t> time = time_in(text.substr(1, text.size() - 2));
  return time ? std::optional(ms + *time) : std::nullopt;
}

}  // namespace frx
