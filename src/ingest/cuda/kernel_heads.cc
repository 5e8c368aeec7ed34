#include "ingest/cuda/kernel_heads.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {
namespace {

constexpr std::string_view unused_word = "__nv_pure__";
constexpr std::size_t longest_head = 4000;  // in parts

// What may stand before the name of a kernel and says nothing that is not kept.
constexpr std::array<std::string_view, 27> specifiers{
    "__global__",    "__device__",  "__host__",   "__forceinline__", "__noinline__", "__launch_bounds__",
    "__attribute__", "__attribute", "__inline__", "__inline",        "static",       "inline",
    "extern",        "const",       "constexpr",  "volatile",        "template",     "typename",
    "void",          "alignas",     "auto",       "__forceinline",   "decltype",     "consteval",
    "requires",      "noexcept",    "friend"};

// Attributes of which nothing is used.
constexpr std::array<std::string_view, 6> unused_attributes{"__cluster_dims__", "__maxnreg__", "__block_size__",
                                                            "__nv_pure__",      "__declspec",  "__extension__"};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_word_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 128; }

bool is_whole_word(std::string_view text, std::size_t at, std::string_view word) {
  const std::size_t end = at + word.size();
  return (at == 0 || !is_word_character(text[at - 1])) && (end >= text.size() || !is_word_character(text[end]));
}

// A word, a mark, or brackets with everything in them.
struct Part {
  enum Kind : std::uint8_t { word, group, mark, text };
  Kind kind = mark;
  char sign = 0;  // of a mark
  std::uint32_t begin = 0, end = 0;
};

class Finder {
 public:
  explicit Finder(std::string& text) : text_(text), scanner_(text), statement_(text) {}

  std::vector<KernelHead> find() {
    next_word_ = text_.find(kernel_word);
    while (is_in_head_ || is_open_ || next_word_ != std::string::npos) {
      if (!is_in_head_) {
        if (!pass()) break;
        continue;
      }
      const Piece piece = scanner_.next();
      if (piece.kind == Piece::end) break;
      if (piece.kind == Piece::code || piece.kind == Piece::text) take(piece);
    }
    return std::move(found_);
  }

 private:
  std::string_view of(std::uint32_t begin, std::uint32_t end) const { return std::string_view(text_).substr(begin, end - begin); }
  std::string_view of(const Part& part) const { return of(part.begin, part.end); }

