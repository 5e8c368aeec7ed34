#include "ingest/quoted_numbers.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "base/numbers.h"
#include "ingest/sixteen_characters.h"

namespace frx::ingest {
namespace {

constexpr double not_usual = std::numeric_limits<double>::quiet_NaN();

const char* closing_quote(const char* at, const char* end) {
  return static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
}

#ifdef FRX_SIXTEEN_CHARACTERS

// How the digits of a number of at most 15 characters are put side by side, by its length and the position of its point.
struct DigitPlaces {
  static constexpr std::size_t width = 16;
  // Of a point at this position, or of the end of a number without one: where commas group thousands. No number has them all over a
  // multiple of four characters.
  std::array<std::uint16_t, width> commas{};
  // For each byte of the result the one to take; 0x80 for a zero. [with commas][point][length]
  std::array<std::uint8_t, 2 * width * width * width> from{};

  static constexpr std::size_t entry(bool grouped, std::size_t point, std::size_t size) {
    return ((grouped ? width : 0) + point) * width + size;
  }

  constexpr DigitPlaces() {
    for (std::size_t point = 0; point < width; ++point) {
      for (std::size_t at = point; at > 4; at -= 4) commas[point] |= static_cast<std::uint16_t>(1u << (at - 4));
      if (point % 4 == 0) commas[point] = 0;
      for (std::size_t size = point; size < width; ++size) {
        set(false, point, size);
        set(true, point, size);
      }
    }
  }

 private:
  constexpr void set(bool grouped, std::size_t point, std::size_t size) {
    const std::size_t first = entry(grouped, point, size) * width;
    std::size_t to = width;
    for (std::size_t at = size; at > 0; --at) {
      const std::size_t place = at - 1;
      const bool is_sign = place == point || (grouped && (commas[point] >> place & 1u) != 0);
      if (!is_sign) from[first + --to] = static_cast<std::uint8_t>(place);
    }
    while (to > 0) from[first + --to] = 0x80;
  }
};

constexpr DigitPlaces places;
constexpr double powers_of_ten[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// The number in the first `size` characters, at most 15: an integer below 2^53 divided by a power of ten, which is correctly rounded
// (base/numbers.cc does the same, character by character).
FRX_SIXTEEN_DIGITS [[gnu::always_inline]] inline double usual_number(Sixteen text, std::size_t size) {
  const Sixteen digits = digits_of(text);
  const SixteenPlaces in_text = (1u << size) - 1;
  const SixteenPlaces signs = ~places_up_to(digits, 9) & in_text;
  const SixteenPlaces points = places_of(text, '.') & in_text, commas = places_of(text, ',') & in_text;
  const std::size_t point = points != 0 ? static_cast<std::size_t>(std::countr_zero(points)) : size;
  const bool is_usual =
      signs == (points | commas) && (points & (points - 1)) == 0 && (commas == 0 || commas == places.commas[point]) && signs != in_text;
  if (!is_usual) return not_usual;
  const std::size_t entry = DigitPlaces::entry(commas != 0, point, size);
  const std::uint64_t number = decimal_number(digits, load_sixteen(places.from.data() + entry * DigitPlaces::width));
  return static_cast<double>(static_cast<std::int64_t>(number)) / powers_of_ten[point < size ? size - point - 1 : 0];
}

// A field without its opening quote. The position of the closing one, null where there is none.
FRX_SIXTEEN_DIGITS [[gnu::always_inline]] inline const char* read_field(const char* at, const char* end, double& number) {
  const Sixteen text = load_sixteen(at);
  const SixteenPlaces quotes = places_of(text, '"');
  number = not_usual;
  if (quotes == 0) return closing_quote(at, end);
  const std::size_t size = static_cast<std::size_t>(std::countr_zero(quotes));
  if (at + size >= end) return nullptr;
  number = usual_number(text, size);
  return at + size;
}

FRX_SIXTEEN_DIGITS bool read_by_sixteen(const char* at, const char* end, std::size_t count, double* numbers,
                                        std::vector<OtherField>& others) {
  for (std::size_t i = 0; i < count; ++i) {
    if (at >= end || *at++ != '"') return false;
    const char* const close = read_field(at, end, numbers[i]);
    if (!close) return false;
    if (numbers[i] != numbers[i]) {
      others.push_back({static_cast<std::uint32_t>(i), std::string_view(at, static_cast<std::size_t>(close - at))});
    }
    at = close + 1;
    if (i + 1 < count && (at >= end || *at++ != ',')) return false;
  }
  return at == end;
}

FRX_SIXTEEN_DIGITS const char* read_one_by_sixteen(const char* at, const char* end, double& number) {
  const char* const close = read_field(at, end, number);
  return close && number == number ? close + 1 : nullptr;
}

#endif

}  // namespace

bool read_quoted_numbers_plainly(const char* at, const char* end, std::size_t count, double* numbers, std::vector<OtherField>& others) {
  for (std::size_t i = 0; i < count; ++i) {
    if (at >= end || *at++ != '"') return false;
    const char* const close = closing_quote(at, end);
    if (!close) return false;
    const std::string_view text(at, static_cast<std::size_t>(close - at));
    const std::optional<double> number = parse_number(text, NumberStyle::point);
    numbers[i] = number.value_or(not_usual);
    if (!number) others.push_back({static_cast<std::uint32_t>(i), text});
    at = close + 1;
    if (i + 1 < count && (at >= end || *at++ != ',')) return false;
  }
  return at == end;
}

bool read_quoted_numbers(const char* at, const char* end, std::size_t count, double* numbers, std::vector<OtherField>& others) {
#ifdef FRX_SIXTEEN_CHARACTERS
  if (has_sixteen_digits()) return read_by_sixteen(at, end, count, numbers, others);
#endif
  return read_quoted_numbers_plainly(at, end, count, numbers, others);
}

const char* read_quoted_number_plainly(const char* at, const char* end, double& number) {
  if (at >= end || *at++ != '"') return nullptr;
  const char* const close = closing_quote(at, end);
  if (!close) return nullptr;
  const std::optional<double> read = parse_number({at, static_cast<std::size_t>(close - at)}, NumberStyle::point);
  number = read.value_or(not_usual);
  return read ? close + 1 : nullptr;
}

const char* read_quoted_number(const char* at, const char* end, double& number) {
#ifdef FRX_SIXTEEN_CHARACTERS
  if (has_sixteen_digits()) return at < end && *at == '"' ? read_one_by_sixteen(at + 1, end, number) : nullptr;
#endif
  return read_quoted_number_plainly(at, end, number);
}

}  // namespace frx::ingest
