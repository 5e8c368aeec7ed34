// Asks ClickHouse over its HTTP interface. What may pass is tried again, on the next host where there are several, with pauses that
// double, until the time of the place is over. Everything that is sent may therefore arrive more than once.
//
// Every error names the store. Unreadable: no server answers, or one that answers with an error; there is no libcurl. Malformed: an answer
// that does not fit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "history/clickhouse/place.h"
#include "history/clickhouse/row_binary.h"
#include "history/store.h"
#include "http/post.h"

namespace frx::history::clickhouse {

// The number of an error of the server, as in its ErrorCodes.cpp; 0 where an answer has none.
int error_number(std::string_view answer);

class Client {
 public:
  // Usage: what is set as user or password cannot be sent, or would go unencrypted to another machine.
  static Result<Client> connect(Place place, const Credentials& credentials);

  const Place& place() const { return place_; }
  const std::string& name() const { return place_.name; }

  // A statement that answers nothing of interest.
  Result<> run(const std::string& sql);
  // On every host of the place.
  Result<> run_on_each(const std::string& sql);
  // `rows` in RowBinary.
  Result<> insert(std::string_view table, std::string_view columns, std::string_view rows);
  // Hands each row of the answer to `take`, at most 256 MiB of them.
  template <class Take>
  Result<> each(const std::string& sql, Take take);
  // What `make` makes of each.
  template <class Make>
  auto all(const std::string& sql, Make make) -> Result<std::vector<std::invoke_result_t<Make, RowReader&>>>;
  // The one number that it answers.
  Result<std::uint64_t> number(const std::string& sql);
  // The same, but absent where the server answers with one of these errors.
  Result<std::optional<std::uint64_t>> number_unless(const std::string& sql, std::initializer_list<int> errors);

 private:
  Client(Place place, http::CurlFunctions curl) : place_(std::move(place)), curl_(curl) {}
  Result<http::HttpAnswer> ask_once(const std::string& host, std::string_view query, std::string_view body);
  // Until it is answered, or with an error that does not pass. `only`: this host alone.
  Result<http::HttpAnswer> ask(std::string_view query, std::string_view body, std::optional<std::size_t> only = std::nullopt);
  Result<std::string> answered(Result<http::HttpAnswer> said) const;
  Failure unexpected() const;

  Place place_;
  http::CurlFunctions curl_;
  std::vector<std::string> headers_;
  std::size_t host_ = 0;  // that answered last
};

template <class Take>
Result<> Client::each(const std::string& sql, Take take) {
  TRY_ASSIGN(const std::string bytes, answered(ask("", sql + " FORMAT RowBinary")));
  RowReader rows(bytes);
  while (rows.more()) take(rows);
  if (!rows.ok()) return unexpected();
  return {};
}

template <class Make>
auto Client::all(const std::string& sql, Make make) -> Result<std::vector<std::invoke_result_t<Make, RowReader&>>> {
  std::vector<std::invoke_result_t<Make, RowReader&>> made;
  TRY(each(sql, [&](RowReader& row) { made.push_back(make(row)); }));
  return made;
}

}  // namespace frx::history::clickhouse
