#include "capture/gpu/nvidia_smi_table.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace frx::capture {
namespace {

constexpr std::chrono::milliseconds table_limit{5000};
constexpr std::size_t most_said = 120;

// The first line with text, of either stream.
std::string words_of(const Result<Exit>& answer) {
  if (!answer) return answer.error().message;
  for (const std::string* text : {&answer->out, &answer->err}) {
    for (const std::string_view line : split(*text, '\n')) {
      if (!trim(line).empty() && !answer->timed_out) return shorten(printable(trim(line)), most_said);
    }
  }
  return describe(*answer, table_limit);
}

// 'Field "compute_cap" is not a valid field to query.' -> compute_cap
std::string_view refused_field(std::string_view words) {
  if (!contains_ignoring_case(words, "not a valid field")) return {};
  const std::size_t begin = words.find('"'), end = words.find('"', begin + 1);
  return begin == words.npos || end == words.npos ? std::string_view() : words.substr(begin + 1, end - begin - 1);
}

bool is_told(std::string_view cell) { return !cell.empty() && cell[0] != '[' && !equals_ignoring_case(cell, "n/a"); }

Result<Exit> ask_for(const Host& host, const std::string& path, const std::vector<std::string>& fields) {
  ChildCommand question;
  question.argv = {path, "--query-gpu=" + join(fields, ","), "--format=csv,noheader,nounits"};
  question.environment = {{"LC_ALL", "C"}};
  question.keep_limit = 64 << 10;
  question.time_limit = table_limit;
  return host.run(question);
}

template <typename Number>
std::optional<Number> wholly(std::string_view cell) {
  Number value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view NvidiaSmiTable::text(std::size_t row, std::string_view field) const {
  const auto found = std::find(fields_.begin(), fields_.end(), field);
  if (found == fields_.end()) return {};
  const std::string_view cell = rows_[row][static_cast<std::size_t>(found - fields_.begin())];
  return is_told(cell) ? cell : std::string_view();
}

std::optional<double> NvidiaSmiTable::number(std::size_t row, std::string_view field) const { return wholly<double>(text(row, field)); }

std::optional<unsigned> NvidiaSmiTable::whole(std::size_t row, std::string_view field) const { return wholly<unsigned>(text(row, field)); }

Result<NvidiaSmiTable> query_nvidia_smi(const Host& host, const std::string& path, std::vector<std::string> fields) {
  NvidiaSmiTable table;
  Result<Exit> answer = ask_for(host, path, fields);
  while (!answer || !answer->ok()) {
    const std::string words = words_of(answer);
    const auto refused = std::find(fields.begin(), fields.end(), refused_field(words));
    if (refused == fields.end() || fields.size() == 1) return fail(ErrorKind::environment, "{}", words);
    table.unknown_.push_back(*refused);
    fields.erase(refused);
    answer = ask_for(host, path, fields);
  }
  for (const std::string_view line : split(answer->out, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != fields.size()) continue;
    std::vector<std::string>& row = table.rows_.emplace_back();
    for (const std::string_view cell : cells) row.push_back(printable(trim(cell)));
  }
  if (table.rows_.empty()) return fail(ErrorKind::environment, "{}", words_of(answer));
  table.fields_ = std::move(fields);
  return table;
}

}  // namespace frx::capture
