// The members of a JSON object or the items of an array, one a line, written as they come.
#pragma once

#include <string>
#include <string_view>

#include "convert/value_text.h"

namespace frx::convert {

class JsonLines {
 public:
  // `brackets`: "{}" or "[]". `depth` is that of the line on which it opens, in steps of two blanks.
  JsonLines(std::string& out, std::string_view brackets, std::size_t depth) : out_(out), close_(brackets[1]), indent_(2 * depth, ' ') {
    out_ += brackets[0];
  }
  ~JsonLines() {
    if (any_) {
      out_ += '\n';
      out_ += indent_;
    }
    out_ += close_;
  }
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  // Begins the next line; the caller appends its content to the text.
  void item() {
    out_ += any_ ? ",\n" : "\n";
    out_ += indent_;
    out_ += "  ";
    any_ = true;
  }
  // The start of a member: its key and ": ".
  void member(std::string_view key) {
    item();
    out_ += '"';
    out_ += key;
    out_ += "\": ";
  }
  void member(std::string_view key, std::string_view json) {
    member(key);
    out_ += json;
  }

 private:
  std::string& out_;
  char close_;
  std::string indent_;
  bool any_ = false;
};

}  // namespace frx::convert
