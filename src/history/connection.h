// One connection to the database of a history: how it is opened, brought up to date and locked, and what its errors mean to a person.
//
// WAL with synchronous=FULL: what a transaction committed is on the disk before commit() returns. Several processes may read while one
// writes; writers wait for each other up to a minute. Every error names the file and has a hint.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "history/store.h"

namespace frx::history {

class Connection;

// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept : connection_(other.connection_), handle_(std::exchange(other.handle_, nullptr)) {}
  Statement& operator=(Statement&& other) noexcept;
  ~Statement() { sqlite3_finalize(handle_); }

  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, const std::optional<double>& value);
  Statement& bind(int parameter, const std::optional<std::int64_t>& value);
  Statement& bind_or_null(int parameter, std::string_view text);  // "" is NULL
  Statement& bind_blob(int parameter, std::string_view bytes);
  // Whether there is a row.
  Result<bool> step();
  // Calls `take` at each row that is left, up to an error.
  template <class Take>
  Result<> each(Take take);
  // What `make` makes of each row that is left.
  template <class Make>
  auto all(Make make) -> Result<std::vector<std::invoke_result_t<Make, const Statement&>>>;
  // To its end; it can be bound and run again. Rows are not looked at.
  Result<> run();
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  bool is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
  std::optional<std::int64_t> maybe_integer(int column) const;
  std::optional<double> maybe_real(int column) const;
  double real(int column) const { return sqlite3_column_double(handle_, column); }
  std::string text(int column) const;  // "" of NULL
  std::string blob(int column) const;

 private:
  friend class Connection;
  Connection* connection_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
};

template <class Take>
Result<> Statement::each(Take take) {
  for (;;) {
    TRY_ASSIGN(const bool more, step());
    if (!more) return {};
    TRY(take(std::as_const(*this)));
  }
}

template <class Make>
auto Statement::all(Make make) -> Result<std::vector<std::invoke_result_t<Make, const Statement&>>> {
  std::vector<std::invoke_result_t<Make, const Statement&>> made;
  TRY(each([&](const Statement& row) -> Result<> {
    made.push_back(make(row));
    return {};
  }));
  return made;
}

class Connection {
 public:
  // For writing the file and its folder are made where they are missing, and the schema is brought up to date. For reading nothing is made.
  // Unreadable: no such file, no permission, a full disk, held by others for a minute. Malformed: no database of SQLite, one of another
  // program, of a newer frx, or a damaged one.
  static Result<Connection> open(std::string path, Open how);
  Connection(Connection&& other) noexcept : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Connection& operator=(Connection&&) = delete;
  ~Connection() { sqlite3_close_v2(handle_); }

  const std::string& path() const { return path_; }
  Result<> run(const std::string& sql);
  // Statements keep a pointer to their connection, which must not be moved while they live.
  Result<Statement> prepare(std::string_view sql);
  // The one number that it answers.
  Result<std::int64_t> number(std::string_view sql);
  std::int64_t changes() const { return sqlite3_changes64(handle_); }
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_); }
  Failure failed(int code) const;

 private:
  Connection() = default;
  Result<> configure(Open how);
  Result<> expect_ours(Open how);
  Result<> turn_on_wal();

  std::string path_;
  sqlite3* handle_ = nullptr;
};

// Everything between begin() and commit() happens or does not.
class Transaction {
 public:
  static Result<Transaction> begin(Connection& connection);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<> commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace frx::history
