// Fields in quotes, read sixteen characters at a time and character by character. What the fast way leaves to the general conversion is
// converted here, as readers of tables do it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "fuzz/require.h"
#include "ingest/quoted_numbers.h"

namespace {

using frx::fuzz::require;
using namespace frx::ingest;

struct Fields {
  bool are_fields = false;
  std::vector<double> numbers;

  bool operator==(const Fields& other) const {
    const auto same_bits = [](double one, double two) { return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(two); };
    return are_fields == other.are_fields && std::ranges::equal(numbers, other.numbers, same_bits);
  }
};

Fields fields_by(decltype(&read_quoted_numbers) reader, std::string_view row, std::size_t count) {
  const double none = std::nan("");
  Fields fields{false, std::vector<double>(count)};
  std::vector<OtherField> others;
  fields.are_fields = reader(row.data(), row.data() + row.size(), count, fields.numbers.data(), others);
  if (!fields.are_fields) return {};
  for (const OtherField& other : others) {
    require(other.index < count && std::isnan(fields.numbers[other.index]));
    fields.numbers[other.index] = frx::parse_number(other.text, frx::NumberStyle::point).value_or(none);
  }
  return fields;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Behind the fields lies what must not matter: digits and a quote.
  const std::string text = std::string(reinterpret_cast<const char*>(data), size) + "1234567890123\"45";
  const std::string_view row(text.data(), size);
  const std::size_t commas = static_cast<std::size_t>(std::ranges::count(row, ',')),
                    quotes = static_cast<std::size_t>(std::ranges::count(row, '"'));
  for (const std::size_t count : {quotes / 2, commas + 1, std::size_t{1}}) {
    require(fields_by(read_quoted_numbers, row, count) == fields_by(read_quoted_numbers_plainly, row, count));
  }
  for (std::size_t at = row.find('"'); at < row.size(); at = row.find('"', at + 1)) {
    double fast = 0, plain = 0;
    const char* const end = row.data() + row.size();
    const char* const behind = read_quoted_number(row.data() + at, end, fast);
    // The fast way may leave a number to the general one, and never reads what the general one does not.
    if (behind) require(behind == read_quoted_number_plainly(row.data() + at, end, plain) && fast == plain);
  }
  return 0;
}
