// A database of SQLite that is only read, and not trusted: exports of Nsight Systems come from strangers.
//
// Only plain tables are read, each from its first row to its last; no view, trigger or expression of the file is ever evaluated. The file
// is not locked, and nothing is looked for beside it (journals). Errors name the source.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/run_bundle/random_access.h"

struct sqlite3;
struct sqlite3_stmt;

namespace frx::ingest::nsys {

// One row of a table, valid until the next one is read. Columns are those that were asked for, in their order.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  // Nothing where the column is absent or NULL, or holds something else.
  std::optional<std::int64_t> integer(int column) const;
  std::int64_t integer_or(int column, std::int64_t otherwise) const;
  std::optional<double> real(int column) const;
  // "" where the column is absent or NULL, or holds something else.
  std::string_view text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// How the reading of a table ended.
struct TableEnd {
  std::uint64_t rows = 0;
  std::string damage;  // why SQLite could not go on; "" at the end of the table
};

class Database {
 public:
  // `access` holds the bytes of the file. Fails on what is no database of SQLite, or needs a newer one.
  static Result<Database> open(std::string name, std::shared_ptr<const RandomAccess> access, std::stop_token stop = {});
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  const std::string& name() const { return name_; }
  // Tables, not views, with any rows or none.
  bool has_table(std::string_view table) const;
  bool has_column(std::string_view table, std::string_view column) const;

  // Calls `take` with each row of the table, in the order in which it is stored; an absent table has none. Columns that the table lacks
  // read as NULL. A damaged table is no error: what could be read was taken. Errors: stopped.
  Result<TableEnd> each_row(std::string_view table, std::initializer_list<std::string_view> columns,
                            const std::function<void(const Row&)>& take) const;
  // Bytes of the file that have been read so far; those read again count again.
  std::uint64_t bytes_read() const;

 private:
  struct File;
  struct Table {
    std::string name;
    std::vector<std::string> columns;
  };
  Database() = default;
  Result<> list_tables();
  const Table* table(std::string_view name) const;
  Failure failed(int code) const;

  std::string name_;
  std::unique_ptr<File> file_;
  sqlite3* connection_ = nullptr;
  std::vector<Table> tables_;
};

}  // namespace frx::ingest::nsys
