#include "derive/ranks/file_names.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace frx::derive::ranks {
namespace {

template <typename Number>
std::optional<Number> number_of(std::string_view digits) {
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return value;
}

std::string_view digits_at(std::string_view text) { return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size())); }

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::optional<std::int64_t> rank_in_name(std::string_view path) {
  const std::string name = to_lower(name_in(path));
  std::optional<std::int64_t> rank;
  std::size_t place = 0;
  for (const std::string_view word : {"rank", "worker"}) {
    for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
      std::string_view rest = std::string_view(name).substr(at + word.size());
      if (!rest.empty() && std::string_view("-_.=").find(rest[0]) != rest.npos) rest.remove_prefix(1);
      const std::optional<std::int64_t> number = number_of<std::int64_t>(digits_at(rest));
      if (!number || (rank && at < place)) continue;
      rank = number;
      place = at;
    }
  }
  return rank;
}

std::optional<Recording> recording_in_name(std::string_view path) {
  std::string_view name = name_in(path);
  const std::size_t end = name.rfind(".pt.trace.json");
  if (end == name.npos) return std::nullopt;
  name = name.substr(0, end);
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return std::nullopt;
  const std::optional<std::uint64_t> time = number_of<std::uint64_t>(name.substr(dot + 1));
  if (!time) return std::nullopt;
  return Recording{std::string(name.substr(0, dot)), *time};
}

}  // namespace frx::derive::ranks
