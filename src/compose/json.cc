#include "compose/json.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "compose/json_members.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class std::vector<nlohmann::ordered_json>;

namespace frx::compose {

namespace {

// What any JSON library prints for it: for what is not plain.
std::string dumped(const Json& value) { return value.dump(2, ' ', true, Json::error_handler_t::replace); }

// Nothing in it has to be escaped. Without a way out in the middle, so that the compiler takes many characters at a time.
bool is_plain(std::string_view text) {
  unsigned char others = 0;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    others |= static_cast<unsigned char>((u < ' ') | (u > '~') | (u == '"') | (u == '\\'));
  }
  return others == 0;
}

// The text of a value `depth` levels deep, appended; a tenth of the time that dump() takes, and nothing to indent later.
class Printer {
 public:
  explicit Printer(std::string& into) : out_(into) {}

  void print(const Json& value, int depth) {
    switch (value.type()) {
      case Json::value_t::object: return print_object(value, depth);
      case Json::value_t::array: return print_array(value, depth);
      case Json::value_t::string: return append_json(out_, value.get_ref<const std::string&>());
      case Json::value_t::number_integer: out_ += fmt::format_int(value.get<std::int64_t>()).c_str(); return;
      case Json::value_t::number_unsigned: out_ += fmt::format_int(value.get<std::uint64_t>()).c_str(); return;
      case Json::value_t::boolean: out_ += value.get<bool>() ? "true" : "false"; return;
      case Json::value_t::null: out_ += "null"; return;
      default: out_ += dumped(value);
    }
  }

 private:
  void print_object(const Json& object, int depth) {
    if (object.empty()) {
      out_ += "{}";
      return;
    }
    char before = '{';
    for (const auto& [key, value] : object.get_ref<const Json::object_t&>()) {
      out_ += std::exchange(before, ',');
      append_line(out_, depth + 1);
      append_json(out_, key);
      out_ += ": ";
      print(value, depth + 1);
    }
    append_line(out_, depth);
    out_ += '}';
  }

  void print_array(const Json& array, int depth) {
    if (array.empty()) {
      out_ += "[]";
      return;
    }
    char before = '[';
    for (const Json& element : array) {
      out_ += std::exchange(before, ',');
      append_line(out_, depth + 1);
      print(element, depth + 1);
    }
    append_line(out_, depth);
    out_ += ']';
  }

  std::string& out_;
};

// As it stands `depth` levels deep.
std::string indented(const Json& value, int depth) {
  std::string text;
  Printer(text).print(value, depth);
  return text;
}

// Elements whose text is held until those before them are written.
constexpr std::size_t at_once = 256;
constexpr std::size_t in_parts = 64;  // of several elements each

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

std::string json_text(const Json& value) { return indented(value, 0) + "\n"; }

void append_line(std::string& text, int depth) {
  constexpr std::string_view begin = "\n                                        ";
  const auto size = static_cast<std::size_t>(2 * depth);
  text.append(begin.substr(0, 1 + size));
  if (size >= begin.size()) text.append(size + 1 - begin.size(), ' ');
}

void append_key(std::string& text, std::string_view key, int depth, bool is_first) {
  const auto blanks = static_cast<std::size_t>(2 * depth);
  const std::size_t begin = text.size(), commas = is_first ? 0 : 1;
  text.resize(begin + commas + 1 + blanks + 1 + key.size() + 3, ' ');
  char* at = text.data() + begin;
  if (!is_first) *at++ = ',';
  *at++ = '\n';
  at += blanks;
  *at++ = '"';
  at = std::ranges::copy(key, at).out;
  *at++ = '"';
  *at = ':';
}

void append_json(std::string& text, std::string_view value) {
  if (!is_plain(value)) {
    text += dumped(value);
    return;
  }
  const std::size_t begin = text.size();
  text.resize(begin + value.size() + 2, '"');
  std::ranges::copy(value, text.data() + begin + 1);
}

void append_json(std::string& text, const Json& value, int depth) { Printer(text).print(value, depth); }

void JsonStream::write_elements(std::size_t count, int depth, const std::function<void(std::string&, std::size_t)>& append) {
  constexpr std::size_t in_one_text = 16;
  if (count == 0) return write_("[]");
  std::vector<std::string> texts(std::min(in_parts, (count + in_one_text - 1) / in_one_text));
  for (std::size_t begin = 0; begin < count; begin += in_parts * in_one_text) {
    const std::size_t end = std::min(count, begin + in_parts * in_one_text);
    texts.resize((end - begin + in_one_text - 1) / in_one_text);
    for_each_in_parallel(texts.size(), [&](std::size_t part) {
      const std::size_t first = begin + part * in_one_text;
      texts[part].clear();  // its room serves again
      for (std::size_t i = first; i < std::min(end, first + in_one_text); ++i) {
        texts[part] += i == 0 ? '[' : ',';
        append_line(texts[part], depth + 1);
        append(texts[part], i);
      }
    });
    for (const std::string& text : texts) write_(text);
  }
  write_(line_at(depth) + "]");
}

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
  std::string begin = indented(head, 0);
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

}  // namespace frx::compose
