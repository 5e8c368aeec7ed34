// The words and marks of CUDA source, for the parser. Comments and white space are skipped.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace frx::ingest::cuda {

enum class Tok : std::uint8_t {
  end,
  unknown,  // an unknown token: the parser gives up
#define FRX_CUDA_GROUP(name) name,
#define FRX_CUDA_MARK(name, spelling) name,
#define FRX_CUDA_WORD(name, spelling)
#include "ingest/cuda/tokens.def"
};

struct Token {
  Tok kind = Tok::end;
  std::uint32_t begin = 0, end = 0;
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {
    read_before_.fill({nowhere, {}});
    next();
  }

  const Token& now() const { return now_; }
  Tok kind() const { return now_.kind; }
  std::string_view spelling() const { return text_.substr(now_.begin, now_.end - now_.begin); }
  std::string_view text() const { return text_; }
  std::uint32_t behind() const { return behind_; }  // the end of the last token that was consumed
  void next();
  Tok peek() const;  // the one after this one

  // `>` of `>>`, where a list of template arguments ends; the rest becomes the next token.
  void split_closing_angle() { cut_to_one(Tok::greater); }
  // `:` of `::` between the lists of an asm statement.
  void split_scope() { cut_to_one(Tok::colon); }
  // `-1`, where an operand may stand, is one number.
  void join_sign();
  // Joins everything from here on into one token that ends there.
  void extend(std::uint32_t end) {
    charge(end - now_.end);
    now_.end = end;
  }
  void charge(std::uint64_t bytes) { work_ += bytes; }
  // Bytes that were read so far, including repeated reads.
  std::uint64_t work() const { return work_; }

  struct Mark {
    Token now;
    std::uint32_t behind;
  };
  Mark mark() const { return {now_, behind_}; }
  void go_back(const Mark& mark) {
    now_ = mark.now;
    behind_ = mark.behind;
  }

 private:
  char at(std::uint32_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  std::uint32_t gap_end(std::uint32_t i) const;
  // The token after byte `from`. Recent tokens are cached: the parser looks ahead, and restarts at earlier positions.
  Token read(std::uint32_t from) const {
    Before& before = read_before_[from % read_before_.size()];
    if (before.from != from) before = {from, read_anew(from)};
    work_ += before.token.end - from;
    return before.token;
  }
  Token read_anew(std::uint32_t from) const;
  Token read_at(std::uint32_t begin) const;
  void cut_to_one(Tok kind) { now_ = {kind, now_.begin, now_.begin + 1}; }
  Token read_word(std::uint32_t from) const;
  Token read_number(std::uint32_t from) const;
  bool has_mark(std::uint32_t from, std::string_view mark) const;
  Token read_mark(std::uint32_t from) const;
  Token read_launch_mark(std::uint32_t from) const;

  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;
  struct Before {
    std::uint32_t from;
    Token token;
  };
  std::string_view text_;
  mutable std::array<Before, 512> read_before_;
  Token now_;
  std::uint32_t behind_ = 0;
  mutable std::uint64_t work_ = 0;
};

}  // namespace frx::ingest::cuda
