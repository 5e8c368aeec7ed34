#include "base/day.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <ctime>

namespace frx {
namespace {

std::optional<long long> source_date;

// -1 for what is no number.
int number_of(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && digits.front() != '-' ? number : -1;
}

}  // namespace

std::string day_of(long long seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

bool is_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int year = number_of(text.substr(0, 4)), month = number_of(text.substr(5, 2)), day = number_of(text.substr(8, 2));
  if (year < 0 || month < 0 || day < 0) return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

void set_source_date(const std::optional<std::string>& epoch) {
  long long seconds = 0;
  const bool is_number = epoch && std::from_chars(epoch->data(), epoch->data() + epoch->size(), seconds).ec == std::errc();
  source_date = is_number ? std::optional(seconds) : std::nullopt;
}

std::string today() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return day_of(source_date ? *source_date : std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

}  // namespace frx
