#include "ingest/csv.h"

#include <cstring>

namespace frx::ingest {

Split split_csv(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    if (at < end && *at == '"') {
      const char* const begin = at + 1;
      const char* quote = begin;
      while (true) {
        quote = static_cast<const char*>(std::memchr(quote, '"', static_cast<std::size_t>(end - quote)));
        if (!quote) return Split::open_quote;
        if (quote + 1 < end && quote[1] == '"') {
          quote += 2;
          continue;
        }
        break;
      }
      fields.emplace_back(begin, static_cast<std::size_t>(quote - begin));
      at = quote + 1;
      if (at == end) return Split::ok;
      if (*at != ',') {  // text after the closing quote: not CSV of any tool we know; keep it readable
        const auto* comma = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
        if (!comma) return Split::ok;
        at = comma;
      }
    } else {
      const auto* comma = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
      const char* const stop = comma ? comma : end;
      fields.emplace_back(at, static_cast<std::size_t>(stop - at));
      if (!comma) return Split::ok;
      at = comma;
    }
    ++at;  // the comma
    if (at == end) {
      fields.emplace_back(at, 0);
      return Split::ok;
    }
  }
}

std::string unquoted(std::string_view field) {
  if (field.find('"') == field.npos) return std::string(field);
  std::string text;
  text.reserve(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

}  // namespace frx::ingest
