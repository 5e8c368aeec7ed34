// A JSON object, written as text while its members are named: of a long list nothing is held but what is being written.
//
//   void put_point(JsonObject& out, const Point& point) {
//     out.add("x", point.x, "y", point.y);
//     out.list("names", point.names, [](JsonObject& one, const Name& name) { one.add("name", name.text); });
//   }
//
// A value is a text, a truth, a number; nothing (null), one of these that may be absent, or a range of them. Numbers with
// a fraction have four decimals unless rounded() says otherwise. Two blanks of indentation, everything beyond ASCII
// escaped, invalid UTF-8 replaced, never NaN or Infinity (a number that is none is null).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

namespace frx::answer {

// Takes the next part of a text.
using TextSink = std::function<void(std::string_view)>;

// A number with other than four decimals; with none it prints as a whole one: 256, not 256.0.
struct Rounded {
  std::optional<double> value;
  int digits;
};
inline Rounded rounded(std::optional<double> value, int digits) { return {value, digits}; }
constexpr int all_digits = -1;
inline Rounded exact(std::optional<double> value) { return {value, all_digits}; }

// Absent where it is empty, or zero.
inline std::optional<std::string_view> unless_empty(std::string_view text) { return text.empty() ? std::nullopt : std::optional(text); }
template <std::integral Number>
std::optional<Number> unless_zero(Number number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

// Absent unless it is known.
template <typename Value>
std::optional<Value> when(bool is_known, Value value) {
  return is_known ? std::optional<Value>(std::move(value)) : std::nullopt;
}

class JsonObject;

// A key, or what stands under one: a view of it, whatever its type, that lives as long as the call it is made for. One small type keeps the
// writing itself out of the templates, which every member of every result would instantiate again.
class JsonValue {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  JsonValue(std::nullptr_t) {}
  JsonValue(Rounded number) : kind_(number.value ? Kind::number : Kind::null), digits_(number.digits), number_(number.value.value_or(0)) {}
  template <std::size_t Size>
  JsonValue(const char (&text)[Size]) : kind_(Kind::literal), text_(text, Size - 1) {}
  template <typename Text>
  requires std::same_as<Text, const char*> JsonValue(const Text& text) : JsonValue(std::string_view(text)) {}
  JsonValue(std::string_view text) : kind_(Kind::text), text_(text) {}
  template <typename Text>
  requires(std::convertible_to<const Text&, std::string_view> && !std::same_as<Text, const char*> && !std::is_array_v<Text>)
      JsonValue(const Text& text)
      : JsonValue(std::string_view(text)) {}
  template <std::same_as<bool> Truth>
  JsonValue(Truth truth) : kind_(Kind::truth), whole_(truth ? 1 : 0) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) JsonValue(Number number)
      : kind_(std::signed_integral<Number> ? Kind::whole : Kind::count), whole_(static_cast<std::uint64_t>(number)) {}
  template <std::floating_point Number>
  JsonValue(Number number) : kind_(Kind::number), number_(static_cast<double>(number)) {}
  template <typename Value>
  JsonValue(const std::optional<Value>& value) : JsonValue(value ? JsonValue(*value) : JsonValue(nullptr)) {}
  template <std::ranges::range Range>
  requires(!std::convertible_to<const Range&, std::string_view>) JsonValue(const Range& range);
  // NOLINTEND(google-explicit-constructor)

 private:
  friend class JsonObject;
  enum class Kind : std::uint8_t { null, truth, whole, count, number, text, literal, list };
  struct List {
    const void* range;
    void (*print)(JsonObject& out, const void* range, int depth);
  };

  Kind kind_ = Kind::null;
  int digits_ = 4;
  union {
    std::uint64_t whole_ = 0;
    double number_;
    std::string_view text_;
    List list_;
  };
};

class JsonObject {
 public:
  static constexpr int on_one_line = -(1 << 20);  // as a depth: no blanks and line feeds

