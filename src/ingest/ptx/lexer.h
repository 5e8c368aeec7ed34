// PTX text as tokens, one at a time.
//
//   @%p1 ld.global.v2.f32 {%f1, %f2}, [%rd4+-16];   // a comment
//   @ | %p1 | ld.global.v2.f32 | { | %f1 | , | %f2 | } | , | [ | %rd4 | + | - | 16 | ] | ;
//
// A word keeps its dots, so that an instruction or %tid.x is one token; what begins with a dot is a
// directive and ends at the next dot. Lines that begin with # are left by a preprocessor and skipped.
#pragma once

#include <cstdint>
#include <string_view>

namespace frx::ingest::ptx {

struct Token {
  enum Kind : std::uint8_t { end, word, directive, number, text, mark };

  Kind kind = end;
  char first = '\0';  // of the spelling; '\0' at the end
  std::uint32_t line = 1;
  std::string_view spelling;  // quotes of a text included

  bool is(char c) const { return kind == mark && first == c; }
};

class Lexer {
 public:
  // Views into `text` are valid as long as the text.
  explicit Lexer(std::string_view text);

  const Token& now() const { return now_; }
  // Returns the current token and moves to the next one.
  Token take();
  void skip();
  // Consumes the mark when it is next.
  bool skip_if(char mark);

  // The next byte after the token that is neither space nor part of a comment; '\0' at the end.
  char peek();
  // The position after the token.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  // Skips from after the current `{` to after its `}` and returns the text between. For regions without code.
  std::string_view skip_region();

 private:
  void skip_space();
  void skip_line();
  void skip_block();
  void read_word();
  void read_text();
  void read_number();
  void finish(Token::Kind kind, const char* from);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::uint32_t line_ = 1;
  Token now_;
};

}  // namespace frx::ingest::ptx
