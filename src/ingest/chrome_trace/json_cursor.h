// Reads JSON in pieces from a buffer that may end anywhere, without building anything.
//
// It accepts what trace writers really wrote: control characters and raw backslashes in strings, unescaped quotes inside names (PyTorch
// before 2026), bare nan and inf, commas before a closing bracket. Well-formed JSON reads as specified; nesting of any depth costs no
// stack.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace frx::ingest::trace {

// A value as it is spelled in the buffer: texts without their quotes, escapes unresolved.
struct Token {
  enum Kind { nothing, text, scalar, object, array } kind = nothing;
  std::string_view raw;
};

class JsonCursor {
 public:
  enum class State {
    good,
    dry,    // the buffer ended inside a value
    wrong,  // the text at at() is not JSON
  };
  // The bytes from `end` on for another `padding` must exist, whatever they hold.
  static constexpr std::size_t padding = 16;

  JsonCursor(const char* begin, const char* end) : at_(begin), end_(end) {}

  State state() const { return state_; }
  const char* at() const { return at_; }
  bool good() const { return state_ == State::good; }

  // The next character that is no blank; 0 when the buffer ends before it (which makes it dry).
  char peek();
  // Blanks, then this character.
  bool take(char expected);
  // Blanks, then any value.
  bool value(Token& token);
  bool skip() {
    Token token;
    return value(token);
  }
  // Blanks, then an object: calls member(key) with the cursor before each value, which must read it. True at its end.
  template <typename Member>
  bool object(Member member);

 private:
  bool fail(State state) {
    state_ = state;
    return false;
  }
  bool string(Token& token);
  bool key(std::string_view& name);
  bool nested(Token& token);
  bool scalar(Token& token);
  bool ends_string(const char* quote);
  const char* next_special(const char* from) const;

  const char* at_;
  const char* end_;
  State state_ = State::good;
};

template <typename Member>
bool JsonCursor::object(Member member) {
  if (!take('{')) return false;
  for (;;) {
    const char next = peek();
    if (next == '}') {
      ++at_;
      return true;
    }
    if (next == ',') {
      ++at_;
      continue;
    }
    std::string_view name;
    if (!key(name) || !take(':') || !member(name)) return false;
  }
}

// The text between the quotes with its escapes resolved; unchanged when they are invalid.
std::string unescaped(std::string_view raw);

}  // namespace frx::ingest::trace