  void blank(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      if (text_[i] != '\n' && text_[i] != '\r') text_[i] = ' ';
    }
  }

  // Most statements are no heads: of them it only matters where they end. One with the word is read again from its beginning. False at the
  // end of the text.
  bool pass() {
    static constexpr Scanner::Characters marks = [] {
      Scanner::Characters all{};
      for (const unsigned char c : {'(', ')', '{', '}', ';'}) all[c] = true;
      return all;
    }();
    if (!scanner_.go_to_mark(marks, next_word_)) return false;
    const auto at = static_cast<std::uint32_t>(scanner_.position());
    if (at >= next_word_) {
      if (at == next_word_ && is_whole_word(text_, at, kernel_word)) {
        begin_head(at);
      } else {
        next_word_ = text_.find(kernel_word, at + (at == next_word_ ? 1 : 0));
      }
      return true;
    }
    const char sign = text_[at];
    scanner_.go_to(at + 1);
    if (sign == '(') {
      ++brackets_;
    } else if (sign == ')') {
      if (brackets_ > 0) --brackets_;
    } else {
      if (sign != ';') follow_braces(sign, at + 1);
      if (brackets_ == 0) end_statement();
    }
    return true;
  }

  // The word cannot stand in brackets: those before it are never closed, or belong to a macro.
  void begin_head(std::uint32_t word) {
    if (brackets_ > 0) {
      scanner_.go_to(word);
    } else {
      scanner_ = statement_;
      braces_ = braces_of_statement_;
    }
    restart();
    is_in_head_ = true;
    next_word_ = text_.find(kernel_word, word + 1);
  }

  void end_statement() {
    restart();
    is_in_head_ = false;
    statement_ = scanner_;
    braces_of_statement_ = braces_;
  }

  // Parts are those since the last statement ended; a group grows until its bracket closes.
  void take(const Piece& piece) {
    const auto begin = static_cast<std::uint32_t>(piece.begin), end = static_cast<std::uint32_t>(piece.begin + piece.size);
    const char sign = piece.kind == Piece::code ? text_[begin] : 0;
    const bool is_word = is_word_begin(sign);
    if (brackets_ > 0 && is_word && of(begin, end) == kernel_word) restart();
    if (brackets_ > 0) {
      if (sign == '(') ++brackets_;
      if (sign == ')') --brackets_;
      parts_.back().end = end;
      follow_braces(sign, end);
    } else if (sign == '(') {
      ++brackets_;
      parts_.push_back({Part::group, sign, begin, end});
    } else if (sign == '{' || sign == '}' || sign == ';') {
      if (sign == '{') settle(begin);
      follow_braces(sign, end);
      end_statement();
    } else if (parts_.size() < longest_head) {
      const Part::Kind kind = piece.kind == Piece::text ? Part::text : is_word ? Part::word : Part::mark;
      parts_.push_back({kind, sign, begin, end});
      if (kind == Part::word && of(parts_.back()) == kernel_word) word_ = parts_.size() - 1;
    }
  }

  void follow_braces(char sign, std::uint32_t end) {
    if (sign == '{') ++braces_;
    if (sign != '}') return;
    if (braces_ > 0) --braces_;
    if (is_open_ && braces_ == braces_of_kernel_) {
      found_.back().end = end;
      is_open_ = false;
    }
  }

  void restart() {
    parts_.clear();
    word_ = none;
    brackets_ = 0;
  }

  // `body` is the brace that opens. Parameters are the last brackets that belong to no word of the language.
  void settle(std::uint32_t body) {
    if (word_ == none) return;
    const std::size_t parameters = parameters_of_kernel();
    if (parameters == none) return;
    KernelHead head{parts_.front().begin, parts_[word_].begin, 0, 0, body, static_cast<std::uint32_t>(text_.size())};
    const std::size_t name = settle_name(parameters, head);
    if (name != none) {
      const std::size_t first = settle_templates();
      settle_words(first, name, returns_void(first, name));
      settle_words(parameters + 1, parts_.size(), true);
    }
    found_.push_back(head);
    braces_of_kernel_ = braces_;
    is_open_ = true;
  }

  // Not as an argument of a template: typename enable_if<x, void>::type.
  bool returns_void(std::size_t begin, std::size_t end) const {
    int angles = 0;
    for (std::size_t i = begin; i < end; ++i) {
      angles += parts_[i].sign == '<' ? 1 : parts_[i].sign == '>' ? -1 : 0;
      if (angles == 0 && parts_[i].kind == Part::word && of(parts_[i]) == "void") return true;
    }
    return false;
  }

  std::size_t parameters_of_kernel() const {
    for (std::size_t i = parts_.size(); i-- > word_ + 1;) {
      if (parts_[i].kind != Part::group || parts_[i - 1].kind == Part::text) continue;
      if (parts_[i - 1].kind == Part::word && is_among(specifiers, of(parts_[i - 1]))) continue;
      if (parts_[i - 1].kind == Part::word && is_among(unused_attributes, of(parts_[i - 1]))) continue;
      return i;
    }
    return none;
  }

  // `name(`, `name<float>(`, `a::name(`, and NAME(x)(, where NAME stays. The first part of the name.
  std::size_t settle_name(std::size_t parameters, KernelHead& head) {
    std::size_t at = parameters - 1;
    const bool is_macro =
        parts_[at].kind == Part::group && at > word_ + 1 && parts_[at - 1].kind == Part::word && !is_among(specifiers, of(parts_[at - 1]));
    if (is_macro) {
      blank(parts_[at].begin, parts_[at].end);
      --at;
    }
    int angles = 0;
    while (at > word_ && (parts_[at].sign == '>' || angles > 0)) {
      if (parts_[at].sign == '>') ++angles;
      if (parts_[at].sign == '<') --angles;
      --at;
    }
    if (at <= word_ || parts_[at].kind != Part::word) return none;
    head.name_begin = parts_[at].begin;
    head.name_end = parts_[at].end;
    while (at > word_ + 3 && parts_[at - 1].sign == ':' && parts_[at - 2].sign == ':' && parts_[at - 3].kind == Part::word) at -= 3;
    return at;
  }

  // The part behind all template parameters. What stands before them can only be a macro.
  std::size_t settle_templates() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < word_; ++i) {
      if (parts_[i].kind != Part::word || of(parts_[i]) != "template") continue;
      settle_words(at, i, true);
      int angles = 0;
      for (++i; i < word_; ++i) {
        if (parts_[i].sign == '<') ++angles;
        if (parts_[i].sign == '>' && --angles <= 0) break;
      }
      at = i + 1;
    }
    const bool is_constrained = at < word_ && of(parts_[at]) == "requires";
    return is_constrained ? word_ : std::min(at, word_);
  }

  void settle_words(std::size_t begin, std::size_t end, bool blanks_unknown) {
    int depth = 0;  // in [[ ]] and < >
    for (std::size_t i = begin; i < end; ++i) {
      const char sign = parts_[i].kind == Part::mark ? parts_[i].sign : 0;
      if (sign == '[' || sign == '<') ++depth;
      if (sign == ']' || sign == '>') --depth;
      if (parts_[i].kind != Part::word || depth > 0) continue;
      const std::string_view word = of(parts_[i]);
      const bool has_group = i + 1 < end && parts_[i + 1].kind == Part::group;
      const bool is_unused = is_among(unused_attributes, word);
      if (word == "__launch_bounds__" && has_group) settle_bounds(parts_[i + 1]);
      if (is_unused || (!is_among(specifiers, word) && (blanks_unknown || has_group))) {
        blank(parts_[i].begin, has_group ? parts_[i + 1].end : parts_[i].end);
      }
      if (has_group) ++i;
    }
  }

  // The third argument, the blocks of a cluster, is not used.
  void settle_bounds(const Part& group) {
    int depth = 0, commas = 0;
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')') --depth;
      if (text_[i] == ',' && depth == 1 && ++commas == 2) return blank(i, group.end - 1);
    }
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::string& text_;
  Scanner scanner_, statement_;  // the latter where the statement begins
  std::vector<KernelHead> found_;
  std::vector<Part> parts_;
  std::size_t word_ = none;    // of the parts: __global__
  std::size_t next_word_ = 0;  // of the text: the next place of the word behind the last one that was seen, perhaps in a comment
  int brackets_ = 0, braces_ = 0, braces_of_kernel_ = 0, braces_of_statement_ = 0;
  bool is_open_ = false;
  bool is_in_head_ = false;  // in a statement with the word
};

}  // namespace

std::vector<KernelHead> settle_kernel_heads(std::string& text) {
  if (text.find(kernel_word) == std::string::npos) return {};
  for (std::size_t at = text.find(unused_word); at != std::string::npos; at = text.find(unused_word, at + 1)) {
    if (is_whole_word(text, at, unused_word)) text.replace(at, unused_word.size(), unused_word.size(), ' ');
  }
  return Finder(text).find();
}

}  // namespace frx::ingest::cuda
