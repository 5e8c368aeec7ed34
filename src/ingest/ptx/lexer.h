// PTX text as tokens, one at a time.
//
//   @%p1 ld.global.v2.f32 {%f1, %f2}, [%rd4+-16];   // a comment
//   @ | %p1 | ld.global.v2.f32 | { | %f1 | , | %f2 | } | , | [ | %rd4 | + | - | 16 | ] | ;
//
// A word keeps its dots, so that an instruction or %tid.x is one token; what begins with a dot is a
// directive and ends at the next dot. Lines that begin with # are left by a preprocessor and skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frx::ingest::ptx {

struct Token {
  enum Kind : std::uint8_t { end, word, directive, number, text, mark };

  Kind kind = end;
  char first = '\0';         // of the spelling; '\0' at the end
  bool is_compound = false;  // a word with dots or colons inside
  std::uint32_t line = 1;
  std::string_view spelling;  // quotes of a text included

  bool is(char c) const { return kind == mark && first == c; }
};

// What each byte may be a part of.
class Letters {
 public:
  enum Class : std::uint8_t { other, space, percent, letter, digit };

  static Class of(char c) { return classes_[static_cast<unsigned char>(c)]; }
  // A percent sign is part of a name only as its first character: in `mov.u32%r1` another one begins there.
  static bool is_name(char c) { return of(c) >= letter; }

 private:
  static constexpr std::array<Class, 256> classify() {
    std::array<Class, 256> classes{};
    for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = space;
    for (int c = '0'; c <= '9'; ++c) classes[c] = digit;
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = letter;
    for (const char c : {'_', '$'}) classes[static_cast<unsigned char>(c)] = letter;
    classes['%'] = percent;
    return classes;
  }
  static const std::array<Class, 256> classes_;
};
inline constexpr std::array<Letters::Class, 256> Letters::classes_ = Letters::classify();

// A position in a text, and its line.
struct Position {
  std::size_t at = 0;
  std::uint32_t line = 1;
  friend bool operator==(const Position&, const Position&) = default;
};

class Lexer {
 public:
  // Views into `text` are valid as long as the text.
  explicit Lexer(std::string_view text, Position from = {});

  const Token& now() const { return now_; }
  // Returns the current token and moves to the next one.
  Token take() {
    const Token token = now_;
    skip();
    return token;
  }
  void skip() {
    skip_space();
    now_.line = line_;
    if (at_ < end_ && (Letters::of(*at_) == Letters::letter || (*at_ == '%' && end_ - at_ > 1 && Letters::is_name(at_[1])))) {
      read_word();
    } else {
      read_other();
    }
  }
  // Consumes the mark when it is next.
  bool skip_if(char mark) {
    if (!now_.is(mark)) return false;
    skip();
    return true;
  }

  // The next byte after the token that is neither space nor part of a comment; '\0' at the end.
  char peek() {
    skip_space();
    return at_ < end_ ? *at_ : '\0';
  }
  // Where the token begins.
  Position position() const { return {static_cast<std::size_t>(now_.spelling.data() - begin_), now_.line}; }
  // The position after the token.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  // Skips from after the current `{` to after its `}` and returns the text between. For regions without code.
  std::string_view skip_region();

 private:
  void skip_space() {
    do {
      for (; at_ < end_ && Letters::of(*at_) == Letters::space; ++at_) line_ += *at_ == '\n';
    } while (at_ < end_ && (*at_ == '/' || *at_ == '#') && skip_comment());
  }
  // Letters, digits, and the dots and double colons inside: "%tid.x", "st.async.shared::cluster.b32".
  void read_word() {
    const char* const from = at_++;
    bool is_compound = false;
    for (;; is_compound = true) {
      while (at_ < end_ && Letters::is_name(*at_)) ++at_;
      if (end_ - at_ > 1 && *at_ == '.' && Letters::is_name(at_[1])) {
        at_ += 2;
      } else if (end_ - at_ > 2 && *at_ == ':' && at_[1] == ':' && Letters::is_name(at_[2])) {
        at_ += 3;
      } else {
        break;
      }
    }
    finish(Token::word, from);
    now_.is_compound = is_compound;
  }
  void finish(Token::Kind kind, const char* from) {
    now_.kind = kind;
    now_.first = from < end_ ? *from : '\0';
    now_.spelling = {from, static_cast<std::size_t>(at_ - from)};
  }
  // False where what is next is no comment.
  bool skip_comment();
  void skip_line();
  void skip_block();
  void read_other();
  void read_text();
  void read_number();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::uint32_t line_ = 1;
  Token now_;
};

}  // namespace frx::ingest::ptx
