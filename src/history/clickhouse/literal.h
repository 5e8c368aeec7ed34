// Values as literals of ClickHouse's SQL. Old servers have no parameters of queries, so this is the one way by which a text of a user
// gets into a query.
#pragma once

#include <cstddef>
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

// Ids in one query, and bytes in one insert.
inline constexpr std::size_t ids_at_once = 1000, bytes_at_once = std::size_t{16} << 20;

}  // namespace frx::history::clickhouse
