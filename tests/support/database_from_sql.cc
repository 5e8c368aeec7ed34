#include "support/database_from_sql.h"

#include <sqlite3.h>

#include <memory>

namespace frx::testing {

Result<std::string> database_from_sql(std::string_view name, std::string_view statements) {
  sqlite3* opened = nullptr;
  sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  const std::string all = "PRAGMA page_size = 512; " + std::string(statements);
  if (sqlite3_exec(database.get(), all.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return fail(ErrorKind::malformed, "{}", sqlite3_errmsg(database.get())).at(std::string(name));
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> image(sqlite3_serialize(database.get(), "main", &size, 0), sqlite3_free);
  return std::string(reinterpret_cast<const char*>(image.get()), static_cast<std::size_t>(size));
}

}  // namespace frx::testing
