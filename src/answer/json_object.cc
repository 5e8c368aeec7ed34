#include "answer/json_object.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "answer/json.h"
#include "base/parallel.h"

namespace frx::answer {
namespace {

// Elements of a list that are made at the same time, and how many of them stand in one text.
constexpr std::size_t parts_at_once = 64, elements_of_a_part = 16;
// To start a thread takes as long as to print so many parts of short elements.
constexpr std::size_t few_parts = 3;
constexpr std::size_t long_text = std::size_t{1} << 16;

constexpr std::string_view line = "\n                                ";
constexpr std::string_view next_line = ",\n                                ", first_line = "[\n                                ";
constexpr std::size_t short_key = 64;

// The first `size` characters of one of these lines, which have blanks without end.
void add_begin(std::string& text, std::string_view of, std::size_t size) {
  text += of.substr(0, size);
  if (size > of.size()) text.append(size - of.size(), ' ');
}

void add_line(std::string& text, int depth) {
  if (depth >= 0) add_begin(text, line, 1 + 2 * static_cast<std::size_t>(depth));
}

}  // namespace

void JsonObject::begin(std::string_view key) {
  if (is_plain_json(key)) return begin_plain(key);
  begin_unusual(key);
}

// With a key that has to be escaped, or is long, or far inside.
void JsonObject::begin_unusual(std::string_view key) {
  if (std::exchange(has_members_, true)) out_ += ',';
  new_line(depth_ + 1);
  print_text(key);
  out_ += depth_ < 0 ? ":" : ": ";
}

void JsonObject::begin_plain(std::string_view key) {
  const std::size_t indent = depth_ < 0 ? 0 : 3 + 2 * static_cast<std::size_t>(depth_);
  if (key.size() > short_key || indent > line.size()) return begin_unusual(key);
  // As one piece, since there are many.
  std::array<char, line.size() + short_key + 8> piece;
  char* at = piece.data();
  *at = ',';
  at += std::exchange(has_members_, true) ? 1 : 0;
  std::memcpy(at, line.data(), line.size());
  at += indent;
  *at++ = '"';
  at = std::copy(key.begin(), key.end(), at);
  *at++ = '"';
  *at++ = ':';
  *at = ' ';
  at += depth_ < 0 ? 0 : 1;
  out_.append(piece.data(), at);
}

void JsonObject::end() {
  if (has_members_) new_line(depth_);
  out_ += '}';
}

void JsonObject::new_line(int depth) const { add_line(out_, depth); }

// A bracket or a comma, and a new line, as one piece: lists of names are what long answers are made of.
void JsonObject::next_element(bool is_first, int depth) const {
  add_begin(out_, is_first ? first_line : next_line, depth < 0 ? 1 : 2 + 2 * static_cast<std::size_t>(depth));
}

void JsonObject::hand_over() {
  if (!sink_ || out_.size() < long_text) return;
  (*sink_)(out_);
  out_.clear();
}

void JsonObject::print_text(std::string_view text) { append_json_text(out_, text); }

void JsonObject::add_all(std::initializer_list<JsonValue> keys_and_values) {
  for (const JsonValue* at = keys_and_values.begin(); at != keys_and_values.end(); at += 2) {
    if (at->kind_ == JsonValue::Kind::literal) {
      assert(is_plain_json(at->text_));  // keys that stand in the source are plain
      begin_plain(at->text_);
    } else {
      begin(at->text_);
    }
    print(at[1], depth_ + 1);
    hand_over();
  }
}

void JsonObject::print(const JsonValue& value, int depth) {
  using Kind = JsonValue::Kind;
  const auto print_whole = [&](auto number) {
    const fmt::format_int digits(number);
    out_.append(digits.data(), digits.size());
  };
  switch (value.kind_) {
    case Kind::null: out_ += "null"; break;
    case Kind::truth: out_ += value.whole_ != 0 ? "true" : "false"; break;
    case Kind::whole: print_whole(static_cast<std::int64_t>(value.whole_)); break;
    case Kind::count: print_whole(value.whole_); break;
    case Kind::number: append_json_number(out_, value.number_, value.digits_); break;
    case Kind::text:
    case Kind::literal: print_text(value.text_); break;
    case Kind::list: value.list_.print(*this, value.list_.range, depth); break;
  }
}

void JsonObject::stream_elements(std::size_t count, const std::function<void(std::string&, std::size_t)>& append) {
  const int depth = depth_ + 1;
  if (count == 0) {
    out_ += "[]";
    return;
  }
  std::vector<std::string> texts(std::min(parts_at_once, (count + elements_of_a_part - 1) / elements_of_a_part));
  constexpr std::size_t at_once = parts_at_once * elements_of_a_part;
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const std::size_t end = std::min(count, begin + at_once);
    texts.resize((end - begin + elements_of_a_part - 1) / elements_of_a_part);
    const auto print_part = [&](std::size_t part) {
      const std::size_t first = begin + part * elements_of_a_part;
      texts[part].clear();  // its memory serves again
      for (std::size_t i = first; i < std::min(end, first + elements_of_a_part); ++i) {
        texts[part] += i == 0 ? '[' : ',';
        add_line(texts[part], depth + 1);
        append(texts[part], i);
      }
    };
    if (texts.size() > few_parts) {
      for_each_in_parallel(texts.size(), print_part);
    } else {
      for (std::size_t part = 0; part < texts.size(); ++part) print_part(part);
    }
    for (const std::string& text : texts) {
      out_ += text;
      hand_over();
    }
  }
  new_line(depth);
  out_ += ']';
}

}  // namespace frx::answer
