#include "history/clickhouse/literal.h"

#include <fmt/format.h>

namespace frx::history::clickhouse {
namespace {

template <class One>
std::string listed(std::span<const std::string> values, One one) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "(" : ",") + one(value);
  return list + ")";
}

}  // namespace

std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\0') {
      quoted += "\\0";  // the server reads no digits behind it
    } else {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string id_literal(std::string_view id) { return fmt::format("unhex({})", literal(id)); }

std::string literals(std::span<const std::string> texts) { return listed(texts, literal); }
std::string id_literals(std::span<const std::string> ids) { return listed(ids, id_literal); }

}  // namespace frx::history::clickhouse
