#include "render/json.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace frx::render {

namespace {

std::string dumped(const Json& value) { return value.dump(2, ' ', true, Json::error_handler_t::replace); }

// As it stands `depth` levels deeper. Line feeds in strings are escaped, so each one here begins a line.
std::string indented(const Json& value, int depth) {
  const std::string text = dumped(value);
  const std::string blanks(static_cast<std::size_t>(2 * depth), ' ');
  std::string result;
  result.reserve(text.size() + text.size() / 4);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
    result.append(text, from, end - from);
    if (text[end - 1] == '\n') result += blanks;
    from = end;
  }
  return result;
}

// Elements whose text is held until those before them are written.
constexpr std::size_t at_once = 256;

std::string line_at(int depth) { return "\n" + std::string(static_cast<std::size_t>(2 * depth), ' '); }

void write_list(const JsonInPieces::List& list, int depth, const JsonSink& write) {
  if (list.size == 0) return write("[]");
  for (std::size_t begin = 0; begin < list.size; begin += at_once) {
    std::vector<std::string> texts(std::min(at_once, list.size - begin));
    for_each_in_parallel(texts.size(), [&](std::size_t i) { texts[i] = indented(list.element(begin + i), depth + 1); });
    for (std::size_t i = 0; i < texts.size(); ++i) write((begin + i == 0 ? "[" : ",") + line_at(depth + 1) + texts[i]);
  }
  write(line_at(depth) + "]");
}

void write_pieces(const JsonInPieces& pieces, int depth, const JsonSink& write) {
  const char* before = "{";
  for (const auto& [key, value] : pieces.object.items()) {
    write(before + line_at(depth + 1) + dumped(key) + ": ");
    before = ",";
    const auto list = std::ranges::find(pieces.lists, key, &JsonInPieces::List::key);
    if (list == pieces.lists.end()) {
      write(indented(value, depth + 1));
    } else {
      write_list(*list, depth + 1, write);
    }
  }
  write(line_at(depth) + "}");
}

}  // namespace

std::string json_text(const Json& value) { return dumped(value) + "\n"; }

Json in_one_piece(const JsonInPieces& pieces) {
  Json object = pieces.object;
  for (const JsonInPieces::List& list : pieces.lists) {
    Json& into = object[list.key] = Json::array();
    into.get_ref<Json::array_t&>().reserve(list.size);
    for (std::size_t i = 0; i < list.size; ++i) into.push_back(list.element(i));
  }
  return object;
}

void write_json_text(const Json& head, std::string_view key, const JsonInPieces& pieces, const JsonSink& write) {
  std::string begin = dumped(head);
  begin.resize(begin.size() - 2);  // "\n}"
  write(begin + "," + line_at(1) + dumped(key) + ": ");
  write_pieces(pieces, 1, write);
  write("\n}\n");
}

Json object_for(std::size_t members) {
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(members);
  return object;
}

Json number(std::optional<double> value, int digits) {
  if (!value || !std::isfinite(*value)) return nullptr;
  const double scale = std::pow(10.0, digits);
  const double rounded = std::abs(*value) < 1e15 / scale ? std::round(*value * scale) / scale : *value;
  // Whole numbers print as such: 256, not 256.0.
  if (std::abs(rounded) < 9e15 && rounded == std::floor(rounded) && digits == 0) return static_cast<std::int64_t>(rounded);
  return rounded == 0 ? 0.0 : rounded;
}

}  // namespace frx::render
