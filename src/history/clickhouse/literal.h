// Values as literals of ClickHouse's SQL. Old servers have no parameters of queries, so this is the one way by which a text of a user
// gets into a query.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace frx::history::clickhouse {

// 'it\'s': whatever the bytes are, the server reads them as one text.
std::string literal(std::string_view text);

// Of an id, 64 hexadecimal digits in small letters: unhex('...').
std::string id_literal(std::string_view id);

// "('a','b')"; `ids` or texts must not be empty.
std::string literals(std::span<const std::string> texts);
std::string id_literals(std::span<const std::string> ids);

}  // namespace frx::history::clickhouse
