// Numbers in quoted fields of a table, as Nsight Compute writes them: "1,234.56","17","n/a"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace frx::ingest {

// So many bytes behind the fields must be readable; what they are does not matter.
inline constexpr std::size_t quoted_numbers_padding = 16;

struct OtherField {
  std::uint32_t index = 0;
  std::string_view text;
};

// Reads `count` fields, each in quotes and with commas between them, which are all from `at` to `end`. numbers[i] becomes the value of
// field i; NaN where it is no number of the usual form, and then the field is in `others`. False when the bytes are no such fields, or
// quotes are within one.
bool read_quoted_numbers(const char* at, const char* end, std::size_t count, double* numbers, std::vector<OtherField>& others);

// The same without instructions that only some processors have.
bool read_quoted_numbers_plainly(const char* at, const char* end, std::size_t count, double* numbers, std::vector<OtherField>& others);

// One field of this form, which begins at `at`: the position behind its closing quote. Null where it is not a number of the usual form.
const char* read_quoted_number(const char* at, const char* end, double& number);

// The same without instructions that only some processors have; it also reads numbers of more digits, which the fast way leaves to others.
const char* read_quoted_number_plainly(const char* at, const char* end, double& number);

}  // namespace frx::ingest
