#include "ingest/cuda/syntax_tree.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/in_order.h"
#include "base/parallel.h"
#include "ingest/cuda/grammar.h"
#include "ingest/cuda/parser.h"
#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Node;
using model::cuda::Syntax;

// Of these sizes, so that what is read does not depend on the number of cores.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

// A large text as pieces of whole declarations, which are parsed on all cores. The parser knows nothing of one declaration that matters in
// the next one.
class PiecesOfText : public Pieces {
 public:
  PiecesOfText(std::string_view text, std::uint32_t offset, Syntax& into, std::size_t slots)
      : text_(text), offset_(offset), into_(into), root_(into.size()), scanner_(text), slots_(slots) {
    Node whole;
    whole.begin = static_cast<std::uint32_t>(std::min(text.find_first_not_of(" \t\r\n\f\v"), text.size())) + offset;
    whole.end = static_cast<std::uint32_t>(text.size()) + offset;
    into.nodes.push_back(whole);
  }

  bool read(std::size_t slot) override {
    if (begin_ == text_.size()) return false;
    const std::size_t end = end_of_declaration(begin_ + piece_bytes);
    slots_[slot].begin = begin_;
    slots_[slot].text = text_.substr(begin_, end - begin_);
    begin_ = end;
    return true;
  }

  void work(std::size_t slot) override {
    Piece& piece = slots_[slot];
    piece.syntax.nodes.clear();
    Grammar grammar(piece.text);
    Parser parser(piece.text, &grammar);
    piece.is_read = parser.read(offset_ + static_cast<std::uint32_t>(piece.begin), piece.syntax);
    piece.errors = parser.errors();
  }

  // Its declarations become those of the whole text.
  bool take(std::size_t slot) override {
    const Piece& piece = slots_[slot];
    if (!piece.is_read) return false;
    errors_ += piece.errors;
    taken_ += piece.text.size();
    const std::uint32_t shift = into_.size() - 1;
    for (std::uint32_t n = 1; n < piece.syntax.size(); ++n) {
      Node node = piece.syntax[n];
      node.parent = node.parent == 0 ? root_ : node.parent + shift;
      node.last += shift;
      into_.nodes.push_back(node);
    }
    return true;
  }

  // False when a piece could not be read; then nothing was added.
  bool finish(std::uint32_t& errors) {
    if (taken_ < text_.size()) {
      into_.nodes.resize(root_);
      return false;
    }
    into_.nodes[root_].last = into_.size();
    errors += errors_;
    return true;
  }

 private:
  struct Piece {
    std::string_view text;
    std::size_t begin = 0;  // in the whole text
    Syntax syntax;
    std::uint32_t errors = 0;
    bool is_read = false;
  };

  // Behind a semicolon outside of all brackets, from byte `from` on.
  std::size_t end_of_declaration(std::size_t from) {
    static constexpr Scanner::Characters marks = [] {
      Scanner::Characters all{};
      for (const unsigned char c : {'(', ')', '[', ']', '{', '}', ';'}) all[c] = true;
      return all;
    }();
    while (scanner_.go_to_mark(marks, text_.size())) {
      const std::size_t at = scanner_.position();
      const char mark = text_[at];
      scanner_.go_to(at + 1);
      if (mark == '(' || mark == '[' || mark == '{') ++open_;
      if ((mark == ')' || mark == ']' || mark == '}') && open_ > 0) --open_;
      if (mark == ';' && open_ == 0 && at >= from) return at + 1;
    }
    return text_.size();
  }

  std::string_view text_;
  std::uint32_t offset_;
  Syntax& into_;
  std::uint32_t root_;
  Scanner scanner_;
  std::vector<Piece> slots_;
  std::size_t begin_ = 0, taken_ = 0;  // bytes that were given out, and that were added
  std::uint32_t open_ = 0;             // brackets
  std::uint32_t errors_ = 0;
};

bool add_in_pieces(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  const std::size_t slots = 2 * most_threads();
  PiecesOfText pieces(text, offset, into, slots);
  take_in_order(slots, pieces);
  return pieces.finish(errors);
}

bool add_as_one(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  Grammar grammar(text);
  Parser parser(text, &grammar);
  if (!parser.read(offset, into)) return false;
  errors += parser.errors();
  return true;
}

}  // namespace

Result<> add_syntax_of_grammar(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  return Grammar(text).read(offset, into, errors);
}

Result<> add_syntax(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  const bool is_large = text.size() >= 2 * piece_bytes;
  if (is_large ? add_in_pieces(text, offset, into, errors) : add_as_one(text, offset, into, errors)) return {};
  return add_syntax_of_grammar(text, offset, into, errors);
}

}  // namespace frx::ingest::cuda
