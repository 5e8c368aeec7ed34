#include "history/store.h"

#include "base/text.h"
#include "history/clickhouse/clickhouse_store.h"
#include "history/sqlite_store.h"

namespace frx::history {
namespace {

Result<std::unique_ptr<Store>> open_clickhouse(const std::string& store, Open how, const Credentials& credentials) {
  TRY_ASSIGN(clickhouse::Place place, clickhouse::place_in(store));
  TRY_ASSIGN(clickhouse::Client client, clickhouse::Client::connect(std::move(place), credentials));
  TRY(clickhouse::open_tables(client, how));
  return std::unique_ptr<Store>(std::make_unique<clickhouse::ClickHouseStore>(std::move(client)));
}

}  // namespace

bool may_begin_id(std::string_view text) {
  constexpr std::size_t digits_of_id = 64;
  return !text.empty() && text.size() <= digits_of_id && text.find_first_not_of("0123456789abcdef") == text.npos;
}

Result<std::unique_ptr<Store>> open_store(const std::string& store, Open how, const Credentials& credentials) {
  if (clickhouse::is_place(store)) return open_clickhouse(store, how, credentials);
  TRY_ASSIGN(Connection connection, Connection::open(store, how));
  return std::unique_ptr<Store>(std::make_unique<SqliteStore>(std::move(connection)));
}

Result<Record> Store::record(const std::string& id) {
  const std::string begin = to_lower(id);
  if (!may_begin_id(begin)) {
    return fail(ErrorKind::usage, "expected the id of a record, or its beginning, found '{}'", shorten(printable(id), 80))
        .hint("frx history list shows ids");
  }
  TRY_ASSIGN(std::optional<Record> found, find(begin));
  if (found) return *std::move(found);
  return fail(ErrorKind::usage, "no record has an id that begins with '{}'", shorten(begin, 64))
      .at(name())
      .hint("frx history list shows ids");
}

}  // namespace frx::history