  // Members of an object `depth` levels deep, appended to a text; the caller writes the braces around them. With a sink
  // the text is handed over, and emptied, whenever it is long.
  JsonObject(std::string& into, int depth, const TextSink* sink = nullptr) : out_(into), depth_(depth), sink_(sink) {}

  // Key and value in turn. Keys that are literals must have nothing to be escaped, which is asserted and otherwise not looked for.
  template <typename... KeysAndValues>
  void add(const KeysAndValues&... members) {
    static_assert(sizeof...(members) % 2 == 0, "a value for each key");
    add_all({JsonValue(members)...});
  }

  // An object whose members put(out) writes.
  template <typename Put>
  void object(std::string_view key, Put&& put) {
    begin(key);
    write_object(out_, depth_ + 1, sink_, put);
  }
  // The same with put(out, *what); null where there is nothing.
  template <typename Pointer, typename Put>
  void object(std::string_view key, const Pointer& what, Put&& put) {
    if (!what) return add(key, nullptr);
    object(key, [&](JsonObject& inner) { put(inner, *what); });
  }
  // Objects whose members put(out, element) writes; from several threads where there is a sink.
  template <typename Range, typename Put>
  void list(std::string_view key, const Range& range, Put&& put) {
    begin(key);
    const auto print_one = [&](std::string& into, const auto& element) {
      write_object(into, depth_ + 2, nullptr, [&](JsonObject& inner) { put(inner, element); });
    };
    if constexpr (std::ranges::random_access_range<const Range>) {
      if (sink_) return stream_elements(std::ranges::size(range), [&](std::string& into, std::size_t i) { print_one(into, range[i]); });
    }
    print_list(range, depth_ + 1, [&](const auto& element) { print_one(out_, element); });
  }

  // "{", the members that put(out) writes, and "}".
  template <typename Put>
  static void write_object(std::string& into, int depth, const TextSink* sink, Put&& put) {
    into += '{';
    JsonObject inner(into, depth, sink);
    put(inner);
    inner.end();
  }

 private:
  // A comma unless it is the first, a new line, and the key.
  void begin(std::string_view key);
  void begin_plain(std::string_view key);  // with a key that has nothing to be escaped
  void begin_unusual(std::string_view key);
  void end();
  void new_line(int depth) const;
  void next_element(bool is_first, int depth) const;
  void hand_over();
  void stream_elements(std::size_t count, const std::function<void(std::string&, std::size_t)>& append);

  void print_text(std::string_view text);

  template <typename Range, typename Print>
  void print_list(const Range& range, int depth, Print&& print_one) {
    bool is_first = true;
    for (const auto& element : range) {
      next_element(is_first, depth + 1);
      is_first = false;
      print_one(element);
    }
    if (is_first) {
      out_ += "[]";
    } else {
      new_line(depth);
      out_ += ']';
    }
  }

  friend class JsonValue;
  void add_all(std::initializer_list<JsonValue> keys_and_values);
  void print(const JsonValue& value, int depth);

  std::string& out_;
  int depth_;
  const TextSink* sink_;
  bool has_members_ = false;
};

template <std::ranges::range Range>
requires(!std::convertible_to<const Range&, std::string_view>) JsonValue::JsonValue(const Range& range) : kind_(Kind::list) {
  list_ = {&range, [](JsonObject& out, const void* elements, int depth) {
             out.print_list(*static_cast<const Range*>(elements), depth,
                            [&](const auto& element) { out.print(JsonValue(element), depth + 1); });
           }};
}

// The object that put(out) writes, as a text of several lines that ends with a line feed, or on one line. `expected`: about how long it is.
template <typename Put>
std::string json_text_of(Put&& put, std::size_t expected = 0) {
  std::string text;
  text.reserve(expected);
  JsonObject::write_object(text, 0, nullptr, put);
  return text += '\n';
}
template <typename Put>
std::string compact_json(Put&& put) {
  std::string text;
  JsonObject::write_object(text, JsonObject::on_one_line, nullptr, put);
  return text;
}

}  // namespace frx::answer
