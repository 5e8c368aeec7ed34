// Fields of one CSV record (RFC 4180: comma, double quotes, doubled quotes inside).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frx::ingest {

enum class Split { ok, open_quote };

// Splits `line` into raw fields: the outer quotes removed, doubled quotes left doubled. `open_quote`
// when the record goes on in the next line.
Split split_csv(std::string_view line, std::vector<std::string_view>& fields);

// A raw field with its doubled quotes made single.
std::string unquoted(std::string_view field);

}  // namespace frx::ingest
