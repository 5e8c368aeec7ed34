#include "history/clickhouse/client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <thread>

#include "base/memory_budget.h"
#include "base/safe_text.h"
#include "base/text.h"

namespace frx::history::clickhouse {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t most_answer = std::size_t{256} << 20;
constexpr milliseconds first_pause{100}, longest_pause{3000};
// The answer comes whole or as an error, of every shard, and shards have what was inserted before it comes. A block that equals an earlier
// one is inserted, because the earlier one may have been removed.
constexpr std::string_view settings =
    "wait_end_of_query=1&insert_distributed_sync=1&max_query_size=16777216&insert_deduplicate=0&skip_unavailable_shards=0"
    "&load_balancing=in_order";

// Of the server's ErrorCodes.cpp: what another try may find gone. Everything that is sent may arrive twice, so inserts are among it.
constexpr std::array passing_errors = {
    3,    // UNEXPECTED_END_OF_FILE
    32,   // ATTEMPT_TO_READ_AFTER_EOF: a shard went away
    159,  // TIMEOUT_EXCEEDED
    198,  // DNS_ERROR
    202,  // TOO_MANY_SIMULTANEOUS_QUERIES
    203,  // NO_FREE_CONNECTION
    209,  // SOCKET_TIMEOUT
    210,  // NETWORK_ERROR
    225,  // NO_ZOOKEEPER
    236,  // ABORTED: the server is shutting down
    242,  // TABLE_IS_READ_ONLY: it lost its coordinator
    252,  // TOO_MANY_PARTS
    279,  // ALL_CONNECTION_TRIES_FAILED: a shard is not there
    285,  // TOO_FEW_LIVE_REPLICAS
    319,  // UNKNOWN_STATUS_OF_INSERT
    999,  // KEEPER_EXCEPTION
};

bool may_pass(const http::HttpAnswer& answer) {
  const int number = error_number(answer.body);
  if (answer.status == 200) return false;
  if (number != 0) return std::ranges::find(passing_errors, number) != passing_errors.end();
  return answer.status == 429 || answer.status == 502 || answer.status == 503 || answer.status == 504;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const unsigned char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
    encoded += is_plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return encoded;
}

// "Table frx.record doesn't exist" of the first line of an error.
std::string complaint_in(std::string_view body) {
  std::string_view line = body.substr(0, body.find('\n'));
  constexpr std::string_view before = "DB::Exception: ";
  if (const std::size_t at = line.find(before); at != line.npos) line.remove_prefix(at + before.size());
  for (const std::string_view behind : {", e.what() =", " (version "}) line = line.substr(0, line.find(behind));
  return printable(shorten(trim(line), 200));
}

std::string hint_for(int number, long status) {
  constexpr int unknown_user = 192, wrong_password = 193, required_password = 194, not_allowed_address = 195, access_denied = 497,
                authentication_failed = 516, read_only = 164, not_enough_space = 243;
  switch (number) {
    case unknown_user:
    case wrong_password:
    case required_password:
    case authentication_failed: return "set FRX_CLICKHOUSE_USER and FRX_CLICKHOUSE_PASSWORD";
    case not_allowed_address:
    case access_denied:
    case read_only: return "grant this user what docs/fleet.md lists";
    case not_enough_space: return "the disk of the server is full";
    default: break;
  }
  if (number == 0 && status == 404) return "is this the port of ClickHouse's HTTP interface (8123)?";
  return "frx history check looks at the whole store; the log of the server says more";
}

bool can_be_sent(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

}  // namespace

int error_number(std::string_view answer) {
  constexpr std::string_view begin = "Code: ";
  if (!answer.starts_with(begin)) return 0;
  int number = 0;
  std::from_chars(answer.data() + begin.size(), answer.data() + answer.size(), number);
  return number;
}

Result<Client> Client::connect(Place place, const Credentials& credentials) {
  const std::string hint = "set FRX_CLICKHOUSE_USER and FRX_CLICKHOUSE_PASSWORD to a user of the server";
  if (!can_be_sent(credentials.user) || !can_be_sent(credentials.password))
    return fail(ErrorKind::usage, "the user or the password of the history has a line break or a control character").hint(hint);
  if (credentials.user.empty() && !credentials.password.empty())
    return fail(ErrorKind::usage, "FRX_CLICKHOUSE_PASSWORD is set, and FRX_CLICKHOUSE_USER is not").hint(hint);
  const auto other = std::ranges::find_if(place.hosts, http::is_unencrypted_to_others);
  if (!credentials.password.empty() && other != place.hosts.end()) {
    return fail(ErrorKind::usage, "a password does not go unencrypted to another machine ({})", printable(http::host_of(*other)))
        .at(place.name)
        .hint("use clickhouses://, or unset FRX_CLICKHOUSE_PASSWORD");
  }
  Result<http::CurlFunctions> curl = http::load_curl();
  if (!curl)
    return fail(ErrorKind::unreadable, "a history on ClickHouse needs libcurl, and there is none").at(place.name).hint(curl.error().hint);
  Client client(std::move(place), *curl);
  MemoryBudget::opened(client.name());
  client.headers_.emplace_back("Content-Type: application/octet-stream");
  client.headers_.emplace_back("Expect:");  // else libcurl waits a second for large ones
  if (!credentials.user.empty()) client.headers_.push_back("X-ClickHouse-User: " + credentials.user);
  if (!credentials.password.empty()) client.headers_.push_back("X-ClickHouse-Key: " + credentials.password);
  return client;
}

Result<http::HttpAnswer> Client::ask_once(const std::string& host, std::string_view query, std::string_view body) {
  http::HttpPost post{.url = fmt::format("{}/?{}", host, settings), .headers = headers_, .body = body, .most_answer = most_answer};
  if (!query.empty()) post.url += "&query=" + percent_encoded(query);
  return http::post_by_http(curl_, post);
}

Result<http::HttpAnswer> Client::ask(std::string_view query, std::string_view body, std::optional<std::size_t> only) {
  const steady_clock::time_point end = steady_clock::now() + place_.wait;
  milliseconds pause = first_pause;
  std::size_t tries = 0;
  for (;;) {
    const std::size_t host = only.value_or(host_);
    Result<http::HttpAnswer> said = ask_once(place_.hosts[host], query, body);
    const bool is_final = said ? !may_pass(*said) : said.error().kind == ErrorKind::malformed;
    // Each host is asked once, however long the first ones took.
    const bool all_asked = only || tries + 1 >= place_.hosts.size();
    if (is_final || (all_asked && steady_clock::now() >= end)) return said;
    if (!only) host_ = (host_ + 1) % place_.hosts.size();
    if (++tries % (only ? 1 : place_.hosts.size()) != 0) continue;  // the other hosts at once
    std::this_thread::sleep_for(std::min<steady_clock::duration>(pause, end - steady_clock::now()));
    pause = std::min(2 * pause, longest_pause);
  }
}

Result<std::string> Client::answered(Result<http::HttpAnswer> said) const {
  if (!said && said.error().kind == ErrorKind::malformed)
    return fail(ErrorKind::unreadable, "{}", said.error().message).at(printable(name())).hint("ask for fewer records");
  if (!said) {
    return fail(ErrorKind::unreadable, "{}", said.error().message)
        .at(printable(name()))
        .hint("is ClickHouse running there, and is this the port of its HTTP interface?");
  }
  if (said->status == 200) return std::move(said->body);
  const int number = error_number(said->body);
  const std::string code = number == 0 ? fmt::format("status {}", said->status) : fmt::format("error {}", number);
  return fail(ErrorKind::unreadable, "the server answers with {}: {}", code, complaint_in(said->body))
      .at(printable(name()))
      .hint(hint_for(number, said->status));
}

Failure Client::unexpected() const {
  return fail(ErrorKind::malformed, "the server answers with something other than the columns that were asked for")
      .at(printable(name()))
      .hint("is this a server of ClickHouse, and is the database one of frx?");
}

Result<> Client::run(const std::string& sql) {
  TRY(answered(ask("", sql)));
  return {};
}

Result<> Client::run_on_each(const std::string& sql) {
  for (std::size_t host = 0; host < place_.hosts.size(); ++host) TRY(answered(ask("", sql, host)));
  return {};
}

Result<> Client::insert(std::string_view table, std::string_view columns, std::string_view rows) {
  if (rows.empty()) return {};
  TRY(answered(ask(fmt::format("INSERT INTO {} ({}) FORMAT RowBinary", table, columns), rows)));
  return {};
}

Result<std::uint64_t> Client::number(const std::string& sql) {
  TRY_ASSIGN(const std::optional<std::uint64_t> number, number_unless(sql, {}));
  return *number;
}

Result<std::optional<std::uint64_t>> Client::number_unless(const std::string& sql, std::initializer_list<int> errors) {
  Result<http::HttpAnswer> said = ask("", sql + " FORMAT RowBinary");
  if (said && said->status != 200 && std::ranges::find(errors, error_number(said->body)) != errors.end())
    return std::optional<std::uint64_t>();
  TRY_ASSIGN(const std::string bytes, answered(std::move(said)));
  RowReader row(bytes);
  const std::uint64_t number = row.natural();
  if (!row.ok() || row.more()) return unexpected();
  return std::optional(number);
}

}  // namespace frx::history::clickhouse
