// The members of an object, said once and written in either of two ways: as a tree of Json values, or at once as text.
//
//   const auto put_point = [](auto& out, const Point& p) {
//     out.member("x", p.x);
//     out.list("names", p.names, [](auto& inner, const Name& name) { inner.member("name", name.text); });
//   };
//   JsonTree tree(json);      put_point(tree, point);     // json = {"x": 1, "names": [{"name": "a"}]}
//   JsonText text(out, 0);    put_point(text, point);     // appends the same as json_text() prints, an eighth of the time
//
// A value is a text, a truth, a whole number, a Json; nothing (null), one of these that may be absent, or a range of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "compose/json.h"

namespace frx::compose {

template <typename Value>
inline constexpr bool is_optional = false;
template <typename Value>
inline constexpr bool is_optional<std::optional<Value>> = true;
template <typename Value>
concept JsonTextual = std::convertible_to<const Value&, std::string_view>;

// Text as null when it is empty.
inline std::optional<std::string_view> unless_empty(std::string_view text) { return text.empty() ? std::nullopt : std::optional(text); }

// As they stand in a text `depth` levels deep, appended.
void append_json(std::string& text, const Json& value, int depth);
void append_json(std::string& text, std::string_view value);
void append_line(std::string& text, int depth);  // a line feed, and blanks
// What goes before a value: a comma unless it is the first, a new line, and the key, which is plain text.
void append_key(std::string& text, std::string_view key, int depth, bool is_first);

// Into an object of the library's.
class JsonTree {
 public:
  explicit JsonTree(Json& object) : object_(object) {}

  template <typename Value>
  void member(const char* key, const Value& value) {
    object_[key] = tree_of(value);
  }
  // Objects, whose members `put(out, element)` writes.
  template <typename Range, typename Put>
  void list(const char* key, const Range& range, Put&& put) {
    Json list = Json::array();
    for (const auto& element : range) {
      Json object = Json::object();
      JsonTree inner(object);
      put(inner, element);
      list.push_back(std::move(object));
    }
    object_[key] = std::move(list);
  }

 private:
  template <typename Value>
  static Json tree_of(const Value& value) {
    if constexpr (is_optional<Value>) {
      return value ? tree_of(*value) : Json(nullptr);
    } else if constexpr (std::ranges::range<Value> && !JsonTextual<Value> && !std::same_as<Value, Json>) {
      Json list = Json::array();
      for (const auto& element : value) list.push_back(tree_of(element));
      return list;
    } else if constexpr (JsonTextual<Value>) {
      return Json(std::string_view(value));
    } else {
      return Json(value);
    }
  }

  Json& object_;
};

// Members of an object that stands `depth` levels deep, appended to a text. The braces around them are put by object().
class JsonText {
 public:
  JsonText(std::string& into, int depth) : out_(into), depth_(depth) {}

  template <typename Value>
  void member(const char* key, const Value& value) {
    begin(key);
    print(value, depth_ + 1);
  }
  template <typename Range, typename Put>
  void list(const char* key, const Range& range, Put&& put) {
    begin(key);
    print_list(range, depth_ + 1, [&](const auto& element) { object(out_, depth_ + 2, put, element); });
  }

  // One object with the members that `put(out, element)` writes: at least one.
  template <typename Put, typename Element>
  static void object(std::string& into, int depth, Put&& put, const Element& element) {
    into += '{';
    JsonText inner(into, depth);
    put(inner, element);
    append_line(into, depth);
    into += '}';
  }

  // What goes before a value, for one that is written by somebody else.
  void begin(std::string_view key) {
    append_key(out_, key, depth_ + 1, !has_members_);
    has_members_ = true;
  }

 private:
  template <typename Range, typename Print>
  void print_list(const Range& range, int depth, Print&& print_one) {
    bool is_first = true;
    for (const auto& element : range) {
      out_ += is_first ? '[' : ',';
      is_first = false;
      append_line(out_, depth + 1);
      print_one(element);
    }
    if (is_first) {
      out_ += "[]";
    } else {
      append_line(out_, depth);
      out_ += ']';
    }
  }

  template <typename Value>
  void print(const Value& value, int depth) {
    if constexpr (std::same_as<Value, Json>) {
      append_json(out_, value, depth);
    } else if constexpr (std::same_as<Value, std::nullptr_t>) {
      out_ += "null";
    } else if constexpr (is_optional<Value>) {
      if (value) {
        print(*value, depth);
      } else {
        out_ += "null";
      }
    } else if constexpr (JsonTextual<Value>) {
      append_json(out_, std::string_view(value));
    } else if constexpr (std::same_as<Value, bool>) {
      out_ += value ? "true" : "false";
    } else if constexpr (std::integral<Value>) {
      const fmt::format_int digits(value);
      out_.append(digits.data(), digits.size());
    } else {
      print_list(value, depth, [&](const auto& element) { print(element, depth + 1); });
    }
  }

  std::string& out_;
  int depth_;
  bool has_members_ = false;
};

// Members of an object `depth` levels deep, handed over as text while they are made: lists in parts of bounded size,
// on all cores.
class JsonStream {
 public:
  JsonStream(int depth, const JsonSink& write) : depth_(depth), write_(write) {}

  // A whole text {"mode": ..., "result": an object with the members that `put(out)` writes: at least one}.
  template <typename Put>
  static void write_result(std::string_view mode, const JsonSink& write, Put&& put) {
    std::string text = "{";
    JsonText head(text, 0);
    head.member("mode", mode);
    head.begin("result");
    write(text += '{');
    JsonStream result(1, write);
    put(result);
    write("\n  }\n}\n");
  }

  template <typename Value>
  void member(const char* key, const Value& value) {
    std::string text(between());
    JsonText(text, depth_).member(key, value);
    write_(text);
  }
  template <typename Range, typename Put>
  void list(const char* key, const Range& range, Put&& put) {
    std::string text(between());
    JsonText(text, depth_).begin(key);
    write_(text);
    write_elements(std::ranges::size(range), depth_ + 1,
                   [&](std::string& into, std::size_t i) { JsonText::object(into, depth_ + 2, put, range[i]); });
  }

 private:
  const char* between() { return std::exchange(before_, ","); }
  void write_elements(std::size_t count, int depth, const std::function<void(std::string&, std::size_t)>& append);

  int depth_;
  const JsonSink& write_;
  const char* before_ = "";
};

}  // namespace frx::compose
