#include "history/clickhouse/place.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace frx::history::clickhouse {
namespace {

constexpr std::string_view plain = "clickhouse://", encrypted = "clickhouses://";
constexpr int longest_wait_s = 3600;
constexpr std::size_t longest_name = 64, most_hosts = 1000;

bool consists_of(std::string_view text, std::string_view also) {
  return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || also.find(c) != also.npos;
  });
}

std::optional<int> number_in(std::string_view text, int most) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0 || value > most) return std::nullopt;
  return value;
}

Failure refused(std::string_view what) {
  return fail(ErrorKind::usage, "--store: {}", what).hint("clickhouse://HOST:8123/DATABASE, with ?cluster=NAME for several shards");
}

// "[::1]:8123" or "node7".
Result<std::string> host_in(std::string_view text, bool is_encrypted) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == text.npos) return refused("an address in [ ] is not closed");
  const std::size_t colon = text.find(':', bracket);
  const std::string_view host = text.substr(0, colon);
  std::optional<int> port = is_encrypted ? 8443 : 8123;
  if (colon != text.npos) port = number_in(text.substr(colon + 1), 65535);
  const bool is_address = bracket > 1 && consists_of(host.substr(1, bracket - 1), ":.") && bracket + 1 == host.size();
  if (!is_address && !consists_of(host, ".-_")) return refused("expected the name or the address of a host");
  if (!port || *port == 0) return refused("expected a port from 1 to 65535");
  return fmt::format("{}://{}:{}", is_encrypted ? "https" : "http", to_lower(host), *port);
}

Result<> take_options(std::string_view text, Place& place) {
  for (const std::string_view one : split(text, '&')) {
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals), value = equals == one.npos ? "" : one.substr(equals + 1);
    if (name == "cluster" && consists_of(value, "_.-")) {
      place.cluster = value;
    } else if (const std::optional<int> seconds = number_in(value, longest_wait_s); name == "wait" && seconds) {
      place.wait = std::chrono::seconds(*seconds);
    } else {
      return refused("expected cluster=NAME or wait=SECONDS behind the '?'");
    }
  }
  return {};
}

}  // namespace

bool is_place(std::string_view store) { return store.starts_with(plain) || store.starts_with(encrypted); }

Result<Place> place_in(const std::string& store) {
  const bool is_encrypted = store.starts_with(encrypted);
  const std::string_view scheme = is_encrypted ? encrypted : plain;
  if (!is_place(store)) return refused("expected clickhouse:// or clickhouses://");
  if (store.find('@') != store.npos) {
    return fail(ErrorKind::usage, "--store: a user or a password does not belong in the address of a store, which others can read")
        .hint("set FRX_CLICKHOUSE_USER and FRX_CLICKHOUSE_PASSWORD instead");
  }
  const std::string_view rest = std::string_view(store).substr(scheme.size());
  const std::string_view before_options = rest.substr(0, rest.find('?'));
  const std::size_t slash = before_options.find('/');
  Place place;
  for (const std::string_view one : split(before_options.substr(0, slash), ',')) {
    TRY_ASSIGN(std::string host, host_in(one, is_encrypted));
    place.hosts.push_back(std::move(host));
    if (place.hosts.size() > most_hosts) return refused("more than 1000 hosts");
  }
  const std::string_view database = slash == before_options.npos ? "" : before_options.substr(slash + 1);
  place.database = database.empty() ? "frx" : database;
  if (!consists_of(place.database, "_") || (place.database[0] >= '0' && place.database[0] <= '9'))
    return refused("expected a database whose name is of letters, digits and '_'");
  if (before_options.size() < rest.size()) TRY(take_options(rest.substr(before_options.size() + 1), place));
  place.name = store;
  return place;
}

}  // namespace frx::history::clickhouse
